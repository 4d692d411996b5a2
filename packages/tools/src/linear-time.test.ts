/** The time for text of a project, a model or a server grows in proportion to its length. */
import { cpuMsOf } from '@heddle/testing';
import { expect, it } from 'vitest';
import { explainMiss } from './edit/near-miss.ts';
import { filesInCommand } from './files/files-in-command.ts';
import { pathsOfAddress } from './git/addresses.ts';
import { readCommand } from './shell/read-command.ts';

const LONG = 50_000;
/** Longer commands are not read. */
const LONGEST_COMMAND = 9_000;
const MOST_MS = 1_000;

function filesIn(command: string): void {
  filesInCommand(command, {
    bases: ['/nowhere'],
    variables: {},
    isInside: () => true,
    leftOut: /^$/,
  });
}

const WORK: readonly (readonly [name: string, work: () => unknown])[] = [
  ['comments in a group', () => readCommand(`{ a\n${'#'.repeat(60)}\n}`)],
  ['comments in a list', () => readCommand(`( a\n${'#a'.repeat(60)}\n) x`)],
  ['blanks in a group', () => readCommand(`{ a;${' '.repeat(LONGEST_COMMAND)}}`)],
  ['line ends in a group', () => readCommand(`{ a ${'\n'.repeat(LONGEST_COMMAND)}}`)],
  ['blanks of a function', () => readCommand(`f${' '.repeat(LONGEST_COMMAND)}() { a; }`)],
  ['blanks of a redirection', () => readCommand(`a >${' '.repeat(LONGEST_COMMAND)}b`)],
  ['braces in a word', () => readCommand(`a ${'{'.repeat(LONGEST_COMMAND)}`)],
  ['line ends in a replaced text', () => explainMiss(`${'\n'.repeat(LONG)}a`, 'b\n', 'c')],
  ['blanks in a replaced text', () => explainMiss(`x${' '.repeat(LONG)}a`, `x${' '.repeat(LONG)}b`, 'c')],
  ['brackets in an address', () => pathsOfAddress(`file://${']'.repeat(LONG)}`)],
  ['digits before a redirection', () => filesIn('0'.repeat(LONG))],
  ['folders in a command', () => filesIn(`${'/'.repeat(4_000)}x`)],
  ['letters of an option', () => filesIn(`python -${'m'.repeat(LONG)}!`)],
];

it.each(WORK)('takes time proportional to the length: %s', async (_, work) => {
  expect(await cpuMsOf(work)).toBeLessThan(MOST_MS);
});
