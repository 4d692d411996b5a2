import { describe, expect, it } from 'vitest';
import { aboveAllowance, lowerAllowance, proseInCode, proseInDocument } from './prose.ts';
import { type Finding, parse } from './source.ts';

const rulesInCode = (text: string) =>
  proseInCode(parse({ path: 'packages/core/src/sample.ts', text })).map(({ rule }) => rule);
const rulesInDocument = (text: string) =>
  proseInDocument({ path: 'README.md', text }).map(({ rule }) => rule);

describe('the prose rules', () => {
  it.each([
    ['// What the caller wants.', 'prose-opener'],
    ['/** Reads a file. Where there is none, returns undefined. */', 'prose-opener'],
    ['/**\n * Who may call this function.\n */', 'prose-opener'],
    ['// The answer goes to whoever asked.', 'prose-actor'],
    ['throw new Error("The input is no text.");', 'prose-is-no'],
    ['it("asks at the door", () => {});', 'prose-metaphor'],
    ['const text = `The file ${name} was mended.`;', 'prose-verb'],
    ['// The loop continues with normalised input.', 'american-spelling'],
  ])('reject %s', (text, rule) => expect(rulesInCode(text)).toEqual([rule]));

  it.each([
    '// The driver yields the intent before it starts the call.',
    '// What if the file is gone? The caller gets undefined.',
    '// Stores the field `stance` of the entry.',
    '// The file is no longer there.',
    'const entry = { type: "stance" };',
    'const doors = 1;',
    'import { a } from "./kitchen.ts"; export * from "./kitchen.ts"; await import("./kitchen.ts");',
  ])('accept %s', (text) => expect(rulesInCode(text)).toEqual([]));

  it('check a document outside of its code', () => {
    expect(rulesInDocument('Nobody reads `the door`.\n\n```\nthe door\n```\n')).toEqual([
      'prose-opener',
      'prose-actor',
    ]);
  });

  it('reject the name of a file once', () => {
    expect(proseInCode(parse({ path: 'src/kitchen.ts', text: 'const a = 1;' }))).toMatchObject([
      { path: 'src/kitchen.ts', line: 1, rule: 'prose-metaphor' },
    ]);
  });

  it('report the line of the word', () => {
    const [found] = proseInDocument({ path: 'README.md', text: 'One.\n\nTwo at the door.\n' });
    expect(found).toMatchObject({ path: 'README.md', line: 3, rule: 'prose-metaphor' });
  });
});

describe('the prose allowance', () => {
  const at = (path: string): Finding => ({ path, line: 1, rule: 'prose-verb', advice: '' });
  const found = [at('a/x.ts'), at('a/b/x.ts'), at('a/b/y.ts'), at('c.md')];

  it('reports a path that has more findings than allowed', () => {
    expect(aboveAllowance(found, { 'a/': 1, 'a/b/': 1, 'c.md': 1 })).toEqual([found[1], found[2]]);
  });

  it('reports every finding of a path that is not listed', () => {
    expect(aboveAllowance(found, { 'a/': 3 })).toEqual([found[3]]);
  });

  it('shrinks to the present count and loses clean paths', () => {
    expect(lowerAllowance(found, { 'a/': 9, 'a/b/': 1, 'd/': 4 })).toEqual({ 'a/': 1, 'a/b/': 1 });
  });
});
