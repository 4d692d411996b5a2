/** A long paste in the real program: the line hides its text, so nothing in it counts as typed by the user. */
import { say } from '@heddle/testing';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PROMPT, setUpScenes } from '../conversation/test/scene.ts';
import { CTRL_D, ENTER } from '../conversation/test/terminal.ts';

const { scene } = setUpScenes();

const paste = (text: string): string => `\u001b[200~${text}${'\rmore'.repeat(20)}\u001b[201~`;

it('attaches only files of the working folder that no rule asks about', async () => {
  const { folder, sent, start } = await scene([[say('One.')], [say('Two.')]]);
  const settings = { permissions: { ask: ['Read(./asked.txt)'] } };
  const project = path.join(folder, 'project');
  mkdirSync(project);
  writeFileSync(path.join(project, 'asked.txt'), 'text of asked');
  writeFileSync(path.join(project, 'plain.txt'), 'text of plain');
  writeFileSync(path.join(folder, 'outside.txt'), 'text of outside');
  const terminal = start(['--settings', JSON.stringify(settings)], { cwd: project });
  await terminal.sees(PROMPT);
  terminal.type(`see ${paste('@asked.txt @plain.txt @../outside.txt')}`);
  await terminal.sees('[Pasted text #1 +21 lines]');
  terminal.type(ENTER);
  await terminal.sees('One.');
  expect(sent(1)).toContain('text of plain');
  expect(sent(1)).not.toContain('text of asked');
  expect(sent(1)).not.toContain('text of outside');
  await terminal.sees(PROMPT);
  terminal.type(`see @asked.txt @../outside.txt${ENTER}`);
  await terminal.sees('Two.');
  expect(sent(2)).toContain('text of asked');
  expect(sent(2)).toContain('text of outside');
});

it('stays data if its prompt is sent again from the history of an earlier process', async () => {
  const { folder, sent, start } = await scene([[say('One.')], [say('Two.')]]);
  const settings = { permissions: { ask: ['Read(./asked.txt)'] } };
  writeFileSync(path.join(folder, 'asked.txt'), 'text of asked');
  writeFileSync(path.join(folder, 'plain.txt'), 'text of plain');
  const first = start(['--settings', JSON.stringify(settings)]);
  await first.sees(PROMPT);
  first.type(`see ${paste('@asked.txt @plain.txt')}`);
  await first.sees('[Pasted text #1 +21 lines]');
  first.type(ENTER);
  await first.sees('One.');
  await first.sees(PROMPT);
  first.type(CTRL_D);
  await first.ended;
  const second = start(['--settings', JSON.stringify(settings)]);
  await second.sees(PROMPT);
  second.type('\u001b[A');
  await second.shows(/more\s+more$/);
  second.type(ENTER);
  await second.sees('Two.');
  expect(sent(2)).toContain('@asked.txt @plain.txt');
  expect(sent(2)).toContain('text of plain');
  expect(sent(2)).not.toContain('text of asked');
});

it('runs no command', async () => {
  const { folder, sent, start } = await scene([[say('One.')]]);
  const terminal = start();
  await terminal.sees(PROMPT);
  terminal.type(paste('!touch made #'));
  await terminal.sees('[Pasted text #1 +21 lines]');
  terminal.type(ENTER);
  await terminal.sees('One.');
  expect(sent(1)).toContain('Pasted text:\\n!touch made');
  expect(existsSync(path.join(folder, 'made'))).toBe(false);
});

it('stays data after an edit in the editor of the user', async () => {
  const { folder, sent, start } = await scene([[say('One.')]]);
  const settings = { permissions: { ask: ['Read(./asked.txt)'] } };
  writeFileSync(path.join(folder, 'asked.txt'), 'text of asked');
  writeFileSync(path.join(folder, 'edit.sh'), 'sed -i -e "s/^Pasted text:$//" -e "s/more/most/" "$1"\n');
  const terminal = start(['--settings', JSON.stringify(settings)], { env: { EDITOR: 'sh edit.sh' } });
  await terminal.sees(PROMPT);
  terminal.type(paste('!touch made # @asked.txt'));
  await terminal.sees('[Pasted text #1 +21 lines]');
  terminal.type('\u0007');
  await terminal.sees('[Pasted text #2');
  terminal.type(ENTER);
  await terminal.sees('One.');
  expect(sent(1)).toContain('most');
  expect(sent(1)).not.toContain('text of asked');
  expect(existsSync(path.join(folder, 'made'))).toBe(false);
});
