import { describe, expect, it } from 'vitest';
import { styleFor } from '../style.ts';
import { printedRows, RawLayout, wholeRows } from './rows.ts';

const { paint } = styleFor({ plain: false, env: {} });

describe('a printed line', () => {
  it('is wrapped at words, and its rows are indented below the text', () => {
    expect(printedRows('  1   yes, always: this project', 20)).toBe('  1   yes, always:\n      this project');
    expect(printedRows('  (overloaded, trying again)', 20)).toBe('  (overloaded,\n  trying again)');
    expect(printedRows('● Bash npm test -- run', 16)).toBe('● Bash npm test\n  -- run');
    expect(printedRows('  /name [words]      what it does', 24)).toBe('  /name [words]\n      what it does');
    expect(printedRows('short\nlines stay', 20)).toBe('short\nlines stay');
  });

  it('does not count color codes', () => {
    expect(printedRows(paint('dim', 'one two three'), 13)).toBe(paint('dim', 'one two three'));
    expect(printedRows(paint('dim', 'one two three'), 9)).toBe(paint('dim', 'one two\nthree'));
  });

  it('repeats its bar in every row, so that the text of a call does not look like the question', () => {
    expect(printedRows(`  | echo ${' '.repeat(11)}1  yes`, 20)).toBe(
      `  | echo ${' '.repeat(11)}\n  | 1  yes`,
    );
    expect(printedRows('  | npm test -- --run  it', 16)).toBe('  | npm test -- \n  | --run  it');
    expect(printedRows('  | abcdefghijkl', 10)).toBe('  | abcdef\n  | ghijkl');
    expect(printedRows(`  | ${paint('red', '- 漢字漢字')}`, 10)).toBe(
      `  | ${paint('red', '- 漢字\n  |   漢字')}`,
    );
  });

  it('shows tabs as spaces, counted from the start of the text', () => {
    expect(printedRows('  | a\tb', 40)).toBe(`  | a${' '.repeat(7)}b`);
    expect(printedRows(`  | ${paint('red', 'ab\t\tc')}`, 40)).toBe(
      `  | ${paint('red', `ab${' '.repeat(14)}c`)}`,
    );
    expect(printedRows('name\tvalue', 40)).toBe('name    value');
    const spoof = printedRows(`  | ls #${'\t'.repeat(9)}1  A rule allows it; it only reads.`, 80);
    for (const row of spoof.split('\n')) {
      expect(row).toMatch(/^ {2}\| /);
      expect(row).not.toContain('\t');
      expect(row.length).toBeLessThanOrEqual(80);
    }
  });

  it.each([
    ['skin tones', '👍🏽', 4],
    ['families', '👩‍👩‍👧‍👦', 8],
    ['flags', '🇩🇪', 4],
    ['soft hyphens', '\u00ad', 1],
    ['letters that are put together', '\u1112\u1161\u11ab', 4],
  ])('keeps its bar in terminals that use more cells for %s', (_what, character, most) => {
    for (const row of printedRows(`  | touch ${character.repeat(60)}`, 40).split('\n')) {
      expect(row).toMatch(/^ {2}\| /);
      const count = row.split(character).length - 1;
      expect(count * most + row.replaceAll(character, '').length).toBeLessThanOrEqual(40);
    }
  });

  it('continues a changed line after its number and its sign', () => {
    expect(printedRows(`  | ${paint('green', '12 +   one two three')}`, 20)).toBe(
      `  | ${paint('green', '12 +   one two \n  |        three')}`,
    );
    expect(printedRows('  | + one two three', 16)).toBe('  | + one two \n  |   three');
    expect(printedRows('  |     one two three', 20)).toBe('  |     one two \n  |     three');
    expect(printedRows(`  | + ${' '.repeat(20)}x`, 20).split('\n')).toEqual([
      `  | + ${' '.repeat(14)}`,
      `  |   ${' '.repeat(6)}x`,
    ]);
  });
});

describe('output', () => {
  it('is shown up to its last complete word', () => {
    const coming = new RawLayout();
    expect([coming.add('two wor'), coming.add('ds\n'), coming.add('end'), coming.end()]).toEqual([
      'two ',
      'words\n',
      '',
      'end',
    ]);
    const path = '/a/very/long/path/'.repeat(4);
    expect(coming.add(path)).toBe(path);
    // The time must not grow with the square of the length.
    expect(coming.add(`${'x'.repeat(1_000_000)} `)).toHaveLength(1_000_001);
  });

  it('is shown in complete rows while the user types below it', () => {
    expect(wholeRows('one\ntwo', 20)).toEqual({ now: 'one\n', later: 'two' });
    const solid = wholeRows('x'.repeat(100_000), 80);
    expect(solid.later.length).toBeLessThanOrEqual(80);
    expect(solid.now.replaceAll('\n', '') + solid.later).toBe('x'.repeat(100_000));
    expect(wholeRows('😀'.repeat(50), 7).now).toMatch(/^(😀😀😀\n)+$/u);
    expect(wholeRows('a\tb\tc', 12)).toEqual({ now: `a${' '.repeat(7)}b   \n`, later: '    c' });
    expect(wholeRows(paint('bold', 'a bold word'), 6).now).toBe('\u001b[1ma bold\n');
  });
});
