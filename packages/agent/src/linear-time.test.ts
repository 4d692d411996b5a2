/** The time for text of a project or a model grows in proportion to its length. */
import { cpuMsOf } from '@heddle/testing';
import { expect, it } from 'vitest';
import { decodeAgent } from './agents/definition.ts';
import { mentionsIn } from './attachments/mentions.ts';
import { toolList } from './extensions/prompt-file.ts';
import { importsIn, withoutComments } from './instructions/imports.ts';
import { findLine } from './settings/find-line.ts';

const LONG = 50_000;
const MOST_MS = 1_000;

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  mentionsIn,
  toolList,
  importsIn,
  withoutComments,
  decodeAgent: (tools) =>
    decodeAgent({ description: 'x', prompt: 'x', tools }, { name: 'x', source: 'project' }),
  findLine: (text) => findLine(`{"a": "${text}`, ['b']),
};

const PUMPS = [
  '.',
  '`',
  '``` ',
  '```\n',
  '\n',
  ' ',
  '<!--',
  '<!--\n',
  ',)',
  '(',
  'a(',
  '\\"',
  '@"',
  '@.',
  '#L1',
  '*',
  '`a``b',
  '~~~\n',
  '{',
  '"',
];

it.each(Object.entries(READERS).flatMap(([name, read]) => PUMPS.map((pump) => ({ name, pump, read }))))(
  'takes time proportional to the length: $name of $pump',
  async ({ pump, read }) => {
    const text = pump.repeat(Math.ceil(LONG / pump.length));
    const used = await cpuMsOf(() => {
      read(text);
      read(`@${text}\u0001`);
    });
    expect(used).toBeLessThan(MOST_MS);
  },
);
