/** The grammar of the options of shells, compared with the shells that are installed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { literalWord } from './files/touch.ts';
import { readShellUse } from './shell-options.ts';

/** The first words start the shell. */
const SHELLS: readonly (readonly [string, ...string[]])[] = [
  ['bash'],
  ['dash'],
  ['zsh'],
  ['ksh'],
  ['mksh'],
  ['yash'],
  ['busybox', 'sh'],
  ['sh'],
];

const OPTIONS: readonly string[] = [
  '',
  '-',
  '--',
  '-e',
  '-s',
  '-c',
  '+c',
  '-ce',
  '-ec',
  '-sc',
  '-c -e',
  '-c -',
  '-c --',
  '-e +e -c',
  '-oerrexit -c',
  '-oe errexit -c',
  '-o errexit -c',
  '-eo errexit -c',
  '-oc errexit',
  '-o errexit',
  '+o errexit -c',
  '-o -c',
  '-o stdin -c',
  '-o stdin',
  '-O extglob -c',
  '-Oextglob -c',
  '-Oc extglob',
  '-Oc',
  '-login -c',
  '-noediting -c',
  '-noprofile -norc -c',
  '-rcfile none -c',
  '-init-file none -c',
  '-verbose -c',
  '-posix -c',
  '-restricted -c',
  '--login -c',
  '--norc -c',
  '--rcfile none -c',
  '--posix',
  '--emulate sh -c',
  '--unknown -c',
  '-x -login -c',
  '-e --norc -c',
  '-login',
  '-norc -e',
  '-lc',
  '-uc',
  '-b -c',
  '-fc',
  '-Q -c',
];

const CODE = 'echo CODE';
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-shell-options-'));
  writeFileSync(path.join(folder, CODE), 'echo FILE\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the marks in the output of the shell: `CODE`, `FILE` or `INPUT`. */
function run(shell: readonly [string, ...string[]], words: readonly string[]): string {
  const [program, ...first] = shell;
  const { stdout } = spawnSync(program, [...first, ...words], {
    cwd: folder,
    input: 'echo INPUT\n',
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  return stdout.match(/^(?:CODE|FILE|INPUT)$/gm)?.join(' ') ?? '';
}

describe.each(SHELLS)('%s %s', (...shell) => {
  const [program, ...first] = shell.filter((word): word is string => typeof word === 'string');
  const isInstalled = program !== undefined && spawnSync(program, [...first, '-c', ':']).status === 0;
  it.runIf(isInstalled)('runs what the grammar returns', () => {
    const wrong = OPTIONS.flatMap((options) => {
      const words = options
        .split(' ')
        .filter((word) => word !== '')
        .concat(CODE);
      const use = readShellUse(first[0] ?? program ?? '', words.map(literalWord));
      const ran = run([program ?? '', ...first], words);
      const expected = { code: 'CODE', file: 'FILE', input: 'INPUT', nothing: '' };
      const isRight =
        !(use.kind in expected) || ran === '' || ran === expected[use.kind as keyof typeof expected];
      return isRight ? [] : [`${options}: ${use.kind}, but it runs ${ran}`];
    });
    expect(wrong).toEqual([]);
  });
});

describe('the options of one shell', () => {
  const kindOf = (shell: string, words: string): string =>
    readShellUse(shell, words.split(' ').map(literalWord)).kind;

  it.each([
    ['bash', '-login -c ls', 'code'],
    ['bash', '-noediting -c ls', 'code'],
    ['bash', '-oerrexit -c ls', 'not understood'],
    ['bash', '-Oextglob -c ls', 'not understood'],
    ['bash', '-c', 'unknown'],
    ['bash', '-s a', 'input'],
    ['bash', 'a -c b', 'file'],
    ['zsh', '-oerrexit -c ls', 'code'],
    ['dash', '-oerrexit -c ls', 'not understood'],
    ['dash', '-sc ls', 'not understood'],
    ['ksh93', '-oerrexit -c ls', 'code'],
    ['sh', '-eo errexit -c ls', 'code'],
    ['sh', '-oerrexit -c ls', 'not understood'],
    ['sh', '--version', 'nothing'],
  ])('%s %s: %s', (shell, words, kind) => {
    expect(kindOf(shell, words)).toBe(kind);
  });
});
