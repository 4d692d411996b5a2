import { cpuMsOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { applyEdits, type EditStep } from './apply.ts';

type Case = readonly [what: string, text: string, oldText: string, newText: string, result: string | RegExp];

function apply(text: string, ...edits: readonly EditStep[]): string {
  const applied = applyEdits(text, edits);
  return applied.ok ? applied.text : `refused: ${applied.message}`;
}

function check(result: string, expected: string | RegExp): void {
  if (typeof expected === 'string') expect(result).toBe(expected);
  else expect(result).toMatch(new RegExp(`refused: [^]*${expected.source}`, expected.flags));
}

const matching: readonly Case[] = [
  ['a word', 'one two three', 'two', 'TWO', 'one TWO three'],
  ['the beginning', 'one two', 'one', '1', '1 two'],
  ['the end', 'one two', 'two', '2', 'one 2'],
  ['the whole text', 'one', 'one', 'two', 'two'],
  ['a line', 'a\nb\nc\n', 'b\n', 'B\n', 'a\nB\nc\n'],
  ['several lines', 'a\nb\nc\n', 'a\nb', 'x\ny\nz', 'x\ny\nz\nc\n'],
  ['a deletion', 'a\nb\nc\n', 'b\n', '', 'a\nc\n'],
  ['an insertion', 'a\nc\n', 'a\n', 'a\nb\n', 'a\nb\nc\n'],
  ['indentation', '  if (x) {\n    y();\n  }\n', '    y();', '    z();', '  if (x) {\n    z();\n  }\n'],
  ['tabs', '\tx\n', '\tx', '\t\tx', '\t\tx\n'],
  ['trailing spaces that are meant', 'a  \nb', 'a  \n', 'a\n', 'a\nb'],
  ['signs of regular expressions', 'a.*b(c)[d]', '.*b(c)', '+', 'a+[d]'],
  ['a backslash', 'a\\b', 'a\\b', 'a\\\\b', 'a\\\\b'],
  ['an emoji', 'a 😀 b', '😀', '😎', 'a 😎 b'],
  ['half of two emojis that share a surrogate', 'x😀y', 'x😀', 'x😁', 'x😁y'],
  ['a joined emoji', '👩‍👩‍👧 x', 'x', 'y', '👩‍👩‍👧 y'],
  ['an empty file', '', '', 'new\n', 'new\n'],
  ['a NUL-free control', 'a\u0007b', '\u0007', '', 'ab'],
];

const dollars: readonly Case[] = [
  ['$&', 'price', 'price', '$&', '$&'],
  ['$1', 'price', 'price', '$1', '$1'],
  ['$$', 'price', 'price', '$$', '$$'],
  ["$'", 'a price b', 'price', "$'", "a $' b"],
  ['$`', 'a price b', 'price', '$`', 'a $` b'],
  ['$<name>', 'price', 'price', '$<name>', '$<name>'],
  ['${HOME}', 'x=$HOME', '$HOME', '${HOME}', 'x=${HOME}'],
  ['\\n as two characters', 'a', 'a', '\\n', '\\n'],
];

const lineEndings: readonly Case[] = [
  ['CRLF matched by LF', 'a\r\nb\r\nc\r\n', 'a\nb', 'x\ny', 'x\r\ny\r\nc\r\n'],
  ['CRLF matched by CRLF', 'a\r\nb\r\n', 'a\r\nb', 'x\r\ny', 'x\r\ny\r\n'],
  ['lines added to CRLF', 'a\r\nb\r\n', 'a\n', 'a\nn\n', 'a\r\nn\r\nb\r\n'],
  ['lines added inside a line of CRLF', 'a b\r\nc\r\n', 'a b', 'a\nb', 'a\r\nb\r\nc\r\n'],
  ['a line taken from CRLF', 'a\r\nb\r\nc', 'b\n', '', 'a\r\nc'],
  ['CRLF in the new text of an LF file', 'a\nb\n', 'a\nb', 'x\r\ny', 'x\ny\n'],
  ['mixed endings, unchanged lines', 'a\r\nb\nc\r\nd\n', 'a\nb\nc', 'a\nB\nc', 'a\r\nB\nc\r\nd\n'],
  ['mixed endings, most CRLF', 'a\r\nb\r\nc\nx', 'x', 'x\ny', 'a\r\nb\r\nc\nx\r\ny'],
  ['mixed endings, most LF', 'a\nb\nc\r\nx', 'x', 'x\ny', 'a\nb\nc\r\nx\ny'],
  ['a lone carriage return', 'a\rb\n', 'a\rb', 'a b', 'a b\n'],
  ['CRLF at the very start', '\r\na', '\na', '\nb', '\r\nb'],
  ['no final newline stays so', 'a\nb', 'b', 'c', 'a\nc'],
  ['no final newline in CRLF', 'a\r\nb', 'b', 'c\nd', 'a\r\nc\r\nd'],
  ['one line without ending', 'a', 'a', 'b\nc', 'b\nc'],
];

const unicode: readonly Case[] = [
  ['NFC in NFC', 'caf\u00e9', 'caf\u00e9', 'tea', 'tea'],
  ['NFD in NFD', 'cafe\u0301', 'cafe\u0301', 'tea', 'tea'],
  ['NFC finds NFD', 'a cafe\u0301 b', 'caf\u00e9 b', 'caf\u00e9 c', 'a cafe\u0301 c'],
  ['NFD finds NFC', 'a caf\u00e9 b', 'cafe\u0301 b', 'cafe\u0301 c', 'a caf\u00e9 c'],
  ['NFC finds NFD, changed character', 'cafe\u0301', 'caf\u00e9', 'caf\u00e8', 'caf\u00e8'],
  ['a base letter is not half a character', 'e\u0301', 'e\u0300', 'x', /was not found/],
  ['exact before folded', 'caf\u00e9 cafe\u0301', 'caf\u00e9', 'tea', 'tea cafe\u0301'],
  ['Hangul syllables', '\u1112\u1161\u11ab x', '\ud55c x', '\ud55c y', '\u1112\u1161\u11ab y'],
  ['two marks in another order', 'a\u0323\u0307 x', 'a\u0307\u0323 x', 'a\u0307\u0323 y', 'a\u0323\u0307 y'],
  ['full width is not half width', '\uff21\uff22', 'AB', 'B', /typographic/],
  ['half a character in the new text', 'a', 'a', '\ud83d', /half a character/],
];

const quotes: readonly Case[] = [
  ['double', '“hi” x', '"hi" x', '"hi" y', '“hi” y'],
  ['double, changed inside', 'say “hi” now', 'say "hi" now', 'say "bye" now', 'say “bye” now'],
  ['double, new ones too', 'say “hi”', 'say "hi"', 'say "hi" and "bye"', 'say “hi” and “bye”'],
  ['an apostrophe', 'don’t go', "don't go", "don't stay", 'don’t stay'],
  ['an apostrophe in changed text', 'it’s so', "it's so", "isn't it", 'isn’t it'],
  ['single, opening', 'say ‘hi’', "say 'hi'", "tell 'ho'", 'tell ‘ho’'],
  ['one kind only', 'say “hi”', 'say "hi"', "say 'hi'", "say 'hi'"],
  ['straight ones stay straight', 'say "hi" “x”', 'say "hi"', 'say "ho"', 'say "ho" “x”'],
  ['ambiguous when folded', '“a” „a“', '"a"', '"b"', /occurs 2 times/],
  ['in CRLF', '“a”\r\nb\r\n', '"a"\nb', '"a"\nc', '“a”\r\nc\r\n'],
];

const uniqueness: readonly Case[] = [
  ['two of them', 'a b a', 'a', 'c', /occurs 2 times, on line 1\./],
  ['on several lines', 'x\ny\nx\nx\n', 'x', 'z', /occurs 3 times, on lines 1, 3, 4\./],
  ['overlapping', 'aaa', 'aa', 'b', /occurs 2 times/],
  ['many on one line', 'a'.repeat(50), 'a', 'b', /occurs 50 times, on line 1\./],
  ['many lines', 'a\n'.repeat(50), 'a', 'b', /occurs 50 times, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …/],
  ['unique by its context', 'a b a c', 'a c', 'a d', 'a b a d'],
  ['the same text', 'a', 'a', 'a', /are the same/],
  ['nothing in a full file', 'a', '', 'b', /old_string is empty, but the file is not/],
  ['the same but for line endings', 'a\r\nb', 'a\r\nb', 'a\nb', /differ only in what the file keeps/],
];

const nearMisses: readonly Case[] = [
  [
    'trailing whitespace in the file',
    'a  \nb\n',
    'a\nb',
    'x',
    /Line 1 differs .* trailing whitespace[^]*1\ta··/,
  ],
  ['trailing whitespace in the call', 'a\nb\n', 'a  \nb', 'x', /trailing whitespace/],
  ['a trailing tab', 'foo();\t\nbar();\n', 'foo();\nbar();', 'x', /trailing whitespace[^]*foo\(\);→/],
  [
    'tabs for spaces',
    'if x:\n\tif y:\n\t\treturn\n',
    'if x:\n    if y:\n      return',
    'x',
    /Line 1 .*tabs and spaces[^]*3\t→→return/,
  ],
  ['spaces for tabs', 'a {\n    b;\n}\n', 'a {\n\tb;\n}', 'x', /tabs and spaces/],
  ['another indentation', 'f:\n    a()\n      b()\n', '  a()\n  b()', 'x', /Line 2 .*the indentation/],
  ['spaces inside', 'const  x = 1;', 'const x = 1;', 'x', /only in whitespace/],
  ['upper case', 'const Total = 1;', 'const total = 1;', 'x', /upper and lower case/],
  ['a long dash', 'a — b', 'a - b', 'x', /typographic characters/],
  ['dots', 'wait… now', 'wait... now', 'x', /typographic characters/],
  ['a no-break space', 'a\u00a0b', 'a b', 'x', /typographic characters/],
  ['a zero-width space', 'foo\u200bbar', 'foobar', 'x', /invisible characters \(U\+200B in the file\)/],
  ['line numbers', 'one\ntwo\n', '     1\tone\n     2\ttwo', 'x', /contains the line numbers .* line 1/],
  ['escapes', 'a\nb\n', 'a\\nb', 'x', /backslash escapes[^]*line 1/],
  ['escaped quotes', 'say "hi"', 'say \\"hi\\"', 'x', /backslash escapes/],
  [
    'a final newline that is not there',
    'a\nlast',
    'last\n',
    'x',
    /ends with a line break where the file ends/,
  ],
  ['a semicolon', 'let a = 1\nlet b = 2\n', 'let a = 1;\nlet b = 2;', 'x', /whitespace and punctuation/],
  [
    'an edit that was made already',
    'const answer = 42;',
    'let q = 1;',
    'const answer = 42;',
    /was this edit made already/,
  ],
  [
    'a word changed',
    'a\nfunction sum(a, b) {\n',
    'function sun(a, b) {',
    'x',
    /nearest place:\n +2\tfunction sum/,
  ],
  [
    'several alike',
    'item one\nitem two\nzzz\nitem six\n',
    'item ten',
    'x',
    /nearest places:\n( +[124]\titem .*\n?){3}/,
  ],
  ['nothing alike', 'abc\n', 'xyzxyz', 'q', /Nothing in the file resembles it/],
  ['an empty file', '', 'a', 'b', /The file is empty/],
  ['CRLF named as what it is: no difference', 'a  \r\nb\r\n', 'a\nb', 'x', /trailing whitespace/],
  ['the first of several places', 'a  b\na  b\n', 'a b', 'x', /Line 1 \(among other places\)/],
];

describe.each([
  ['matching', matching],
  ['dollar signs are literal', dollars],
  ['line endings', lineEndings],
  ['unicode forms', unicode],
  ['typographic quotes', quotes],
  ['uniqueness', uniqueness],
  ['near misses', nearMisses],
])('%s', (_group, cases) => {
  it.each(cases)('%s', (_what, text, oldText, newText, result) => {
    check(apply(text, { old_string: oldText, new_string: newText }), result);
  });
});

describe('replace_all', () => {
  const all = (text: string, oldText: string, newText: string): string =>
    apply(text, { old_string: oldText, new_string: newText, replace_all: true });

  it.each([
    ['every one', 'a b a', 'a', 'c', 'c b c'],
    ['just one', 'a b', 'a', 'c', 'c b'],
    ['overlapping from the left', 'aaaa', 'aa', 'b', 'bb'],
    ['an odd number', 'aaa', 'aa', 'b', 'ba'],
    ['what contains itself', 'a a', 'a', 'aa', 'aa aa'],
    ['dollars', 'x x', 'x', '$&', '$& $&'],
    ['over CRLF', 'a\r\nb\r\na\r\nb', 'a\nb', 'c', 'c\r\nc'],
    ['each with its own line ending', 'a\r\nb\na\nb', 'a\nb', 'a\nx\nb', 'a\r\nx\r\nb\na\nx\nb'],
    ['deletion', 'x-y-z', '-', '', 'xyz'],
    ['folded quotes', '“a” “a”', '"a"', '"b"', '“b” “b”'],
  ])('%s', (_what, text, oldText, newText, result) => {
    expect(all(text, oldText, newText)).toBe(result);
  });

  it('still needs one', () => {
    expect(all('abc', 'zzzz', 'y')).toMatch(/was not found/);
  });
});

describe('several edits in one call', () => {
  it('apply in order, each on the result of the one before', () => {
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'b c', new_string: 'd' },
    ];
    expect(apply('a c', ...edits)).toBe('d');
  });

  it('apply all or none, and the error names the failing one', () => {
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'zzzz', new_string: 'd' },
    ];
    expect(apply('a c', ...edits)).toMatch(
      /^refused: Edit 2 of 2: old_string was not found.*None of the edits/,
    );
  });

  it('are rejected when together they change nothing', () => {
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'b', new_string: 'a' },
    ];
    expect(apply('a', ...edits)).toMatch(/change nothing/);
  });

  it('may fill an empty file and continue from there', () => {
    const edits = [
      { old_string: '', new_string: 'a' },
      { old_string: 'a', new_string: 'b' },
    ];
    expect(apply('', ...edits)).toBe('b');
  });
});

it('finds the nearest place in a large text without delay', async () => {
  const text = Array.from({ length: 20_000 }, (_, line) => `const value${line} = ${line};`).join('\n');
  const cpuMs = await cpuMsOf(() =>
    expect(apply(text, { old_string: 'const value99999 = 12;', new_string: 'x' })).toMatch(/nearest place/),
  );
  expect(cpuMs).toBeLessThan(3_000);
});

it('replaces every occurrence in a large text without delay, and names the lines', async () => {
  const text = 'one two\r\n'.repeat(50_000);
  const cpuMs = await cpuMsOf(() => {
    const applied = applyEdits(text, [{ old_string: 'two', new_string: '2\n', replace_all: true }]);
    expect(applied).toMatchObject({ ok: true, text: 'one 2\r\n\r\n'.repeat(50_000) });
    if (applied.ok) expect(applied.steps[0]?.lines.slice(-2)).toEqual([49_999, 50_000]);
  });
  expect(cpuMs).toBeLessThan(3_000);
});
