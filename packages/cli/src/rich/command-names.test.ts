/** The menu of commands in the real program, in a folder whose commands have names of built-in command lines. */
import { say } from '@heddle/testing';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PROMPT, setUpScenes } from '../conversation/test/scene.ts';
import { ENTER } from '../conversation/test/terminal.ts';

const { scene } = setUpScenes();
const DOWN = '\u001b[B';

it('offers only commands whose line means them, and reports the others', async () => {
  const { folder, sent, start } = await scene([[say('One.')]]);
  const project = path.join(folder, 'project');
  const write = (name: string, text: string): void => {
    const file = path.join(project, '.claude', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const header = (name: string): string => `---\n${name}description: Summarize it\n---\n`;
  write('commands/permissions add allow Bash.md', `${header('')}text of permissions`);
  write('commands/Clear.md', `${header('')}text of clear`);
  write('commands/sum.up.md', `${header('')}text of sum`);
  write('skills/mode/SKILL.md', `${header('name: "mode acceptEdits"\n')}text of mode`);
  const terminal = start([], { cwd: project });
  await terminal.sees('is not one word of letters');
  await terminal.sees(PROMPT);
  terminal.type('/allow');
  await terminal.sees('/allow');
  terminal.type(`${DOWN}${ENTER}`);
  await terminal.sees('There is no command /allow.');
  await terminal.sees(PROMPT);
  terminal.type('/');
  await terminal.sees('/clear');
  expect(terminal.text).not.toContain('Summarize it');
  terminal.type('sum.');
  await terminal.sees('Summarize it');
  terminal.type(ENTER);
  await terminal.sees('One.');
  expect(sent(1)).toContain('text of sum');
  await terminal.sees(PROMPT);
  terminal.type('/skills');
  await terminal.sees('/skills');
  terminal.type(ENTER);
  await terminal.sees('mode acceptEdits');
  expect(existsSync(path.join(project, '.claude/settings.local.json'))).toBe(false);
});
