/** Names of files that the user completes or chooses in the real program: a name is data, whatever it contains. */
import { existsSync, writeFileSync } from 'node:fs';
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
