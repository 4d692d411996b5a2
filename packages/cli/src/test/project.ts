/** A project for tests: files in a folder of its own, the real program, and an API that records each request. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { trustFolder } from '@heddle/agent/settings';
import { type ApiScript, startFakeApi, TEST_MODEL } from '@heddle/testing';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { openTerminal, type TerminalOptions, type TestTerminal } from '../conversation/test/terminal.ts';
import { type Ended, install, type Installed, runProgram, type RunOptions } from './program.ts';
import { omitUndefined } from '@heddle/core';

export interface Project {
  /** The working folder. The user's settings are in `../config`. */
  readonly folder: string;
  readonly run: (
    argv: readonly string[],
    more?: Pick<RunOptions, 'input' | 'env' | 'onOutput' | 'onStart'>,
  ) => Promise<Ended>;
  /** Runs a command that uses no model. */
  readonly command: (argv: readonly string[], more?: Pick<RunOptions, 'env'>) => Promise<Ended>;
  /** Runs the program in a terminal. */
  readonly start: (argv?: readonly string[], more?: Partial<TerminalOptions>) => TestTerminal;
  /** Does what `heddle permissions trust` does. */
  readonly trust: () => Promise<void>;
  /** The body of each request to the model, as JSON with the project's folder as `PROJECT`. */
  readonly sent: () => readonly string[];
  readonly close: () => Promise<void>;
}

type MakeProject = (files: Readonly<Record<string, string>>, script: ApiScript) => Promise<Project>;

/** Installs the program for the tests of a file. Projects, their terminals and the program are removed after the tests. */
export function setUpProjects(): MakeProject {
  let installed: Installed;
  const open: Project[] = [];
  beforeAll(async () => {
    installed = await install();
  });
  afterEach(async () => {
    for (const project of open.splice(0)) await project.close();
  });
  afterAll(() => installed.remove());
  return async (files, script) => {
    const made = await projectWith(installed.program, files, script);
    open.push(made);
    return made;
  };
}

/** `files`: texts by path, relative to the working folder. */
async function projectWith(
  program: string,
  files: Readonly<Record<string, string>>,
  script: ApiScript,
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
  const run: Project['run'] = (argv, { input, env = {}, onOutput, onStart } = {}) =>
    runProgram(program, argv, {
      cwd: folder,
      env: { ...environment, ...env },
      ...omitUndefined({ input, onOutput, onStart }),
    });
  const terminals: TestTerminal[] = [];
  const model = ['--model', `anthropic/${TEST_MODEL}`];
  return {
    folder,
    run: (argv, more) => run([...argv, ...model], more),
    command: run,
    start(argv = [], { env = {}, ...more } = {}) {
      const place = { cwd: folder, ...more, env: { ...environment, ...env } };
      const terminal = openTerminal(program, [...argv, ...model], place);
      terminals.push(terminal);
      return terminal;
    },
    async trust() {
      const places = { cwd: folder, home, configDir: environment.HEDDLE_CONFIG_DIR, env: environment };
      expect(trustFolder(places)).toMatchObject({ ok: true });
    },
    sent: () =>
      api.requests
        .filter(({ path: at }) => at === '/v1/messages')
        .map(({ body }) => JSON.stringify(body).replaceAll(folder, 'PROJECT')),
    async close() {
      for (const terminal of terminals) terminal.kill('SIGKILL');
      await api.close();
    },
  };
}
