import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { widthOf } from '../width.ts';
import { styleFor } from '../style.ts';
import { Prose } from './prose.ts';

const painted = styleFor({ plain: false, env: {} });
const unpainted = styleFor({ plain: false, env: { NO_COLOR: '1' } });

const MARKS = new Map([
  ['\u001b[1m', '«'],
  ['\u001b[22m', '»'],
  ['\u001b[36m', '‹'],
  ['\u001b[39m', '›'],
]);

/** Returns the screen after a text that arrived in these pieces. Bold is shown as «…», code as ‹…›. */
function shown(pieces: readonly string[], columns: number, style = painted): string {
  const prose = new Prose(style, () => columns);
  const text = pieces.map((piece) => prose.add(piece)).join('') + prose.end();
  return [...MARKS].reduce((marked, [color, mark]) => marked.replaceAll(color, mark), text);
}

const rows = (text: string, columns: number): string[] => shown([text], columns).split('\n');

describe('the text of the model', () => {
  it('moves a word that does not fit to the next row', () => {
    expect(rows('one two three four', 9)).toEqual(['one two', 'three', 'four']);
    expect(rows('exactly nine', 7)).toEqual(['exactly', 'nine']);
    expect(rows('its own\nlines  stay\n\nas they are', 40)).toEqual([
      'its own',
      'lines  stay',
      '',
      'as they are',
    ]);
  });

  it('keeps a word that is longer than a row in one piece for copying', () => {
    const url = 'https://example.com/a/long/way/to/go';
    expect(rows(`see ${url} there`, 20)).toEqual(['see', url, 'there']);
    expect(rows(`see ${url} x`, 20)).toEqual(['see', `${url} x`]);
  });

  it('indents the rows of a list item, and repeats the sign of a quotation', () => {
    expect(rows('- one two three\n  10. four five six', 12)).toEqual([
      '- one two',
      '  three',
      '  10. four',
      '      five',
      '      six',
    ]);
    expect(rows('- a\n\t- one two', 12)).toEqual(['- a', '    - one', '      two']);
    expect(rows('> one two three', 10)).toEqual(['> one two', '> three']);
  });

  it('is measured in cells, and breaks scripts without spaces anywhere except before a full stop', () => {
    expect(rows('漢字漢字。漢字', 8)).toEqual(['漢字漢', '字。漢字']);
    expect(rows('漢字 😀😀 e\u0301e\u0301 x', 8)).toEqual(['漢字 😀', '😀 e\u0301e\u0301 x']);
  });

  it('reserves cells for emoji that some terminals draw wider', () => {
    expect(rows('one 👍🏽 two', 10)).toEqual(['one 👍🏽', 'two']);
    expect(rows('a 🇩🇪 flag', 10)).toEqual(['a 🇩🇪', 'flag']);
    expect(rows('👩‍👩‍👧👩‍👩‍👧 x', 10)).toEqual(['👩‍👩‍👧', '👩‍👩‍👧 x']);
  });

  it('is not wrapped in code and tables', () => {
    const text = [
      '```sh',
      'echo one two three **four** `five`',
      '',
      '- no list',
      '```',
      '| one two | three four |',
      '',
      '    indented code continues',
      '~~~~',
      '~~~ is not its end, it continues',
      '~~~~',
    ].join('\n');
    expect(shown([text], 10)).toBe(text);
  });

  it('is wrapped again after a list and after a code block', () => {
    expect(rows('- a\n\n    one two three', 12)).toEqual(['- a', '', '    one two', '    three']);
    expect(rows('```\nx\n```\none two', 5)).toEqual(['```', 'x', '```', 'one', 'two']);
  });
});

describe('bold, code and headings', () => {
  it.each([
    ['a **bold word** here', 'a «bold» «word» here'],
    ['run `npm test`, then', 'run ‹npm› ‹test›, then'],
    ['**`both` of them**!', '‹both› «of» «them»!'],
    ['``a ` b`` c', '‹a› ‹`› ‹b› c'],
    ['`` a`b `` and `` ` ``', '‹a`b› and ‹`›'],
    ['`  two  ` x', ' ‹two›  x'],
    ['**a ** b** c', '«a» «**» «b» c'],
    ['这是**粗体**文字', '这是«粗»«体»文字'],
    ['(**so**), **1.** x', '(«so»), «1.» x'],
    ['## A title\ntext', '«##» «A» «title»\ntext'],
  ])('are painted: %j', (text, expected) => {
    expect(shown([text], 80)).toBe(expected);
  });

  it.each([
    'two ** three ** four',
    '**not closed\nin its line**',
    'a ` alone',
    'f(*args, **kwargs)',
    '\\*\\*escaped\\*\\*',
    '* a list, and *emphasis*',
    '***',
    '2**10 and 3**4',
    'a**b**c',
    '**kwargs and *args, 2**10',
    'f(**a) and g(**b)',
    '(x+1)**2 and (y)**3',
    '#hashtag and C# code',
    '#',
    `**${'far '.repeat(80)}**`.trim(),
  ])('are not painted without a closing mark: %j', (text) => {
    expect(shown([text], 1_000)).toBe(text);
  });

  it('keep dim text dim', () => {
    const text = painted.paint('dim', 'I think **hard** about it');
    const prose = new Prose(painted, () => 80);
    expect(prose.add(text) + prose.end()).toBe(
      '\u001b[2mI think \u001b[1mhard\u001b[22m\u001b[2m about it\u001b[22m',
    );
    expect(prose.add('**bold** again') + prose.end()).toBe('\u001b[1mbold\u001b[22m again');
  });

  it('keep their marks without colors', () => {
    const text = '# a **bold** `word`';
    expect(shown([text], 80, unpainted)).toBe(text);
  });
});

describe('a streaming text', () => {
  const text = [
    '# Title of it',
    'Some **bold words** and `code with spaces` and **unclosed, 2 ** 3, *x* \\* y.',
    'So 2**10, **kwargs, a**b**c and **bold**, `` a`b `` too.',
    '- item one with words 漢字漢字漢字。漢字「漢字」 👩‍👩‍👧 e\u0301',
    '  1) nested https://example.com/very/long/path/without/any/space/in/it and on',
    '```',
    'code  **stays**   ',
    '```',
    '| a | b |',
    '> quoted `text` that continues a lot ',
    '',
    '**',
  ].join('\n');

  it.each([1, 2, 3, 5, 7, 11, 64])('looks the same in pieces of %i characters', (size) => {
    const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? [];
    for (const columns of [12, 20, 40, 80])
      for (const style of [painted, unpainted])
        expect(shown(pieces, columns, style)).toBe(shown([text], columns, style));
  });

  it('loses only marks and spaces, and adds only spaces', () => {
    const bare = (all: string): string => all.replaceAll(/[\s*`>]/g, '');
    for (const columns of [1, 2, 12, 80])
      expect(bare(stripVTControlCharacters(shown([text], columns))).replaceAll(/[«»‹›]/g, '')).toBe(
        bare(text),
      );
  });

  it('is shown word by word, and never holds back more than a row or a span', () => {
    const prose = new Prose(painted, () => 20);
    expect(prose.add('two wor')).toBe('two');
    expect(prose.add('ds ')).toBe(' words');
    expect(prose.add('x'.repeat(30))).toBe(`\n${'x'.repeat(30)}`);
    expect(prose.add(`yy **b ${'c '.repeat(150)}`)).toContain('yy **b c c');
  });

  it('takes no more time in one piece', () => {
    const long = `${'x'.repeat(200_000)} ${'word '.repeat(50_000)}`;
    expect(shown([long], 80).length).toBeGreaterThan(400_000);
  });

  it('uses a new width from the next word on', () => {
    let columns = 20;
    const prose = new Prose(painted, () => columns);
    const first = prose.add('one two three four five ');
    columns = 10;
    const all = first + prose.add('six seven eight nine ') + prose.end();
    expect(all).toBe('one two three four\nfive six\nseven\neight nine');
  });

  it('continues in a new row, in the same list or code block, after other output', () => {
    const prose = new Prose(painted, () => 20);
    prose.add('- one two ');
    prose.tearOff();
    expect(prose.add('three four five ')).toBe('  three four five');
    prose.add('\n```\nlet a =');
    prose.tearOff();
    expect(prose.add(' 1; // a comment that is long\n```\n')).toBe(' 1; // a comment that is long\n```\n');
  });

  it('fits into a terminal of any width', () => {
    for (const columns of [10, 13, 21, 34]) {
      const words = 'these are only words of less than eight letters each - 漢字 and so on';
      for (const row of shown([`- ${words}\n> ${words}`], columns).split('\n'))
        expect(widthOf(row)).toBeLessThanOrEqual(columns);
    }
  });
});
