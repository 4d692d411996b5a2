// The installed bundle, with the code cache that V8 produced at build time.
import { loadPrices } from '@heddle/models';
import { say, startFakeApi } from '@heddle/testing';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Script } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { homeFor } from './test/home.ts';
import { installCopy, type Installed } from './test/program.ts';

let installed: Installed;
let dist = '';

beforeEach(async () => {
  installed = await installCopy();
  dist = path.join(path.dirname(installed.program), '../dist');
});
afterEach(() => installed.remove());

const answer = () => homeFor(installed.program).run(['-p', '--model', 'rehearsal', 'What is here?']);

describe('the bundle', () => {
  it.each(['program', 'chunks/print-*', 'chunks/chat-*', 'chunks/host-*', 'chunks/explain-*'])(
    'contains a code cache for %s that this Node accepts',
    (part) => {
      const codes = globSync(path.join(dist, `${part}.js.*.code`));
      expect(codes).toHaveLength(1);
      for (const code of codes) {
        const source = readFileSync(code.replace(/(?<=\.js)\..*$/, ''), 'utf8');
        expect(new Script(source, { cachedData: readFileSync(code) }).cachedDataRejected).toBe(false);
      }
    },
  );

  it('computes prices without the tables of a language, which take milliseconds to load', () => {
    const prices = globSync(path.join(dist, 'chunks/prices-*.js'));
    expect(prices).toHaveLength(1);
    for (const file of prices) expect(readFileSync(file, 'utf8')).not.toContain('localeCompare');
  });

  it.each(['anthropic', 'openrouter'])(
    'parses the models of a provider when they are needed, with the prices of the library: %s',
    async (id) => {
      const { stdout } = await homeFor(installed.program).run(['models', id, '--json']);
      const models: unknown = JSON.parse(JSON.stringify((await loadPrices()).models(id)));
      expect(JSON.parse(stdout)).toMatchObject({ providers: [{ id, models }] });
      const [chunk = ''] = globSync(path.join(dist, 'chunks/prices-*.js'));
      expect(readFileSync(chunk, 'utf8')).toMatch(/\[\{"id":"claude-/);
    },
  );

  it('writes nothing into its own folder', async () => {
    const files = () => globSync('**/*', { cwd: dist }).sort();
    const before = files();
    expect(await answer()).toMatchObject({ code: 0 });
    expect(files()).toEqual(before);
  });

  it('sends its first request without slow modules, libraries and threads, on an early connection', async () => {
    const first = await loadedAtRequest();
    const { modules, files } = first;
    expect(modules).toContain('NativeModule http');
    expect(modules).not.toContain('NativeModule crypto');
    expect(modules).not.toContain('NativeModule child_process');
    const sources = files.filter((file) => existsSync(`${file}.map`)).flatMap(sourcesOf);
    expect(sources).toContainEqual(expect.stringContaining('packages/core/src/loop/'));
    expect(sources.filter((source) => source.includes('node_modules'))).toEqual([]);
    // Telemetry is off, so nothing of it is loaded.
    expect(sources.filter((source) => source.includes('/telemetry/'))).toEqual([]);
    // The code of MCP servers loads after the request. Their entries are examined, and reported, after it, too.
    const mcpServers = {
      gone: { command: '/no/such/program' },
      wrong: { command: 'true', args: 'not a list' },
    };
    const withServer = await loadedAtRequest('--mcp-config', JSON.stringify({ mcpServers }));
    expect(withServer.files).toEqual(files);
    expect(withServer.modules).toEqual(modules);
    expect(withServer.stderr).toContain('wrong: args is not a list of texts.');
    for (const { steps, threads } of [first, withServer]) {
      expect(steps).toEqual(['connection opened', 'prompt stored']);
      expect(threads).not.toContain('libuv-worker');
    }
  });

  it.each([
    ['is damaged', (file: string) => writeFileSync(file, 'not code')],
    ['is missing', (file: string) => rmSync(file)],
  ])('works if the code cache %s', async (_, spoil) => {
    for (const file of globSync(path.join(dist, '**/*.code'))) spoil(file);
    expect(await answer()).toMatchObject({ code: 0, stderr: '' });
  });
});

/** The modules and files that the program has loaded when it begins an HTTP request. */
interface Loaded {
  readonly modules: readonly string[];
  readonly files: readonly string[];
  /** The steps before it, in order. */
  readonly steps: readonly string[];
  /** The messages of the whole run. */
  readonly stderr: string;
  /** The names of the threads. Empty on systems without `/proc`. */
  readonly threads: readonly string[];
}

async function loadedAtRequest(...flags: readonly string[]): Promise<Loaded> {
  const api = await startFakeApi([say('Hello.')]);
  const home = homeFor(installed.program);
  const preload = path.join(home.folder, 'preload.cjs');
  const list = path.join(home.folder, 'loaded.json');
  writeFileSync(preload, recorder(list));
  const { code, stderr } = await home.run(['-p', 'go', '--model', 'anthropic/claude-sonnet-4-5', ...flags], {
    env: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url, NODE_OPTIONS: `--require ${preload}` },
  });
  await api.close();
  expect(code).toBe(0);
  return { ...(JSON.parse(readFileSync(list, 'utf8')) as Omit<Loaded, 'stderr'>), stderr };
}

/** A script for Node that writes this list. */
function recorder(list: string): string {
  return `const fs = process.getBuiltinModule('node:fs');
    const http = process.getBuiltinModule('node:http');
    const { readFileSync, writeSync } = fs;
    const { request } = http;
    const files = [];
    const steps = [];
    process.getBuiltinModule('node:diagnostics_channel').subscribe('net.client.socket', ({ socket }) => {
      socket.once('connectionAttempt', () => steps.push('connection opened'));
    });
    fs.writeSync = (descriptor, data, ...rest) => {
      if (String(data).includes('"type":"user"')) steps.push('prompt stored');
      return writeSync(descriptor, data, ...rest);
    };
    const { stderr } = process;
    const { write } = stderr;
    stderr.write = (text, ...rest) => {
      steps.push('message shown');
      return write.call(stderr, text, ...rest);
    };
    const threadsOf = (folder) =>
      fs.existsSync(folder) ? fs.readdirSync(folder).map((id) => String(readFileSync(folder + '/' + id + '/comm')).trim()) : [];
    fs.readFileSync = (file, ...options) => {
      if (String(file).endsWith('.js')) files.push(file);
      return readFileSync(file, ...options);
    };
    http.request = (...args) => {
      const threads = threadsOf('/proc/self/task');
      fs.writeFileSync(${JSON.stringify(list)}, JSON.stringify({ modules: process.moduleLoadList, files, steps, threads }));
      return request(...args);
    };`;
}

/** Returns the source files that a file of the bundle was made from. */
function sourcesOf(file: string): readonly string[] {
  return (JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] }).sources;
}
