/** The layout of streaming Markdown. */
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { styleFor } from '../terminal/style.ts';
import { MarkdownLayout } from './markdown.ts';

const style = styleFor({ plain: false, env: {} });

function layOut(parts: readonly string[], columns = 60): string {
  const layout = new MarkdownLayout(style, () => columns);
  return parts.map((part) => layout.add(part)).join('') + layout.end();
}

const rows = (text: string, columns?: number): string[] =>
  stripVTControlCharacters(layOut([text], columns)).split('\n');

const SAMPLE = [
  '# Heading',
  'Some **bold** text with `code`, and a list:',
  '- one',
  '- two | three',
  '',
  '| a | b |',
  '|:--|--:|',
  '| `x|y` | 漢字 |',
  '|  | \\| |',
  'after',
  '```ts',
  'const a = `x ${1}`; /* open',
  'still */ return "done";',
  '```',
  '~~~',
  '| not a table |',
  '~~~',
  '| also not |',
  'The end',
].join('\n');

describe('streaming Markdown', () => {
  it('has the same result for every split into deltas', () => {
    const whole = layOut([SAMPLE]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 }), (sizes) => {
        const parts: string[] = [];
        for (let at = 0, turn = 0; at < SAMPLE.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          parts.push(SAMPLE.slice(at, at + size));
          at += size;
        }
        expect(layOut(parts)).toBe(whole);
      }),
      { numRuns: 60 },
    );
  });

  it('draws tables, keeps bars in code and after a backslash, and leaves other lines with bars alone', () => {
    const drawn = rows(SAMPLE);
    expect(drawn.slice(drawn.indexOf('┌──────┬──────┐'), -1)).toEqual([
      '┌──────┬──────┐',
      '│ a    │    b │',
      '├──────┼──────┤',
      '│ x|y  │ 漢字 │',
      '│      │    | │',
      '└──────┴──────┘',
      'after',
      '  const a = `x ${1}`; /* open',
      '  still */ return "done";',
      '  | not a table |',
      '| also not |',
    ]);
  });

  it('wraps the cells of a wide table, and shows a list on a screen that is too narrow', () => {
    const table = '| name | text |\n|---|---|\n| a | some longer words that do not fit |\n';
    const wrapped = rows(table, 30);
    expect(Math.max(...wrapped.map((row) => row.length))).toBeLessThan(30);
    expect(wrapped.join('\n')).toMatch(/│ a {4}│ some longer words {2}│\n│ {6}│ that do not fit/);
    expect(rows(table, 14)).toEqual(['name: a', 'text: some longer words that do not fit', '', '']);
  });

  it('shows an unfinished table and an unfinished code line as they look so far', () => {
    const layout = new MarkdownLayout(style, () => 40);
    expect(layout.add('| a |\n|---|\n| 1')).toBe('');
    expect(layout.openRows.map(stripVTControlCharacters)).toEqual([
      '┌──────┐',
      '│ a    │',
      '├──────┤',
      '│ 1    │',
      '└──────┘',
    ]);
    layout.end();
    layout.add('```js\nlet x');
    expect(layout.openRows.map(stripVTControlCharacters)).toEqual(['  let x']);
  });
});
