/** Choosing and listing models with the real program: its bundle, real packages, servers on loopback. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { answer, call, type FakeProvider, type FakeWire, say, startFakeProvider } from '@heddle/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from '../test/home.ts';
import { install, type Installed, linesOf } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const KEY = 'sk-test-0123456789';
/** No server listens at this address, even if the machine runs Ollama. */
const NO_OLLAMA = { OLLAMA_HOST: 'http://127.0.0.1:9' };
/** A slow machine must not make the search for local servers fail. */
const PATIENT = { HEDDLE_LOCAL_TIMEOUT_MS: '20000' };

async function serverOf(format: FakeWire): Promise<FakeProvider> {
  const script = [
    answer(say('I look.'), call('Read', { file_path: 'note.txt' }, 'r1')),
    say('It says hello.'),
  ];
  const server = await startFakeProvider(format, script, { models: ['qwen3:8b'] });
  open.push(server);
  return server;
}

function homeWithNote(program = installed.program): Home {
  const home = homeFor(program);
  writeFileSync(path.join(home.folder, 'note.txt'), 'hello');
  return home;
}

describe('a prompt', () => {
  it.each([
    ['openai/gpt-5', 'responses', 'OPENAI', '/v1', '/v1/responses'],
    ['openai-chat/gpt-5', 'chat', 'OPENAI', '/v1', '/v1/chat/completions'],
    ['gpt-5', 'responses', 'OPENAI', '/v1', '/v1/responses'],
  ] as const)('goes to %s', async (model, format, prefix, base, called) => {
    const server = await serverOf(format);
    const env = { [`${prefix}_API_KEY`]: KEY, [`${prefix}_BASE_URL`]: `${server.url}${base}` };
    const argv = ['-p', '--model', model, '--output-format', 'json', '--max-budget-usd', '1', 'go'];
    const { stdout, stderr, code } = await homeWithNote().run(argv, { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(linesOf(stdout).at(-1)).toMatchObject({
      subtype: 'success',
      result: 'It says hello.',
      num_turns: 2,
    });
    expect(linesOf(stdout).at(-1)?.['total_cost_usd']).toBeGreaterThan(0);
    expect(server.calls.map((request) => request.path)).toEqual([called, called]);
    expect(JSON.stringify(server.calls[1]?.body)).toContain('hello');
    server.assertNoViolations();
  });

  it('goes to a running Ollama if nothing else is configured, and costs nothing', async () => {
    const server = await serverOf('chat');
    const argv = ['-p', '--output-format', 'json', '--max-budget-usd', '1', 'go'];
    const { stdout, code } = await homeWithNote().run(argv, { env: { ...PATIENT, OLLAMA_HOST: server.url } });
    expect(code).toBe(0);
    expect(linesOf(stdout).at(-1)).toMatchObject({
      result: 'It says hello.',
      total_cost_usd: 0,
      modelUsage: { 'ollama/qwen3:8b': { costUSD: 0 } },
    });
  });

  it('ends with a message of two lines if no model is configured', async () => {
    const { stdout, stderr, code } = await homeWithNote().run(['-p', 'go'], { env: NO_OLLAMA });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining('no model is configured'),
      expect.stringContaining('--model rehearsal'),
    ]);
  });

  it('ends with a message that names the missing key', async () => {
    const { stdout, stderr, code } = await homeWithNote().run(['-p', '--model', 'mistral', 'go'], {
      env: NO_OLLAMA,
    });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('Mistral is not configured. Set MISTRAL_API_KEY.');
  });
});

describe('a program without the provider packages', () => {
  /** Copies the bundle to a folder without packages. */
  function bare(): { readonly home: Home; readonly remove: () => void } {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-bare-'));
    const root = path.dirname(path.dirname(installed.program));
    cpSync(path.join(root, 'dist'), path.join(folder, 'dist'), { recursive: true, preserveTimestamps: true });
    cpSync(path.join(root, 'bin'), path.join(folder, 'bin'), { recursive: true });
    mkdirSync(path.join(folder, 'node_modules'));
    symlinkSync(path.join(root, 'node_modules/.bin'), path.join(folder, 'node_modules/.bin'));
    return {
      home: homeWithNote(path.join(folder, 'bin/heddle')),
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  }

  it('prints the command that installs one, and finds it afterwards', async () => {
    const { home, remove } = bare();
    const config = path.join(home.folder, 'config');
    const command = `npm install --prefix ${config} @ai-sdk/mistral@`;
    const run = () => home.run(['-p', '--model', 'mistral/any', 'go'], { env: { MISTRAL_API_KEY: KEY } });

    const before = await run();
    expect(before.code).toBe(2);
    expect(before.stderr).toContain(`is not installed. Install it with:\n  ${command}`);
    expect((await home.run(['models', 'mistral'], { env: NO_OLLAMA })).stdout).toContain(command);

    const own = path.join(config, 'node_modules/@ai-sdk/mistral');
    mkdirSync(own, { recursive: true });
    writeFileSync(path.join(own, 'package.json'), '{"type":"module","exports":"./index.js"}');
    writeFileSync(path.join(own, 'index.js'), PACKAGE);
    const after = await run();
    expect([after.code, after.stdout]).toEqual([0, 'I was installed later.\n']);
    remove();
  });

  /** The minimal implementation of the provider interface. */
  const PACKAGE = `
    const count = { total: 1 };
    const parts = [
      { type: 'text-delta', id: '1', delta: 'I was installed later.' },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens: count, outputTokens: count } },
    ];
    export const createMistral = () => (modelId) => ({
      specificationVersion: 'v4', provider: 'mistral', modelId, supportedUrls: {},
      doStream: async () => ({ stream: ReadableStream.from(parts) }),
    });`;
});

describe('heddle models', () => {
  it('marks the usable providers with the reason, and gives advice for the others', async () => {
    const server = await serverOf('chat');
    const env = { ...PATIENT, GEMINI_API_KEY: KEY, OLLAMA_HOST: server.url };
    const { stdout, code } = await homeWithNote().run(['models'], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\* +google +GEMINI_API_KEY$/m);
    expect(stdout).toMatch(/^\* +ollama +running at http/m);
    expect(stdout).toMatch(/^ +openai +set OPENAI_API_KEY$/m);
    expect(stdout).toMatch(/^google\/gemini-3.8-flash +google +1,000,000 +[\d.]+ +[\d.]+$/m);
    expect(stdout).toMatch(/^ollama\/qwen3:8b +unknown +0 +0$/m);
    expect(stdout).toMatch(/^claude-opus-5-5 +opus /m);
    expect(stdout).not.toMatch(/^openai\//m);
    expect(stdout).not.toContain(KEY);
  });

  it('lists usable models first, and only the newest of the others', async () => {
    const server = await serverOf('chat');
    const { stdout } = await homeWithNote().run(['models'], { env: { ...PATIENT, OLLAMA_HOST: server.url } });
    expect(stdout.split('\n')[1]).toMatch(/^\* +ollama /);
    expect(stdout.indexOf('ollama/qwen3:8b')).toBeLessThan(stdout.indexOf('claude-opus-5-5'));
    expect(stdout).toContain(
      'Anthropic, after you set ANTHROPIC_API_KEY (all models: heddle models anthropic)\n',
    );
    expect(stdout.match(/^claude-/gm)).toHaveLength(4);
    const { stderr } = await homeWithNote().run(['-p', '--model', 'qwen3:8b', 'go'], {
      env: { ...PATIENT, OLLAMA_HOST: server.url },
    });
    expect(stderr).toContain('Did you mean ollama/qwen3:8b?');
    const { stdout: one } = await homeWithNote().run(['models', 'ollama'], { env: NO_OLLAMA });
    expect(one).toMatch(/^Ollama: not usable here\. Start it with: ollama serve\n/);
  });

  it('lists one provider by name', async () => {
    const { stdout } = await homeWithNote().run(['models', 'groq'], { env: NO_OLLAMA });
    expect(stdout).toMatch(/^Groq: not usable here. To use it: set GROQ_API_KEY\n/);
    expect(stdout).toMatch(/^groq\/openai\/gpt-oss-120b +groq +131,072 /m);
    expect(stdout).not.toContain('claude-opus-5-5 ');
  });

  it('prints JSON', async () => {
    const env = { OPENAI_API_KEY: KEY, ...NO_OLLAMA };
    const { stdout } = await homeWithNote().run(['models', '--json', 'openai'], { env });
    expect(JSON.parse(stdout)).toMatchObject({
      providers: [{ id: 'openai', isUsable: true, because: 'OPENAI_API_KEY', models: expect.any(Array) }],
    });
    expect(stdout).not.toContain(KEY);
  });

  it('rejects an unknown provider', async () => {
    const { stderr, code } = await homeWithNote().run(['models', 'opnai'], { env: NO_OLLAMA });
    expect(code).toBe(2);
    expect(stderr).toContain('There is no provider named opnai. Use one of anthropic, openai,');
  });
});

describe('a model that this program plays itself', () => {
  const json = ['--output-format', 'json'];

  it('rejects a prompt that is larger than its window, like a real model', async () => {
    const input = 'one more line of notes\n'.repeat(50_000);
    const ended = await homeFor(installed.program).run(['-p', '--model', 'rehearsal', ...json], { input });
    expect(ended.code).toBe(1);
    expect(linesOf(ended.stdout).at(-1)).toMatchObject({
      terminal_reason: 'prompt_too_long',
      result: /^prompt is too long: \d+ tokens > 200000 maximum$/,
    });
  });

  it('has the window that its script states', async () => {
    const home = homeFor(installed.program);
    const file = path.join(home.folder, 'small.json');
    writeFileSync(file, JSON.stringify({ window: 1_000, steps: [say('Never.')] }));
    const ended = await home.run(['-p', '--model', `scripted:${file}`, ...json, 'go']);
    expect(linesOf(ended.stdout).at(-1)).toMatchObject({ is_error: true, result: /1000 maximum|too long/ });
  });

  it('reports that its script has ended, or is not a script', async () => {
    const home = homeWithNote();
    const script = home.script([call('Read', { file_path: 'note.txt' }, 'r1')]);
    const [, file = ''] = script.split(':');
    expect(await home.run(['-p', '--model', script, 'go'])).toMatchObject({
      code: 1,
      stderr: `heddle: API Error: 400 The script ${file} ended after 1 answer; the run asked for another.\n`,
    });
    writeFileSync(file, '[{"say":"hello"}]');
    expect(await home.run(['-p', '--model', script, 'go'])).toMatchObject({
      code: 2,
      stderr: /step 1: \{"say":"hello"\} is not a part/,
    });
    expect(await home.run(['-p', '--model', 'scripted:gone.json', 'go'])).toMatchObject({
      code: 2,
      stderr: 'heddle: The model scripted:gone.json could not be loaded: there is no file gone.json\n',
    });
  });
});
