/** A project for tests: files in a folder of its own, the real program, and an API that records each request. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startFakeApi, TEST_MODEL } from '@heddle/testing';
import { type Ended, runProgram, type RunOptions } from './program.ts';

type Script = Parameters<typeof startFakeApi>[0];

export interface Project {
  /** The working folder. The user's settings are in `../config`. */
  readonly folder: string;
  readonly run: (argv: readonly string[], more?: Pick<RunOptions, 'input' | 'env'>) => Promise<Ended>;
  readonly trust: () => Promise<unknown>;
  /** The body of each request to the model, as JSON with the project's folder as `PROJECT`. */
  readonly sent: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** `files`: texts by path, relative to the working folder. */
export async function projectWith(
  program: string,
  files: Readonly<Record<string, string>>,
  script: Script,
): Promise<Project> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'heddle-project-'));
  const folder = path.join(home, 'project');
  for (const [name, text] of Object.entries({ '.keep': '', ...files })) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const api = await startFakeApi(script);
  const environment = {
    HOME: home,
    HEDDLE_CONFIG_DIR: path.join(home, 'config'),
    ANTHROPIC_API_KEY: 'test-key-of-the-fake-api',
    ANTHROPIC_BASE_URL: api.url,
  };
  const run: Project['run'] = (argv, { input, env = {} } = {}) =>
    runProgram(program, argv, {
      cwd: folder,
      env: { ...environment, ...env },
      ...(input === undefined ? {} : { input }),
    });
  return {
    folder,
    run: (argv, more) => run([...argv, '--model', `anthropic/${TEST_MODEL}`], more),
    trust: () => run(['permissions', 'trust']),
    sent: () =>
      api.requests
        .filter(({ path: at }) => at === '/v1/messages')
        .map(({ body }) => JSON.stringify(body).replaceAll(folder, 'PROJECT')),
    close: () => api.close(),
  };
}
