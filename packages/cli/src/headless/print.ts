/** `heddle -p`: prompts in, answers out, and an exit code that says how it ended. */
import { type AskPermission, failedStart, type SdkMessage, newUuid } from '@heddle/agent';
import type { LoopEvent } from '@heddle/core';
import { fstatSync } from 'node:fs';
import type { PrintCommand } from '../arguments/arguments.ts';
import type { ProgramServers } from '../mcp/program-servers.ts';
import { remembering } from '../permissions/setup.ts';
import { durationText } from '../terminal/amounts.ts';
import { agentOptions } from '../start/agent-options.ts';
import type { Host } from './host/host.ts';
import type { Service, ServiceSetup } from './host/service.ts';
import { SessionStateReporter } from './host/turn-lines.ts';
import { modelSetup } from '../start/model-options.ts';
import type { TranscriptMirror } from './output/transcript-mirror.ts';
import { createOutput, type HeadlessOutput } from './output/output.ts';
import { HEADLESS_COMMANDS } from '../slash/slash-commands.ts';
import { ASKING_TOOLS } from '../start/session-tools.ts';
import { closeInOrder } from '../start/close-in-order.ts';
import { startAgent, type StartedSession } from '../start/start-agent.ts';
import { HeadlessChat } from './headless-chat.ts';
import { runHostConversation, singlePrompt } from './host-conversation.ts';
import { fail, misuse, warn } from '../terminal/write-message.ts';

export async function print(command: PrintCommand): Promise<number> {
  const output = createOutput(command.outputFormat);
  if (command.inputFormat === 'stream-json') {
    const { createHost } = await import('./host/host.ts');
    const host = createHost(output, command.verbatim);
    // However it ends: a host that keeps its side open would keep the program alive.
    return runWithHost(command, output, host).finally(() => host.end?.());
  }
  if (command.initOnly) return runWithHost(command, output, singlePrompt('', true));
  const piped = await readPipe(command.prompt !== undefined);
  const prompt = [command.prompt, piped]
    .filter((part) => part !== undefined && part.trim() !== '')
    .join('\n\n');
  if (piped?.includes('\0')) return misuse('standard input is not text; name the file in the prompt');
  if (prompt === '') return misuse('there is no prompt: give one as an argument or through a pipe');
  return runWithHost(command, output, singlePrompt(prompt, command.verbatim));
}

/** Signals are watched from here on: what ends the program before it has begun gets its result, too. */
export async function runWithHost(
  command: PrintCommand,
  output: HeadlessOutput,
  host: Host,
): Promise<number> {
  const ending = new AbortController();
  const signals = watchSignals((reason) => ending.abort(reason));
  output.onClosed(() => ending.abort('output closed'));
  try {
    const code = await begin(command, output, host, ending.signal);
    return signals.exitCode() ?? (output.closed ? 1 : code);
  } finally {
    signals.release();
    if (output.stuck) process.exit(signals.exitCode() ?? 1);
  }
}

async function begin(
  given: PrintCommand,
  output: HeadlessOutput,
  host: Host,
  ending: AbortSignal,
): Promise<number> {
  const complete = (await host.initial?.addTo(given, ending)) ?? { ok: true as const, command: given };
  if (!complete.ok) return misuse(complete.message);
  const options = await agentOptions(complete.command);
  if (!options.ok) return misuse(options.message);
  const { command } = options;
  const state = new SessionStateReporter((line) => output.write(line));
  const answers = command.asksHost ? host.ask : await askerOf(command, options.options.mcp);
  const ask = answers && state.watching(remembering(answers, command.projectConfigRoot));
  const starting = await startAgent(command, options.options, {
    ...(ask ? { tools: { named: [...(command.tools ?? []), ...ASKING_TOOLS] } } : {}),
    services: host.services ?? {},
    entrypoint: 'sdk-cli',
    prompt: command.prompt,
    promptFollows: command.inputFormat !== 'stream-json',
    agent: {
      replayUserMessages: command.replayUserMessages,
      slashCommands: command.verbatim ? [] : OWN_COMMANDS,
      canUseTool: ask,
      takeQueued: host.takeQueued,
      onLine: (line) => void output.write(line),
    },
  });
  if (!starting.ok) {
    const { message, sessionId } = starting;
    // In the text format, the result already shows the message on standard error.
    if (command.outputFormat !== 'text') warn(message);
    await output.write(failedStart(message, { uuid: newUuid(), session_id: sessionId }));
    return 1;
  }
  const { notices, listen, listenToSubagents, close } = starting.started;
  listenToSubagents((line) => output.write(line));
  notices.forEach(warn);
  if (command.outputFormat === 'stream-json') {
    const { agent, hooks } = starting.started;
    const { hookLines } = await import('./output/hook-lines.ts');
    const write = (line: SdkMessage): unknown => output.write(line);
    hooks.onProgress(hookLines({ sessionId: agent.sessionId, all: command.hookEvents, write }));
  }
  const waiting = new WaitingNotice(warn);
  if (command.outputFormat === 'text') listen((event) => waiting.observe(event));
  const mirror = command.mirrorsSession ? await mirrorOf(starting.started) : undefined;
  const service = await serveHost(host, starting.started, {
    options: options.options,
    flags: command,
    firstModel: options.model,
    model: (name) => modelSetup(name, { record: command.record, stated: options.options.stated ?? {} }),
    write: (line) => output.write(line),
  });
  try {
    if (command.initOnly) return await runStartHooks(starting.started);
    const chat = new HeadlessChat(starting.started, options.options);
    return await runHostConversation({ chat, output, host, ending, service, state, mirror });
  } finally {
    waiting.end();
    await closeInOrder([
      () => (ending.aborted ? undefined : starting.started.agent.settle()),
      () => service?.end(),
      close,
      // The end of the session is stored last.
      () => mirror?.copyTo(output),
      () => mirror?.close(),
      () => options.options.mcp?.close(),
    ]);
  }
}

/** `--init-only`: the hooks that prepare a session run, and no prompt does. */
async function runStartHooks({ hooks }: StartedSession): Promise<number> {
  const stopped = await hooks.begin();
  if (stopped === undefined) return 0;
  return fail(stopped);
}

/** Undefined if the session is not stored. */
async function mirrorOf({ session }: StartedSession): Promise<TranscriptMirror | undefined> {
  const { path: file } = session.journal;
  if (file === undefined) return undefined;
  return new (await import('./output/transcript-mirror.ts')).TranscriptMirror(file);
}

/** The tool of an MCP server that answers permission questions, if one was named. */
async function askerOf(
  { askedTool }: PrintCommand,
  mcp: ProgramServers | undefined,
): Promise<AskPermission | undefined> {
  if (askedTool === undefined || mcp === undefined) return undefined;
  return (await import('./host/asked-tool.ts')).askTool(askedTool, mcp);
}

/** A host that only has one prompt needs no service. */
async function serveHost(
  host: Host,
  started: StartedSession,
  setup: ServiceSetup,
): Promise<Service | undefined> {
  if (host.requests === undefined) return undefined;
  return (await import('./host/service.ts')).serve(host, started, setup);
}

/** The commands that this surface runs. The engine names its own. */
const OWN_COMMANDS = HEADLESS_COMMANDS.filter(({ headless }) => headless !== 'engine').map(
  ({ name }) => name,
);

/** A prompt that is already there does not wait longer than this for a pipe that may never say anything. */
const SILENT_PIPE_MS = 1_000;

export async function readPipe(hasPrompt: boolean): Promise<string | undefined> {
  if (process.stdin.isTTY || !isPipeOrFile()) return undefined;
  process.stdin.setEncoding('utf8');
  let text = '';
  const end = new Promise<'ended'>((resolve) => {
    process.stdin.on('data', (chunk: string) => {
      text += chunk;
    });
    process.stdin.once('end', () => resolve('ended')).once('error', () => resolve('ended'));
  });
  if (!hasPrompt) {
    await end;
    return text;
  }
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silent'>((resolve) => {
    timer = setTimeout(() => resolve('silent'), SILENT_PIPE_MS);
  });
  const first = await Promise.race([end, silence]);
  clearTimeout(timer);
  if (first === 'silent' && text !== '') await end;
  process.stdin.destroy();
  return text;
}

/** A program that starts us may leave standard input open and never write to it: only pipes, sockets and files count. */
function isPipeOrFile(): boolean {
  try {
    const about = fstatSync(0);
    return about.isFIFO() || about.isFile() || about.isSocket();
  } catch {
    return false;
  }
}

/** Many answers take as long as the first mark: it is worth one line a run. Hardly any takes as long as the second. */
const FIRST_MARK_MS = 10_000;
const SECOND_MARK_MS = 60_000;

export class WaitingNotice {
  readonly #notify: (text: string) => void;
  #timers: readonly NodeJS.Timeout[] = [];
  #hasNotified = false;

  constructor(notify: (text: string) => void) {
    this.#notify = notify;
  }

  observe(event: LoopEvent): void {
    switch (event.type) {
      case 'stream_request_start':
      case 'compacting':
        return this.#begin(0);
      case 'retry':
        return this.#begin(event.delayMs);
      case 'stream_event':
      case 'hook_progress':
        return;
      default:
        return this.end();
    }
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** Starts the timers. The request is sent only after `pauseMs`. */
  #begin(pauseMs: number): void {
    this.end();
    const first = (): void => {
      if (!this.#hasNotified) this.#say(FIRST_MARK_MS);
      this.#hasNotified = true;
    };
    this.#timers = [
      setTimeout(first, pauseMs + FIRST_MARK_MS).unref(),
      setTimeout(() => this.#say(SECOND_MARK_MS), pauseMs + SECOND_MARK_MS).unref(),
    ];
  }

  #say(waitedMs: number): void {
    this.#notify(`still waiting for the model's answer, ${durationText(waitedMs)}`);
  }
}

// The first signal ends the turn, which still writes its result. A second one ends the program at once, except SIGHUP:
// a window that is closed sends two, one from the terminal and one from its shell.

export interface Signals {
  /** Set once a signal came: the code that tells which. */
  exitCode(): number | undefined;
  release(): void;
}

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export function watchSignals(abort: (reason: string) => void): Signals {
  let code: number | undefined;
  const listeners = Object.entries(CODES).map(([signal, signalCode]) => {
    const listener = (): void => {
      if (code !== undefined) return signal === 'SIGHUP' ? undefined : process.exit(code);
      code = signalCode;
      abort(signal);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  // A run may wait for something that keeps no process alive; it must end with its result all the same.
  const alive = setInterval(() => undefined, 2 ** 30);
  return {
    exitCode: () => code,
    release() {
      clearInterval(alive);
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}
