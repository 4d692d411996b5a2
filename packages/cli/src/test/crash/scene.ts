/** One session with its folder, its API and the runs of the program in it. */
import { type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { fail, type FakeApi, startFakeApi } from '@heddle/testing';
import { type Ended, runProgram } from '../program.ts';
import { EFFECTS_FILE, CONTINUE, PROMPT, reply } from './story.ts';
import { openTap } from './tap.ts';
import { type Models, PLAIN_MODELS, type Trigger } from './trigger.ts';

export interface CrashSetup {
  readonly api: FakeApi;
  readonly sessionId: string;
  /** Runs the program, until it ends or the trigger kills it. */
  live(kind: 'first' | 'resumed', kill?: Trigger): Promise<Ended>;
  /** Runs the program with a maximum file size, which acts like a full disk. */
  liveOnFullDisk(kib: number): Promise<Ended>;
  /** Bytes of answers that were sent in the last run. */
  readonly streamed: number;
  /** The path of the session log; undefined if there is none. */
  journal(): string | undefined;
  effects(): string[];
  close(): Promise<void>;
}

const KILLER = pathToFileURL(path.join(import.meta.dirname, 'test/run-until-byte.ts')).href;

export async function openCrashSetup(program: string, models: Models = PLAIN_MODELS): Promise<CrashSetup> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-crash-'));
  writeFileSync(path.join(folder, 'notes.txt'), 'some notes\n');
  const sessionId = randomUUID();
  let child: ChildProcess | undefined;
  let requestsLeft = Number.POSITIVE_INFINITY;
  let servedByFirst = models.goneAfter ?? Number.POSITIVE_INFINITY;
  const api = await startFakeApi((body, request) => {
    if (--requestsLeft === 0) child?.kill('SIGKILL');
    if (body['model'] === FIRST_MODEL && --servedByFirst < 0) return fail('not_found');
    return reply(body, request);
  });
  const tap = await openTap(api.url);
  const effects = (): string[] => linesIn(path.join(folder, EFFECTS_FILE));
  const address = { ANTHROPIC_BASE_URL: tap.url, ANTHROPIC_API_KEY: 'key' };

  return {
    api,
    sessionId,
    async live(kind, kill) {
      requestsLeft = kill?.kind === 'request' ? kill.number : Number.POSITIVE_INFINITY;
      const byte = kill?.kind === 'stream' ? kill.byte : Number.POSITIVE_INFINITY;
      tap.expect(byte, () => child?.kill('SIGKILL'));
      if (kind === 'resumed') servedByFirst = Number.POSITIVE_INFINITY;
      const ended = await runProgram(program, argumentsOf(kind, sessionId, models), {
        cwd: folder,
        env: { ...address, ...environmentOf(kill) },
        onStart: (started) => {
          child = started;
        },
      });
      // The command outlives the program that it killed, and its effect still happens.
      if (ended.signal === 'SIGKILL' && kill?.kind === 'effect')
        await whenever(folder, () => effects().includes(kill.id));
      return ended;
    },
    liveOnFullDisk(kib) {
      const limited = ['-c', `ulimit -f ${kib}; exec "$@"`, 'bash', program];
      const env = address;
      return runProgram('bash', [...limited, ...argumentsOf('first', sessionId, models)], {
        cwd: folder,
        env,
      });
    },
    get streamed() {
      return tap.sent;
    },
    journal: () => journalIn(path.join(folder, 'config/projects'), sessionId),
    effects,
    async close() {
      tap.close();
      await api.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const FIRST_MODEL = 'scripted-1';
const OTHER_MODEL = 'scripted-2';

function argumentsOf(kind: 'first' | 'resumed', sessionId: string, { thinks, changes }: Models): string[] {
  const session = kind === 'first' ? ['--session-id', sessionId] : ['--resume', sessionId];
  const name = kind === 'resumed' && changes ? OTHER_MODEL : FIRST_MODEL;
  const model = ['--model', `anthropic/${name}`, '--fallback-model', `anthropic/${OTHER_MODEL}`];
  const thinking = ['--max-thinking-tokens', thinks ? '1024' : '0', '--allowed-tools', 'Bash'];
  const output = ['--output-format', 'stream-json', '--verbose'];
  return ['-p', kind === 'first' ? PROMPT : CONTINUE, ...session, ...model, ...thinking, ...output];
}

function environmentOf(kill: Trigger | undefined): Record<string, string> {
  switch (kill?.kind) {
    case 'journal':
    case 'stdout':
      return { NODE_OPTIONS: `--import=${KILLER}`, HEDDLE_CRASH_AT: `${kill.kind}:${kill.byte}` };
    case 'effect':
      return { HEDDLE_CRASH_EFFECT: `${kill.id}:${kill.when}` };
    default:
      return {};
  }
}

function journalIn(projects: string, sessionId: string): string | undefined {
  try {
    const [project = ''] = readdirSync(projects);
    const name = `${sessionId}.jsonl`;
    return readdirSync(path.join(projects, project)).includes(name)
      ? path.join(projects, project, name)
      : undefined;
  } catch {
    return undefined;
  }
}

function linesIn(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

/** Resolves when the condition is true. The condition is checked whenever the folder changes. */
async function whenever(folder: string, condition: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (condition()) resolve();
  };
  const watcher = watch(folder, look);
  look();
  await promise.finally(() => watcher.close());
}
