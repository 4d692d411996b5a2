import { describe, expect, it } from 'vitest';
import { draftOf } from './editor.ts';
import { frameOf, rowsAbove, searchFrame, withStatus } from './frame.ts';
import { widthOf } from '../width.ts';

const room = { columns: 11, maxRows: 10 };

describe('a draft on the screen', () => {
  it('is wrapped into rows that leave the last column free, indented below the prompt', () => {
    expect(frameOf('> ', draftOf('12345678abcdefgh!'), room)).toEqual({
      rows: ['> 12345678', '  abcdefgh', '  !'],
      cursorRow: 2,
      cursorColumn: 3,
    });
  });

  it('is wrapped at words, and the space at the break takes no cell', () => {
    expect(frameOf('> ', draftOf('one two three'), room).rows).toEqual(['> one two ', '  three']);
    const full = { text: '12345678 x', cursor: 8 };
    expect(frameOf('> ', full, room)).toEqual({
      rows: ['> 12345678', '  x'],
      cursorRow: 0,
      cursorColumn: 10,
    });
    expect(frameOf('> ', { ...full, cursor: 9 }, room)).toMatchObject({ cursorRow: 1, cursorColumn: 2 });
    expect(frameOf('> ', draftOf('one abcdefghijk'), room).rows).toEqual(['> one ', '  abcdefgh', '  ijk']);
  });

  it('has a status row above it, or the status row alone', () => {
    const paint = (text: string): string => `<${text}>`;
    expect(withStatus('12 s, make: ok', frameOf('> ', draftOf('x'), room), room, paint)).toEqual({
      rows: ['<12 s, mak…>', '> x'],
      cursorRow: 1,
      cursorColumn: 3,
    });
    expect(withStatus('12 s', undefined, room, paint)).toEqual({
      rows: ['<12 s>'],
      cursorRow: 0,
      cursorColumn: 4,
    });
  });

  it('keeps its own lines, and shows tabs as spaces', () => {
    expect(frameOf('> ', { text: 'a\n\tb', cursor: 1 }, room)).toEqual({
      rows: ['> a', '      b'],
      cursorRow: 0,
      cursorColumn: 3,
    });
  });

  it('counts wide characters as two cells', () => {
    expect(frameOf('> ', draftOf('漢字漢字漢'), room).rows).toEqual(['> 漢字漢字', '  漢']);
    expect([widthOf('漢字'), widthOf('e\u0301'), widthOf('👩‍👩‍👧'), widthOf('ab')]).toEqual([4, 1, 2, 2]);
  });

  it('shows only the rows around the cursor if there are too many', () => {
    const text = ['1', '2', '3', '4', '5'].join('\n');
    expect(frameOf('> ', { text, cursor: 2 }, { columns: 20, maxRows: 2 })).toMatchObject({
      rows: ['> 1', '  2'],
      cursorRow: 1,
    });
    expect(frameOf('> ', draftOf(text), { columns: 20, maxRows: 2 })).toMatchObject({
      rows: ['  4', '  5'],
      cursorRow: 1,
    });
  });

  it('is located after the terminal became narrower', () => {
    const frame = frameOf('> ', draftOf('12345678abcdefgh!'), room);
    expect(rowsAbove(frame, 11)).toBe(2);
    expect(rowsAbove(frame, 100)).toBe(2);
    expect(rowsAbove(frame, 6)).toBe(4);
  });
});

describe('a search on the screen', () => {
  const shown = (prompt: string, hit: string, query: string): string | undefined => {
    const from = hit.indexOf(query);
    const found = { line: hit, from, to: from + query.length };
    const { rows, cursorRow } = searchFrame(prompt, found, { columns: 21, maxRows: 10 }, (text) => text);
    expect([rows.length, cursorRow]).toEqual([1, 0]);
    expect(widthOf(rows[0] ?? '')).toBeLessThanOrEqual(20);
    return rows[0];
  };

  it('takes one row, which shows the search text', () => {
    expect(shown('search "a": ', 'short', 't')).toBe('search "a": short');
    expect(shown('search "a": ', 'a line that is long', 'a')).toBe('search "a": a line …');
    expect(shown('search "it": ', 'far behind it stands', 'it')).toBe('search "it": …it st…');
    expect(shown('search "words without end": ', 'words without end', 'words')).toBe('…ords without end": ');
  });
});

it('draws a draft of 400 kB as fast as a short one', () => {
  const room = { columns: 100, maxRows: 12 };
  const lines = Array.from({ length: 8_000 }, (_, line) => `line ${line} ${'x'.repeat(40)}`).join('\n');
  const cpuOf = (text: string): number => {
    const started = process.cpuUsage();
    for (let key = 0; key < 100; key++) frameOf('> ', { text, cursor: text.length - key }, room);
    const { user, system } = process.cpuUsage(started);
    return user + system;
  };
  cpuOf('x'.repeat(2_000));
  const short = cpuOf('x'.repeat(2_000));
  for (const text of [lines, lines.replaceAll('\n', ' ')]) expect(cpuOf(text)).toBeLessThan(20 * short);
});

it('draws the same rows around the cursor, however much text is above and below', () => {
  const room = { columns: 40, maxRows: 4 };
  const near = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
  const text = [
    ...Array.from({ length: 500 }, () => 'above'),
    ...near,
    ...Array.from({ length: 500 }, () => 'b'),
  ].join('\n');
  const cursor = text.indexOf('five');
  expect(frameOf('> ', { text, cursor }, room)).toEqual({
    rows: ['  two', '  three', '  four', '  five'],
    cursorRow: 3,
    cursorColumn: 2,
  });
});
