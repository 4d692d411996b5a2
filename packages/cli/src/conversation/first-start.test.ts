/** The first start without a model, in the real terminal. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { isRecord } from '@heddle/core';
import { say, startFakeProvider } from '@heddle/testing';
import { afterEach, beforeAll, afterAll, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';
import { PROMPT } from './test/scene.ts';
import { CTRL_C, CTRL_D, ENTER, openTerminal, type TestTerminal } from './test/terminal.ts';

let installed: Installed;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** No server listens at this address. */
const CLOSED = 'http://127.0.0.1:9';
/** No server of the machine that runs the test is found. */
const NO_SERVERS = {
  OLLAMA_HOST: CLOSED,
  LLAMACPP_BASE_URL: CLOSED,
  VLLM_BASE_URL: CLOSED,
  LMSTUDIO_BASE_URL: CLOSED,
  HEDDLE_LOCAL_TIMEOUT_MS: '20000',
};

interface Started {
  readonly start: (argv?: readonly string[]) => TestTerminal;
  readonly storedModel: () => unknown;
}

function newUser(env: Readonly<Record<string, string>> = {}): Started {
  const { folder: cwd } = homeFor(installed.program);
  return {
    start(argv = []) {
      const terminal = openTerminal(installed.program, argv, { cwd, env: { ...NO_SERVERS, ...env } });
      closing.push(() => terminal.kill('SIGKILL'));
      return terminal;
    },
    storedModel() {
      const file = path.join(cwd, 'config', 'settings.json');
      const settings: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
      return isRecord(settings) ? settings['model'] : undefined;
    },
  };
}

/** Acts like Ollama. Its first answer lists no model, so that none is used without a question. */
async function ollamaWith(models: readonly string[]): Promise<string> {
  let answers = 0;
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ models: answers++ === 0 ? [] : models.map((name) => ({ name })) }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('offers the rehearsal if nothing is found, and starts the conversation with it', async () => {
  const { start, storedModel } = newUser();
  const terminal = start(['list the files']);
  await terminal.shows(
    /Welcome to Heddle [^]*Found no key[^]*ANTHROPIC_API_KEY[^]*❯ 1 {2}rehearsal[^]*\nmodel>$/,
  );
  terminal.type(ENTER);
  await terminal.shows('The next start asks again.');
  await terminal.shows(/Heddle \S+ · rehearsal/);
  await terminal.shows('> list the files');
  await terminal.shows(PROMPT);
  expect(storedModel()).toBeUndefined();
});

it('lists the models of a server, and stores the selected one', async () => {
  const url = await ollamaWith(['qwen3:8b', 'gemma4']);
  const { start, storedModel } = newUser({ OLLAMA_HOST: url });
  const terminal = start();
  await terminal.shows(`Found Ollama, running at ${url}/v1.`);
  await terminal.shows(
    /❯ 1 {2}ollama\/qwen3:8b +Ollama\n {2}2 {2}ollama\/gemma4 +Ollama\n {2}3 {2}rehearsal[^]*\nmodel>$/,
  );
  terminal.type('2');
  await terminal.shows(/❯ 2 {2}ollama\/gemma4/);
  terminal.type(ENTER);
  await terminal.shows(/The model is ollama\/gemma4, stored in/);
  await terminal.shows(/Heddle \S+ · ollama\/gemma4/);
  await terminal.shows(PROMPT);
  expect(storedModel()).toBe('ollama/gemma4');
  terminal.type(CTRL_D);
  expect(await terminal.ended).toMatchObject({ exitCode: 0 });
  const later = start();
  await later.shows(/Heddle \S+ · ollama\/gemma4/);
  expect(later.text).not.toContain('Welcome');
});

it('accepts a typed name, asks again after a wrong one, and answers with the model', async () => {
  const server = await startFakeProvider('chat', [say('From my own server.')], { models: ['own'] });
  closing.push(() => server.close());
  const { start, storedModel } = newUser({ OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` });
  const terminal = start(['--plain']);
  await terminal.shows(/by OPENAI_COMPATIBLE_BASE_URL, without a list of models\.[^]*model>$/);
  terminal.type(`no-such-model-at-all${ENTER}`);
  await terminal.shows(/no-such-model-at-all[^]*heddle: [^]*Welcome[^]*model>$/);
  expect(storedModel()).toBeUndefined();
  terminal.type(`openai-compatible/own${ENTER}`);
  await terminal.shows(/stored in [^]*\n>$/);
  terminal.type(`hello${ENTER}`);
  await terminal.shows('From my own server.');
  expect(storedModel()).toBe('openai-compatible/own');
});

it.each([
  ['Ctrl-C', (terminal: TestTerminal) => terminal.type(CTRL_C), 2],
  ['Esc', (terminal: TestTerminal) => terminal.type('\u001b'), 2],
  ['SIGTERM', (terminal: TestTerminal) => terminal.kill('SIGTERM'), 143],
] as const)('leaves with %s, stores nothing and restores the terminal', async (_name, leave, exitCode) => {
  const { start, storedModel } = newUser();
  const terminal = start();
  await terminal.shows(/model>$/);
  leave(terminal);
  expect(await terminal.ended).toMatchObject({ exitCode });
  if (exitCode === 2) expect(terminal.text).toContain('no model is configured');
  expect(terminal.raw.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(
    terminal.raw.lastIndexOf('\u001b[?2004h'),
  );
  expect(storedModel()).toBeUndefined();
});
