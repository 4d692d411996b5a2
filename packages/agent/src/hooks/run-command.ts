/** Runs a command hook: the event on standard input, the answer on standard output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { environmentIn, errorMessage } from '@heddle/core';
import { emptyFilesFrom, findProgram } from '@heddle/tools';
import type { HookHandler } from './definition.ts';
import type { HandlerResult } from './outcome.ts';

export interface CommandRun {
  readonly handler: Extract<HookHandler, { type: 'command' }>;
  /** One line of JSON. */
  readonly input: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Ends the command, also after it was detached. */
  readonly signal: AbortSignal;
  /** No longer heeded once the command was detached. */
  readonly eventSignal?: AbortSignal | undefined;
  /** Called with output as it arrives, for hook progress events. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

/** Bash reads the user's `.bashrc` when its input is a socket, unless it is a nested shell. */
const SHELL_LEVEL = { SHLVL: '1' };
/** Output beyond this is read and dropped, so that a hook that floods cannot fill the memory. A JSON answer is then unreadable. */
const MAX_OUTPUT_BYTES = 1_000_000;
/** A first line longer than this is not a request to continue in the background. */
const MAX_FIRST_LINE = 1_000;
/** After the process ended, descendants that inherited its pipes get this long to finish writing. */
const DRAIN_MS = 200;
/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 500;

/** Never rejects. On timeout and abort the whole process group is ended. */
export function runCommandHook(run: CommandRun): Promise<HandlerResult> {
  const { input, timeoutMs, onOutput } = run;
  const signals = [run.signal, ...(run.eventSignal === undefined ? [] : [run.eventSignal])];
  if (signals.some(({ aborted }) => aborted))
    return Promise.resolve(failed('aborted', 'It was withdrawn before it started.'));
  const { promise, resolve } = Promise.withResolvers<HandlerResult>();
  const stdout = new CappedText(onOutput);
  const stderr = new CappedText();
  let child: ChildProcess;
  try {
    child = startCommand(run);
  } catch (thrown) {
    return Promise.resolve(failed('not_started', errorMessage(thrown)));
  }

  let settle = (result: HandlerResult): void => {
    stopWaiting();
    resolve(result);
  };
  const end = (result: HandlerResult): void => {
    endGroup(child);
    releaseOutput(child);
    settle(result);
  };
  const abort = (): void => end(failed('aborted', 'It was withdrawn.'));
  const expire = (): void => end(failed('timeout', `It gave no answer within ${timeoutMs / 1_000} s.`));
  let timer = setTimeout(expire, timeoutMs);
  for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
  const stopWaiting = (): void => {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', abort);
  };

  /** Answers the event at once and collects the rest of the run. */
  const detach = (limitMs: number): void => {
    stopWaiting();
    const { promise: rest, resolve: resolveRest } = Promise.withResolvers<HandlerResult>();
    resolve({ kind: 'detached', rest });
    timer = setTimeout(expire, limitMs);
    run.signal.addEventListener('abort', abort, { once: true });
    settle = (result) => {
      stopWaiting();
      resolveRest(result);
    };
  };
  const readFirstLine = firstLineReader((request) => {
    stdout.clear();
    detach(request.timeoutMs ?? timeoutMs);
  });

  child.on('error', (error) => settle(failed('not_started', error.message)));
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout.add(chunk);
    readFirstLine(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk));
  child.on('exit', (code, byInterrupt) => {
    const finish = (): void => {
      releaseOutput(child);
      if (byInterrupt !== null) return settle(failed('error', `It was ended by ${byInterrupt}.`));
      settle({
        kind: 'exited',
        code: code ?? 0,
        stdout: stdout.text,
        stderr: stderr.text,
        isCut: stdout.isCut,
      });
    };
    child.once('close', finish);
    // If this process was delayed, pending output is read first.
    setTimeout(() => setImmediate(finish), DRAIN_MS).unref();
  });
  // A hook may exit without reading its input.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(`${input}\n`);
  return promise;
}

/** Throws if the command cannot be started. */
function startCommand({ handler, cwd, environment }: CommandRun): ChildProcess {
  const [program, args] = commandLine(handler);
  return spawn(program, args, {
    cwd,
    env: { ...SHELL_LEVEL, ...environmentIn(cwd, environment) },
    stdio: ['pipe', 'pipe', 'pipe', ...emptyFilesFrom(3)],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

/** Returns a function for the chunks of the output. If the first line asks for the background, `onRequest` is called. */
function firstLineReader(onRequest: (request: AsyncRequest) => void): (chunk: Buffer) => void {
  let firstLine: string | undefined = '';
  return (chunk) => {
    if (firstLine === undefined) return;
    firstLine += chunk.toString('utf8');
    const at = firstLine.indexOf('\n');
    if (at < 0 && firstLine.length <= MAX_FIRST_LINE) return;
    const request = asyncRequest(firstLine.slice(0, Math.max(at, 0)));
    firstLine = undefined;
    if (request) onRequest(request);
  };
}

interface AsyncRequest {
  readonly timeoutMs: number | undefined;
}

/** Reads `{"async":true}`, which a command prints as its first line to continue in the background. */
function asyncRequest(line: string): AsyncRequest | undefined {
  if (!line.trimStart().startsWith('{') || !line.includes('"async"')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || !('async' in value) || value.async !== true)
      return undefined;
    const limit = 'asyncTimeout' in value ? value.asyncTimeout : undefined;
    return { timeoutMs: typeof limit === 'number' && limit > 0 ? limit : undefined };
  } catch {
    return undefined;
  }
}

function commandLine({ command, args, shell }: CommandRun['handler']): [string, readonly string[]] {
  if (args !== undefined) return [command, args];
  if (process.platform === 'win32' && shell === undefined) return ['cmd.exe', ['/d', '/s', '/c', command]];
  return [shell === undefined ? '/bin/sh' : shellNamed(shell), ['-c', command]];
}

/** A name without a folder would be searched again, also in the project. */
function shellNamed(shell: string): string {
  const found = findProgram(process.env['PATH'], shell);
  return found ?? (process.platform === 'win32' ? shell : path.resolve('/bin', shell));
}

function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS).unref();
}

/** A process that the command left behind may keep its output open. The program does not wait for that to end. */
function releaseOutput({ stdin, stdout, stderr }: ChildProcess): void {
  for (const stream of [stdin, stdout, stderr]) if (stream instanceof Socket) stream.unref();
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // The group has ended already.
  }
}

class CappedText {
  readonly #chunks: Buffer[] = [];
  readonly #onText: ((text: string) => void) | undefined;
  /** A character may be split into two chunks. */
  readonly #decoder = new StringDecoder('utf8');
  #bytes = 0;
  #isCut = false;

  constructor(onText?: (text: string) => void) {
    this.#onText = onText;
  }

  add(chunk: Buffer): void {
    const room = MAX_OUTPUT_BYTES - this.#bytes;
    this.#isCut ||= chunk.length > room;
    if (room <= 0) return;
    const kept = chunk.subarray(0, room);
    this.#bytes += kept.length;
    this.#chunks.push(kept);
    this.#onText?.(this.#decoder.write(kept));
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#bytes = 0;
    this.#isCut = false;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

function failed(kind: 'error' | 'timeout' | 'aborted' | 'not_started', message: string): HandlerResult {
  return { kind: 'failed', failure: { kind, message } };
}
