import { describe, expect, it } from 'vitest';
import { draftOf } from './editor.ts';
import { frameOf, rowsAbove } from './frame.ts';
import { wholeLines, wholeWords } from './words.ts';
import { widthOf } from '../../terminal/width.ts';

const room = { columns: 11, maxRows: 10 };

describe('a draft on the screen', () => {
  it('is broken into rows that leave the last column free, indented below the prompt', () => {
    expect(frameOf('> ', draftOf('12345678abcdefgh!'), room)).toEqual({
      rows: ['> 12345678', '  abcdefgh', '  !'],
      cursorRow: 2,
      cursorColumn: 3,
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

  it('shows the rows around the cursor where there are too many', () => {
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

  it('is found again after the terminal became narrower', () => {
    const frame = frameOf('> ', draftOf('12345678abcdefgh!'), room);
    expect(rowsAbove(frame, 11)).toBe(2);
    expect(rowsAbove(frame, 100)).toBe(2);
    expect(rowsAbove(frame, 6)).toBe(4);
  });
});

describe('a text that is still coming', () => {
  it('is shown up to its last whole word', () => {
    expect(wholeWords('two wor')).toEqual({ now: 'two ', later: 'wor' });
    expect(wholeWords('a line\n')).toEqual({ now: 'a line\n', later: '' });
    const path = '/a/very/long/path/'.repeat(4);
    expect(wholeWords(path)).toEqual({ now: path, later: '' });
    // The time that this takes must not grow with the square of its length.
    const long = `${'x'.repeat(1_000_000)} `;
    expect(wholeWords(long)).toEqual({ now: long, later: '' });
  });

  it('is shown in whole lines while something is being typed below it', () => {
    expect(wholeLines('one\ntwo', 20)).toEqual({ now: 'one\n', later: 'two' });
    expect(wholeLines('a long line that goes on and on', 12)).toEqual({
      now: 'a long line\nthat goes on\n',
      later: 'and on',
    });
    // Without a single space, too: nothing is held back but the last row.
    const solid = wholeLines('x'.repeat(100_000), 80);
    expect(solid.later.length).toBeLessThan(80);
    expect(solid.now.replaceAll('\n', '') + solid.later).toBe('x'.repeat(100_000));
    expect(wholeLines('😀'.repeat(50), 7).now).toMatch(/^(😀+\n)+$/u);
  });
});
