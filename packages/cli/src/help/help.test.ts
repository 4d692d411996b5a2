import { expect, it } from 'vitest';
import { COMMANDS } from '../commands.ts';
import { FLAGS } from '../flags.ts';
import { FLAG_TEXTS } from './flag-texts.ts';
import { helpText } from './help.ts';

it('names every command and every flag, within 100 columns', () => {
  const help = helpText();
  for (const command of Object.keys(COMMANDS)) expect(help).toContain(`heddle ${command}`);
  for (const flag of Object.keys(FLAG_TEXTS)) expect(help).toContain(flag);
  for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});

it('says of a flag that it takes a value exactly where it does', () => {
  for (const [name, { takes }] of Object.entries(FLAGS)) {
    const text = Object.entries(FLAG_TEXTS).find(
      ([long, { aliases = [] }]) => long === name || aliases.some((alias) => alias === name),
    )?.[1];
    expect([name, text?.value !== undefined || text?.words !== undefined]).toEqual([
      name,
      takes !== 'nothing' && takes !== 'maybe',
    ]);
  }
});
