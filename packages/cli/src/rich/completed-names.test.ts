/** Names of files that the user completes or chooses in the real program: a name is data, whatever it contains. */
import { say } from '@heddle/testing';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PROMPT, setUpScenes } from '../conversation/test/scene.ts';
import { ENTER } from '../conversation/test/terminal.ts';

const { scene } = setUpScenes();

it('runs no command in a name that Tab completes in a ! line', async () => {
  const { folder, start } = await scene([]);
  const typed = {
    'one $(touch made) x': '!cat "one',
    "two';touch made;'x": "!cat 'two",
    'three`touch made`': '!cat "three',
    'four";touch made;"x': '!cat "four',
    'five$(touch made)': '!cat "five',
    'six;touch made': '!cat six',
  };
  for (const name of Object.keys(typed)) writeFileSync(path.join(folder, name), `text of ${name}`);
  const terminal = start();
  for (const [name, line] of Object.entries(typed)) {
    await terminal.sees(PROMPT);
    terminal.type(line);
    await terminal.sees(line);
    terminal.type('\t');
    await terminal.sees('made');
    terminal.type(ENTER);
    await terminal.sees(`text of ${name}`);
  }
  expect(existsSync(path.join(folder, 'made'))).toBe(false);
}, 60_000);

it('attaches only the file that was chosen after @', async () => {
  const { folder, sent, start } = await scene([[say('One.')]]);
  const project = path.join(folder, 'project');
  mkdirSync(path.join(project, 'notes(@~'), { recursive: true });
  writeFileSync(path.join(folder, 'secret'), 'text of secret');
  writeFileSync(path.join(project, '.env'), 'text of env');
  for (const name of ['notes(@.env', 'notes(@~/secret', 'notes\u00A0@.env', 'notes, mine (1).md'])
    writeFileSync(path.join(project, name), `text of ${name}`);
  const settings = { permissions: { ask: ['Read(./.env)'] } };
  const terminal = start(['--settings', JSON.stringify(settings)], { cwd: project, env: { HOME: folder } });
  await terminal.sees(PROMPT);
  terminal.type('look at @note');
  await terminal.sees('notes, mine (1).md');
  expect(terminal.text).not.toContain('notes(');
  terminal.type('\t');
  await terminal.sees('look at @"notes, mine (1).md"');
  terminal.type(`and @notes(\t${ENTER}`);
  await terminal.sees('One.');
  expect(sent(1)).toContain('text of notes, mine (1).md');
  expect(sent(1)).not.toMatch(/text of (?:env|secret|notes\()/);
});
