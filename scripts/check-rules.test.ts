import { describe, expect, it } from 'vitest';
import { noSilencedErrors, noSwitchedOffTests, noTypeEscapes } from './rules/escapes.ts';
import { folderOrder, noCircles } from './rules/folder-layers.ts';
import { importDirection } from './rules/package-layers.ts';
import { coreCompilesAlone, corePurity, isPureSource } from './rules/purity.ts';
import { shortFunctions } from './rules/short-functions.ts';
import { noSmallFiles } from './rules/small-files.ts';
import { type Finding, parse, type Source } from './rules/source.ts';
import { noMachinePaths, noRegistryHosts, shortFiles } from './rules/text.ts';

const inFile = (text: string, path = 'packages/core/src/sample.ts') => ({ path, text });
const rulesIn = (rule: (source: Source) => Finding[], text: string, path?: string) =>
  rule(parse(inFile(text, path))).map((found) => found.rule);

describe('a finding', () => {
  it('names file, line, rule and what to do', () => {
    const findings = noTypeEscapes(parse(inFile('const a = 1;\n\nlet b: any;\n')));
    expect(findings).toEqual([
      {
        path: 'packages/core/src/sample.ts',
        line: 3,
        rule: 'no-any',
        advice: 'use `unknown` and narrow it, or a schema',
      },
    ]);
  });

  it('cannot be hidden by a file that does not parse', () => {
    expect(() => parse(inFile('const ='))).toThrow(SyntaxError);
  });
});

describe('escapes from the type checker', () => {
  it.each([
    ['let a: any;', 'no-any'],
    ['const a = b as any[];', 'no-any'],
    ['const a = b!;', 'no-non-null'],
    ['let a!: string;', 'no-non-null'],
    ['class A { a!: string }', 'no-non-null'],
  ])('finds %s', (text, rule) => expect(rulesIn(noTypeEscapes, text)).toEqual([rule]));

  it.each(['const any = "any";', '// any will do', 'const a = !b;', 'const a = b !== c;'])(
    'leaves %s',
    (text) => expect(rulesIn(noTypeEscapes, text)).toEqual([]),
  );

  it.each(['// @ts-ignore because', '/* @ts-nocheck */', '// @ts-expect-error', '// oxlint-disable no-any'])(
    'finds %s',
    (text) => expect(rulesIn(noSilencedErrors, text)).toEqual(['no-silenced-errors']),
  );

  it.each([
    '// @ts-expect-error -- the third argument is missing on purpose',
    '// oxlint-disable-next-line no-any -- the library declares it so',
    '// we never write @ts-ignore here',
    'const a = "// @ts-ignore";',
  ])('leaves %s', (text) => expect(rulesIn(noSilencedErrors, text)).toEqual([]));
});

describe('tests that do not run', () => {
  it.each([
    'it.only("a", () => {});',
    'describe.concurrent.skip("a", () => {});',
    'test.todo("a");',
    'it.skip.each([1])("a", () => {});',
    'it("a", { skip: true }, () => {});',
  ])('finds %s', (text) => expect(rulesIn(noSwitchedOffTests, text)).toEqual(['no-switched-off-tests']));

  it.each(['it("only", () => {});', 'list.skip(1);', 'it.each([1])("a", () => {});', '// it.only("a")'])(
    'leaves %s',
    (text) => expect(rulesIn(noSwitchedOffTests, text)).toEqual([]),
  );
});

describe('imports between packages', () => {
  const advice = (path: string, text: string) =>
    importDirection(parse(inFile(text, path)), () => ['.', './face']).map((found) => found.advice);

  it.each([
    ['packages/core/src/a.ts', 'import { a } from "@heddle/models";', 'no other package'],
    ['packages/core/src/a.ts', 'import fs from "node:fs";', 'nothing but zod'],
    ['packages/core/src/a.ts', 'import { a } from "@heddle/context";', 'no other package'],
    ['packages/context/src/a.ts', 'import { a } from "@heddle/models";', 'context may import core'],
    ['packages/context/src/a.ts', 'import { z } from "zod";', 'nothing but core'],
    ['packages/core/src/a.ts', 'import { a } from "@heddle/testing";', 'no other package'],
    ['packages/tools/src/a.ts', 'import type { A } from "@heddle/agent";', 'tools may import core'],
    ['packages/tools/src/a.ts', 'export * from "heddle";', 'tools may import core'],
    ['packages/models/src/a.ts', 'const a = await import("@heddle/tools");', 'models may import core'],
    ['packages/models/src/a.ts', 'type A = import("@heddle/tools").A;', 'models may import core'],
    ['packages/cli/src/a.ts', 'import { a } from "@heddle/core/src/loop.ts";', 'not in the exports'],
    ['packages/cli/src/a.ts', 'import { a } from "../../core/src/loop.ts";', 'by the name of its package'],
    ['scripts/a.ts', 'import { a } from "../packages/core/src/loop.ts";', 'by the name of its package'],
  ])('refuses in %s: %s', (path, text, expected) => {
    expect(advice(path, text)).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    ['packages/core/src/a.ts', 'import { z } from "zod"; export * from "./b.ts";'],
    ['packages/core/src/a.test.ts', 'import fs from "node:fs"; import { a } from "@heddle/testing";'],
    ['packages/agent/src/a.ts', 'import { a } from "@heddle/core"; import { b } from "@heddle/core/face";'],
    ['packages/cli/src/a.ts', 'import manifest from "../package.json" with { type: "json" };'],
    ['packages/cli/src/a.ts', '// import "../../core/src/loop.ts"'],
    ['scripts/a.ts', 'import { a } from "@heddle/core";'],
    ['scripts/a.ts', 'import manifest from "../packages/core/package.json" with { type: "json" };'],
  ])('allows in %s: %s', (path, text) => expect(advice(path, text)).toEqual([]));
});

describe('imports between the folders of a package', () => {
  it.each([
    [
      'packages/core/src/messages/a.ts',
      'import type { A } from "../model/b.ts";',
      'messages comes before model',
    ],
    ['packages/core/src/context/a.ts', 'import { a } from "../loop/b.ts";', 'context comes before loop'],
    ['packages/core/src/clock.ts', 'import { a } from "./machine/b.ts";', 'clock.ts comes before machine'],
    ['packages/core/src/loop/a.ts', 'import { a } from "../index.ts";', 'loop comes before index.ts'],
    ['packages/core/src/loop/a.ts', 'import { a } from "../attic/b.ts";', 'loop comes before attic'],
    [
      'packages/testing/src/scripted/a.ts',
      'export * from "../explorer/b.ts";',
      'scripted comes before explorer',
    ],
    ['packages/cli/src/headless/a.ts', 'import { a } from "../conversation/b.ts";', 'are siblings'],
    [
      'packages/cli/src/conversation/turn/a.ts',
      'import type { A } from "../../headless/b.ts";',
      'are siblings',
    ],
  ])('refuses in %s: %s', (path, text, expected) => {
    expect(folderOrder(parse(inFile(text, path))).map((found) => found.advice)).toEqual([
      expect.stringContaining(expected),
    ]);
  });

  it.each([
    [
      'packages/core/src/loop/a.ts',
      'import { a } from "../messages/b.ts"; import { c } from "./effects/c.ts";',
    ],
    ['packages/core/src/messages/a.ts', 'import type { Json } from "../json.ts";'],
    ['packages/core/src/index.ts', 'export * from "./loop/query.ts";'],
    ['packages/core/src/messages/a.test.ts', 'import { a } from "../loop/b.ts";'],
    ['packages/agent/src/session/a.ts', 'import { a } from "../engine/b.ts";'],
  ])('allows in %s: %s', (path, text) => expect(folderOrder(parse(inFile(text, path)))).toEqual([]));
});

describe('circles', () => {
  const files = (texts: Readonly<Record<string, string>>) =>
    Object.entries(texts).map(([name, text]) => parse(inFile(text, `packages/agent/src/${name}`)));
  const advice = (texts: Readonly<Record<string, string>>, known = {}) =>
    noCircles(files(texts), known).map((found) => found.advice);

  it('reports a circle of files, imports of types and dynamic imports included', () => {
    expect(
      advice({
        'one/a.ts': 'import type { B } from "./b.ts";',
        'one/b.ts': 'const c = () => import("./c.ts");',
        'one/c.ts': 'export * from "./a.ts";',
        'one/d.ts': 'import "./a.ts";',
      }),
    ).toEqual([
      'a circle of files: packages/agent/src/one/a.ts, packages/agent/src/one/b.ts, packages/agent/src/one/c.ts',
    ]);
  });

  it('reports a circle of folders whose files form none', () => {
    expect(
      advice({
        'one/a.ts': 'import "../two/a.ts";',
        'one/b.ts': '',
        'two/a.ts': '',
        'two/b.ts': 'import "../one/b.ts";',
      }),
    ).toEqual(['a circle of folders: packages/agent/src/one, packages/agent/src/two']);
  });

  it('ignores tests, and files beside the folders that lie at both ends', () => {
    expect(
      advice({
        'one/a.ts': 'import "../low.ts";',
        'one/a.test.ts': 'import "../two/a.ts";',
        'two/a.ts': 'import "../one/a.ts";',
        'low.ts': '',
        'index.ts': 'export * from "./two/a.ts";',
      }),
    ).toEqual([]);
  });

  it('accepts the known number of circles below a path, and no other number', () => {
    const circle = { 'one/a.ts': 'import "./b.ts";', 'one/b.ts': 'import "./a.ts";' };
    expect(advice(circle, { 'packages/agent/src/one/': 1 })).toEqual([]);
    expect(advice(circle, { 'packages/agent/src/one/': 2 })).toEqual([
      expect.stringContaining('has 1 circles of files, KNOWN_CIRCLES says 2'),
    ]);
  });
});

describe('purity of the core', () => {
  it.each([
    'const a = Date.now();',
    'type A = { at: Date };',
    'const a = Math.random();',
    'const a = Math["random"]();',
    'const { random } = Math;',
    'setTimeout(f, 1);',
    'setInterval(f, 1);',
    'setImmediate(f);',
    'queueMicrotask(f);',
    'const a = crypto.randomUUID();',
    'console.log(1);',
    'const a = process.env;',
    'const a = Buffer.from("a");',
    'const a = fetch("a");',
    'const a = globalThis["Date"];',
    'declare const process: unknown;',
    '/// <reference types="node" />',
  ])('refuses %s', (text) => expect(rulesIn(corePurity, text)).toEqual(['core-purity']));

  it.each([
    'const a = Math.max(1, 2);',
    'const a = ports.fetch("a");',
    'interface A { fetch(): void; process: string }',
    'const a = { Date: 1, console() {} };',
    'const a = "Date"; // Date.now()',
  ])('allows %s', (text) => expect(rulesIn(corePurity, text)).toEqual([]));

  it('concerns its sources, not its tests', () => {
    expect(isPureSource('packages/core/src/loop/driver.ts')).toBe(true);
    expect(isPureSource('packages/core/src/loop/driver.test.ts')).toBe(false);
    expect(isPureSource('packages/core/src/loop/test/scripts.ts')).toBe(false);
    expect(isPureSource('packages/context/src/pipeline.ts')).toBe(true);
    expect(isPureSource('packages/tools/src/bash.ts')).toBe(false);
  });

  it.each([
    ['{ "compilerOptions": { "types": ["node"], "lib": ["ES2024"] } }', 'types'],
    ['{ "compilerOptions": { "lib": ["ES2024"] } }', 'types'],
    ['{ "compilerOptions": { "types": [], "lib": ["ES2024", "DOM"] } }', 'lib'],
    ['{ "compilerOptions": { "types": [] } }', 'lib'],
  ])('refuses the compiler settings %s', (text, setting) => {
    expect(coreCompilesAlone(inFile(text)).map((found) => found.advice)).toEqual([
      expect.stringContaining(`compilerOptions.${setting}`),
    ]);
  });

  it('accepts compiler settings without surroundings', () => {
    expect(coreCompilesAlone(inFile('{ "compilerOptions": { "types": [], "lib": ["ES2024"] } }'))).toEqual(
      [],
    );
  });
});

describe('texts', () => {
  it('refuses a source of more than 500 lines', () => {
    expect(shortFiles(inFile('a;\n'.repeat(501)))).toHaveLength(1);
    expect(shortFiles(inFile('a;\n'.repeat(500)))).toEqual([]);
    expect(shortFiles(inFile('a\n'.repeat(501), 'CHANGELOG.md'))).toEqual([]);
  });

  // Put together here, so that this file itself keeps the rule.
  const absolute = (...parts: string[]) => `see "${['', ...parts].join('/')}"`;

  it.each([
    absolute('home', 'someone'),
    absolute('Users', 'someone'),
    absolute('work', 'main'),
    absolute('root', '.config'),
    ['C:', 'Users', 'someone'].join('\\'),
    `file://${['', 'home', 'someone'].join('/')}`,
  ])('refuses the machine path %s', (text) => expect(noMachinePaths(inFile(text))).toHaveLength(1));

  const allowed = [
    ['~', 'work', 'a'],
    ['.', 'home', 'a'],
    ['${dir}', 'work', 'a'],
    ['https:', '', 'example.org', 'home', 'a'],
    ['', 'tmp', 'a'],
    ['**', 'work', '**'],
  ].map((parts) => parts.join('/'));
  it.each(allowed)('allows the path %s', (text) => expect(noMachinePaths(inFile(text))).toEqual([]));

  it('refuses a registry host in lockfile and settings', () => {
    const locked = '"resolved": "https://registry.example.org/zod.tgz"';
    expect(noRegistryHosts(inFile(locked, 'package-lock.json'))).toHaveLength(1);
    expect(noRegistryHosts(inFile('registry=https://example.org', '.npmrc'))).toHaveLength(1);
    expect(noRegistryHosts(inFile('"resolved": "packages/core"', 'package-lock.json'))).toEqual([]);
  });
});

describe('small files with one importer', () => {
  const importing = 'import { a } from "./small.ts";\n';
  const longer = (lines: number): string => `${importing}${'export {};\n'.repeat(lines)}`;
  const found = (
    texts: Readonly<Record<string, string>>,
    justified: Readonly<Record<string, string>> = {},
  ) => {
    const sources = Object.entries(texts).map(([name, text]) =>
      parse(inFile(text, `packages/agent/src/${name}`)),
    );
    return noSmallFiles(sources, justified).map(({ path, advice }) => `${path} ${advice}`);
  };

  it('reports the file and the importer that should contain it', () => {
    expect(found({ 'small.ts': 'export const a = 1;\n', 'big.ts': importing })).toEqual([
      'packages/agent/src/small.ts 1 lines and one importer: merge it into packages/agent/src/big.ts',
    ]);
  });

  it('does not count tests as importers', () => {
    const test = { 'big.test.ts': importing };
    expect(found({ 'small.ts': '', 'big.ts': importing, ...test })).toHaveLength(1);
    expect(found({ 'small.ts': '', ...test })).toEqual([]);
  });

  it.each([
    ['has two importers', { 'other.ts': importing }],
    ['is loaded late', { 'big.ts': 'await import("./small.ts");' }],
    ['is exported by a face', { 'big.ts': 'export * from "./small.ts";' }],
    ['has 80 lines', { 'small.ts': 'export {};\n'.repeat(80) }],
    ['would make its importer too long', { 'big.ts': longer(248) }],
  ])('leaves a file that %s', (_why, changed) => {
    expect(found({ 'small.ts': '', 'big.ts': importing, ...changed })).toEqual([]);
  });

  it('reports a file up to the limits', () => {
    expect(found({ 'small.ts': 'export {};\n'.repeat(79), 'big.ts': longer(169) })).toHaveLength(1);
  });

  it('leaves a file with a stated reason', () => {
    expect(
      found({ 'small.ts': '', 'big.ts': importing }, { 'packages/agent/src/small.ts': 'a reason' }),
    ).toEqual([]);
  });
});

describe('a function of product code', () => {
  const ofLines = (lines: number, head = 'function one()') => `${head} {${'\n'.repeat(lines - 1)}}`;
  const found = (text: string, allowed: Readonly<Record<string, number>> = {}, path?: string): string[] =>
    shortFunctions(parse(inFile(text, path)), allowed).map(({ advice }) => advice);

  it.each([['function one()'], ['const one = () =>'], ['const one = function ()']])(
    'has at most 80 lines: %s',
    (head) => {
      expect(found(ofLines(80, head))).toEqual([]);
      expect(found(ofLines(81, head))).toMatchObject([expect.stringContaining('has 81 lines')]);
    },
  );

  it('may be longer if it is listed, up to its number of lines', () => {
    const allowed = { 'packages/core/src/sample.ts one': 90 };
    expect(found(ofLines(90), allowed)).toEqual([]);
    expect(found(ofLines(91), allowed)).toHaveLength(1);
    expect(found(ofLines(90).replace('one', 'two'), allowed)).toHaveLength(1);
  });

  it('does not count in tests', () => {
    expect(found(ofLines(200), {}, 'packages/core/src/sample.test.ts')).toEqual([]);
    expect(found(ofLines(200), {}, 'scripts/sample.ts')).toEqual([]);
  });
});
