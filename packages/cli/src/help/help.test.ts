import { expect, it } from 'vitest';
import { COMMAND_NAMES } from '../arguments/program-commands.ts';
import type { Flag } from '../arguments/flag-kinds.ts';
import { FLAGS } from '../arguments/flags.ts';
import { COMMAND_TEXTS } from './command-texts.ts';
import { helpText } from './help.ts';

it('lists every command and every flag, within 100 columns', () => {
  const help = helpText();
  for (const command of COMMAND_NAMES) expect(help).toContain(`heddle ${command}`);
  for (const flag of Object.keys(FLAGS)) expect(help).toContain(flag);
  for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});

it('fits a narrow terminal, except for words that cannot be broken', () => {
  const lines = helpText(40).split('\n');
  const meanings = lines.slice(lines.indexOf('Commands:'));
  expect(meanings.filter((line) => line.startsWith('      ') && line.length > 40)).toEqual([]);
});

it('shows a value for exactly those flags that take one', () => {
  for (const [name, { takes, value, words }] of Object.entries<Flag>(FLAGS)) {
    expect([name, value !== undefined || words !== undefined]).toEqual([
      name,
      takes !== 'nothing' && takes !== 'maybe',
    ]);
  }
});

it('has examples for every command', () => {
  for (const [name, { examples }] of Object.entries(COMMAND_TEXTS)) {
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(example).toContain(`heddle ${name}`);
  }
});
