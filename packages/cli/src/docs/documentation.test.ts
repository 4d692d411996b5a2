/**
 * Runs every command in `docs/`, in order, in a folder with a session. The runs are offline, with the rehearsal model and a fake
 * provider. In a document, ID represents a session and MESSAGE its first message. Ctrl-D ends a conversation.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { spawn as openTerminal } from '@lydell/node-pty';
import { type FakeProvider, say, startFakeProvider } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isCommand } from '../arguments/program-commands.ts';
import { homeFor } from '../test/home.ts';
import { install, type Installed, linesOf } from '../test/program.ts';
import { documentsIn } from './commands.ts';

const documents = documentsIn(path.resolve(import.meta.dirname, '../../../../docs'));

let installed: Installed;
let openai: FakeProvider;
beforeAll(async () => {
  installed = await install();
  openai = await startFakeProvider('responses', () => say('An answer.'));
});
afterAll(async () => {
  installed.remove();
  await openai.close();
});

describe('the documentation', () => {
  it('shows more than 20 commands', () => {
    expect(documents.flatMap(({ commands }) => commands).length).toBeGreaterThan(20);
  });

  it.each(documents.filter(({ commands }) => commands.length > 0))(
    'shows only commands that work, in $name',
    async ({ name, commands }) => {
      const scene = await createProject(commands.some(({ command }) => NAMES_SESSION.test(command)));
      for (const { line, command } of commands) {
        const { code, output } = await scene.run(command);
        expect(`docs/${name}:${line} ${command}: ${code}\n${code === 0 ? '' : output}`).toBe(
          `docs/${name}:${line} ${command}: 0\n`,
        );
      }
    },
  );
});

interface Ran {
  readonly code: number;
  readonly output: string;
}

/** A command about the session of the project, or about its first message. */
const NAMES_SESSION = /\b(ID|MESSAGE)\b/;

/** A project with a file to read, and one session that read it if the document names one. */
async function createProject(hasSession: boolean): Promise<{ run(command: string): Promise<Ran> }> {
  const home = homeFor(installed.program);
  const folder = path.join(home.folder, 'project');
  mkdirSync(path.join(folder, '.git'), { recursive: true });
  writeFileSync(path.join(folder, 'README.md'), '# A project\n');
  const env = {
    PATH: `${path.dirname(installed.program)}${path.delimiter}${process.env['PATH'] ?? ''}`,
    HOME: home.folder,
    HEDDLE_CONFIG_DIR: path.join(home.folder, 'config'),
    HEDDLE_MODEL: 'rehearsal',
    OPENAI_API_KEY: 'a-key',
    OPENAI_BASE_URL: `${openai.url}/v1`,
    NO_COLOR: '1',
    TERM: 'dumb',
  };
  const inShell = (command: string): Promise<Ran> =>
    new Promise((resolve) => {
      execFile('bash', ['-c', command], { cwd: folder, env }, (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0;
        resolve({ code, output: `${stdout}${stderr}` });
      }).stdin?.end();
    });
  const first = hasSession
    ? await inShell('heddle -p --output-format stream-json --replay-user-messages "What is in this folder?"')
    : undefined;
  const lines = linesOf(first?.output ?? '');
  const session = String(lines.at(-1)?.['session_id']);
  const message = String(lines.find(({ type }) => type === 'user')?.['uuid']);
  return {
    run(shown) {
      const command = shown.replaceAll(/\bID\b/g, session).replaceAll(/\bMESSAGE\b/g, message);
      return isConversation(command) ? inTerminal(command, folder, env) : inShell(command);
    },
  };
}

/** `heddle` without `-p`, a pipe or a subcommand starts a conversation with the user. */
function isConversation(command: string): boolean {
  const [program, first = ''] = command.split(/\s+/);
  return (
    program === 'heddle' &&
    !isCommand(first) &&
    !/\s(-p|--print|--help|-h|--version|-v|--plain)(\s|$)|[|<>]/.test(command)
  );
}

function inTerminal(command: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  return new Promise((resolve) => {
    const terminal = openTerminal('bash', ['-c', command], { cwd, env, cols: 80, rows: 24 });
    let output = '';
    terminal.onData((data) => {
      output += data;
      if (output.endsWith('session> ')) terminal.write('1\r');
      // Sends Ctrl-D when the conversation waits for a prompt.
      else if (/(^|\n)> $/.test(output)) terminal.write('\u0004');
    });
    terminal.onExit(({ exitCode }) => resolve({ code: exitCode, output }));
  });
}
