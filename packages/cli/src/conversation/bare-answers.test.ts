/** Only the key itself answers a question. A text that starts with a key never allows, stores or rewinds anything. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { PermissionQuestion } from '@heddle/agent';
import { call, say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import type { Dialog } from '../terminal/dialog.ts';
import { permissionDialog } from './questions/permission.ts';
import { planDialog, withoutSandboxDialog } from './questions/plan-and-user-questions.ts';
import { styleFor } from '../terminal/style.ts';
import { setUpScenes, touch } from './test/scene.ts';
import { ENTER } from './test/terminal.ts';

const { scene, home } = setUpScenes();

/** Texts that start with a key, or look like one. */
const NOT_KEYS = [
  '2 things first: run the tests',
  '1 more question before that',
  '1. run the tests',
  '2) then commit',
  '1.',
  '2)',
  '(1)',
  '#1',
  '1,2',
  '1 2',
  '1 1',
  '1!',
  '1?',
  '1st look at the file',
  '2 s',
  '2s please',
  '2u for all of them?',
  '2x',
  '１',
  '２',
  '１ yes',
  '¹',
  '①',
  '+1',
  '01',
  '1.0',
  '0x1',
  '1e0',
  'yes please',
  'yes, but not now',
  'y 1',
  'yy',
  'yes\nno',
  '1\n',
  '1\nrm -rf /',
  'first this:\n1',
  '1\u200b',
  '-1',
  '"1"',
  '1\u001b[A',
  '\u001b[B1',
  '1\u001b[D\u001b[C',
  'yes\u001b[A',
  'y\u001bOA',
].filter((text) => text.trim() !== '1');

const style = styleFor({ plain: true, env: {} });
const question: PermissionQuestion = {
  toolUseId: 'b1',
  tool: 'Bash',
  input: { command: 'rm -rf src' },
  reason: 'No rule allows it.',
  basis: '',
  parts: [],
  suggestions: [
    {
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContent: 'rm *' }],
      behavior: 'allow',
      destination: 'localSettings',
    },
  ],
};
const dialogs: readonly (readonly [string, Dialog<unknown>])[] = [
  ['a permission question', permissionDialog(question, { style, cwd: '/p', fileOf: (scope) => scope })],
  [
    'a question about a host',
    permissionDialog(
      { ...question, tool: 'SandboxNetworkAccess', input: { host: 'example.com', port: 443 } },
      { style, cwd: '/p', fileOf: (scope) => scope },
    ),
  ],
  ['a plan', planDialog('1. Look', style)],
  ['the sandbox question', withoutSandboxDialog(question, style)],
];

describe.each(dialogs)('%s', (_, dialog) => {
  it.each(NOT_KEYS)('is not answered by %j', (text) => {
    expect(dialog.read(text).kind).toBe('more');
  });

  it.each(['1', ' 1 ', '\t1', '1\r', 'y', 'Y', 'YES'])('is answered by %j', (text) => {
    expect(dialog.read(text).kind).toBe('answer');
  });
});

describe('a permission question', () => {
  it.each([
    ['no, use yarn', 'no, use yarn'],
    ['2 things first: run the tests', '2 things first: run the tests'],
    ['1. run the tests\n2. commit', '1. run the tests\n2. commit'],
  ])('keeps %j for the denial, and sends it with 4', (text, sent) => {
    const [[, dialog] = ['', planDialog('', style)]] = dialogs;
    const reading = dialog.read(text);
    if (reading.kind !== 'more') throw new Error('It was answered.');
    expect(reading.dialog.read('4')).toEqual({
      kind: 'answer',
      answer: { allow: false, message: `The user denied this call. They said: ${sent}` },
    });
  });

  it('is denied by text after 4, and asks for the reason after 4 alone', () => {
    const [[, dialog] = ['', planDialog('', style)]] = dialogs;
    expect(dialog.read('4 files are missing, so yes')).toMatchObject({ answer: { allow: false } });
    expect(dialog.read('4. because')).toMatchObject({ kind: 'more' });
    expect(dialog.read('4')).toMatchObject({ kind: 'more' });
  });
});

describe('the program', () => {
  it('asks again for every such line of a pipe, and denies at the end of the pipe', async () => {
    const { run, script, folder } = home();
    const lines = NOT_KEYS.filter((text) => !text.includes('\n'));
    const model = script([[touch('never.txt', 't1')], [say('Denied, then.')]]);
    const { stdout } = await run(['--plain', '--model', model], { input: `go\n${lines.join('\n')}\n` });
    expect(stdout.match(/^allow\? /gm)).toHaveLength(lines.length + 1);
    expect(stdout).toContain('There is no user to ask.');
    expect(stdout).toContain('Denied, then.');
    expect(existsSync(path.join(folder, 'never.txt'))).toBe(false);
    expect(existsSync(path.join(folder, '.claude'))).toBe(false);
  });

  it('treats pasted lines as one text, on both kinds of screen', async () => {
    for (const env of [{}, { TERM: 'dumb' }]) {
      const { folder, sent, start } = await scene([[touch('never.txt', 't1')], [say('Denied, then.')]]);
      const terminal = start(['go'], { env });
      await terminal.sees('allow?');
      terminal.type(`please do${ENTER}1${ENTER}2${ENTER}`);
      await terminal.sees('This is not an answer yet.');
      terminal.type(`4${ENTER}`);
      await terminal.sees('Denied, then.');
      expect(sent(2)).toContain('They said: please do\\n1\\n2');
      expect(existsSync(path.join(folder, 'never.txt'))).toBe(false);
    }
  });

  it('does the same for a plan and a rewind, and accepts text only as an answer to a question for text', async () => {
    const options = [{ label: 'SQLite' }, { label: 'Postgres' }];
    const { sent, start } = await scene([
      [call('AskUserQuestion', { questions: [{ header: 'Store', question: 'Which?', options }] }, 'q1')],
      [call('ExitPlanMode', { plan: 'Look.' }, 'p1')],
      [say('Planned.')],
    ]);
    const terminal = start(['go', '--permission-mode', 'plan']);
    await terminal.sees('answer>');
    terminal.type(`2 of them, please${ENTER}`);
    await terminal.sees('plan?');
    terminal.type(`1 thing first: look at the tests${ENTER}`);
    await terminal.sees('This is not an answer yet.');
    terminal.type(`4${ENTER}`);
    await terminal.sees('Planned.');
    expect(sent(2)).toContain('2 of them, please');
    expect(sent(3)).toContain('1 thing first: look at the tests');
    await terminal.sees(/\nplan>$/);
    terminal.type(`/rewind${ENTER}`);
    await terminal.sees('rewind>');
    for (const text of ['1.', '0x1', '1e0', '1 please', '１']) {
      terminal.type(text);
      await terminal.sees(`rewind> ${text}`);
      terminal.type(ENTER);
      await terminal.sees(/Type a number from 1 to 1\.\nrewind>$/);
    }
    terminal.type(`1${ENTER}`);
    await terminal.sees('what>');
    for (const text of ['1 and the files', '2.', '2)', '1 2']) {
      terminal.type(text);
      await terminal.sees(`what> ${text}`);
      terminal.type(ENTER);
      await terminal.sees(/Type 1, 2 or 3\.\nwhat>$/);
    }
  });
});

describe('an Enter after a key that has answered alone', () => {
  it('does not answer the next question, but a second Enter does', async () => {
    const { folder, start } = await scene([[touch('one', 'c1'), touch('two', 'c2')], [say('Done.')]]);
    const isMade = (name: string): boolean => existsSync(path.join(folder, name));
    const terminal = start(['go']);
    await terminal.sees(/touch one[^]*\nallow\?$/);
    terminal.type('1');
    await terminal.sees(/touch two[^]*\nallow\?$/);
    terminal.type(ENTER);
    await terminal.sees('Press Enter again to answer this one.');
    expect(isMade('two')).toBe(false);
    terminal.type(ENTER);
    await terminal.sees('Done.');
    expect(isMade('one')).toBe(true);
    expect(isMade('two')).toBe(true);
  });

  it('does not choose where a rule is stored', async () => {
    const { folder, start } = await scene([[touch('one', 'c1')], [say('Done.')]]);
    const terminal = start(['go']);
    await terminal.sees(/touch one[^]*\nallow\?$/);
    terminal.type('2');
    await terminal.sees('allow where?');
    terminal.type(ENTER);
    await terminal.sees('Press Enter again to answer this one.');
    expect(existsSync(path.join(folder, 'one'))).toBe(false);
    terminal.type('s');
    await terminal.sees('Done.');
    expect(existsSync(path.join(folder, 'one'))).toBe(true);
    expect(existsSync(path.join(folder, '.claude/settings.local.json'))).toBe(false);
  });
});
