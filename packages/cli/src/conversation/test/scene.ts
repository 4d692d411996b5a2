/** Sets up a home folder, a fake Messages API with a script, and terminals with the real program. */
import { call, type ApiScript, type FakeApi, startFakeApi } from '@heddle/testing';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Home, homeFor } from '../../test/home.ts';
import { install, type Installed } from '../../test/program.ts';
import { openTerminal, type TerminalOptions, type TestTerminal } from './terminal.ts';

const MODEL = 'claude-sonnet-4-5';

interface TestScreen {
  readonly folder: string;
  readonly api: FakeApi;
  /** Returns the body of a request to the model, counted from 1. */
  readonly sent: (call: number) => string;
  readonly start: (argv?: readonly string[], more?: Partial<TerminalOptions>) => TestTerminal;
}

interface SceneFactory {
  readonly scene: (script: ApiScript) => Promise<TestScreen>;
  readonly home: () => Home;
}

/** Installs the program for the tests of a file, and removes everything after them. */
export function setUpScenes(): SceneFactory {
  let installed: Installed;
  const apis: FakeApi[] = [];
  const terminals: TestTerminal[] = [];
  beforeAll(async () => {
    installed = await install();
  });
  afterAll(() => installed.remove());
  afterEach(async () => {
    for (const terminal of terminals.splice(0)) terminal.kill('SIGKILL');
    for (const api of apis.splice(0)) await api.close();
  });
  return {
    home: () => homeFor(installed.program),
    async scene(script) {
      const { folder } = homeFor(installed.program);
      const api = await startFakeApi(script, { models: [MODEL] });
      apis.push(api);
      const env = { ANTHROPIC_API_KEY: 'a-key-for-tests', ANTHROPIC_BASE_URL: api.url };
      return {
        folder,
        api,
        sent: (call) =>
          JSON.stringify(api.requests.filter(({ path }) => path === '/v1/messages')[call - 1]?.body),
        start(argv = [], more = {}) {
          const terminal = openTerminal(installed.program, ['--model', `anthropic/${MODEL}`, ...argv], {
            cwd: folder,
            ...more,
            env: { ...env, ...more.env },
          });
          terminals.push(terminal);
          return terminal;
        },
      };
    },
  };
}

/** The conversation waits for a prompt. */
export const PROMPT = /\n(plan)?>$/;

export const touch = (file: string, id: string) => call('Bash', { command: `touch ${file}` }, id);
