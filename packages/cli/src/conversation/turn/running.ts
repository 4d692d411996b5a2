/**
 * Shows calls that take long, with their duration and their last line of output. A screen with a status line updates it
 * every second. Other screens print a line at growing intervals.
 */
import type { SdkMessage } from '@heddle/agent';
import { isToolResult, type Json, type LoopEvent, type ToolIntent } from '@heddle/core';
import type { Task } from '@heddle/tools';
import { stripVTControlCharacters } from 'node:util';
import { escapeControls } from '../../terminal/escape-controls.ts';
import { durationText, shortened } from '../../terminal/amounts.ts';
import { callLine, progressText } from '../../terminal/call-line.ts';
import type { StartedSession } from '../../start/start-agent.ts';

interface RunningSetup {
  readonly cwd: string;
  readonly now: () => number;
  /** Sets the status line. Undefined removes it. */
  readonly show: (text: string | undefined) => void;
  /** Prints a line; undefined if the screen has a status line. */
  readonly note: ((text: string) => void) | undefined;
}

interface Call {
  readonly line: string;
  readonly startedAt: number;
  lastLine: string;
  nextNoteMs: number;
}

/** Shorter calls are not shown. */
const LONG_MS = 10_000;
const TICK_MS = 1_000;
const LONGEST_LINE = 60;
const LONGEST_CALL = 60;
/** The length in the status line, which also shows the time and the output. */
const SHORT_CALL = 24;
/** These tools wait for the user. */
const WAITING_FOR_THE_USER: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

export class Running {
  readonly #setup: RunningSetup;
  /** The calls in the order in which they started. */
  readonly #calls = new Map<string, Call>();
  #timer: NodeJS.Timeout | undefined;

  constructor(setup: RunningSetup) {
    this.#setup = setup;
  }

  observe(event: LoopEvent): void {
    if (event.type === 'tool_intent') this.#begin(event);
    else if (event.type === 'progress') this.#noteProgress(event.toolUseId, event.data);
    else if (event.type === 'message' && event.message.type === 'user') {
      const { content } = event.message;
      const results = typeof content === 'string' ? [] : content.filter(isToolResult);
      for (const { tool_use_id: id } of results) this.#calls.delete(id);
      if (results.length > 0 && this.#calls.size === 0) this.end();
    }
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#calls.clear();
    this.#setup.show(undefined);
  }

  #begin({ toolUseId, tool, input, ...place }: ToolIntent): void {
    if (WAITING_FOR_THE_USER.has(tool)) return;
    const { cwd, now } = this.#setup;
    const line = shortened(callLine(tool, input, cwd, place), LONGEST_CALL);
    this.#calls.set(toolUseId, { line, startedAt: now(), lastLine: '', nextNoteMs: LONG_MS });
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  #noteProgress(id: string, data: Json): void {
    const call = this.#calls.get(id);
    const output = progressText(data);
    if (!call || output === undefined) return;
    const last = stripVTControlCharacters(output)
      .split(/[\r\n]+/)
      .map((line) => line.trim())
      .findLast((line) => line !== '');
    if (last !== undefined) call.lastLine = escapeControls(shortened(last, LONGEST_LINE));
  }

  #tick(): void {
    const now = this.#setup.now();
    const long = [...this.#calls.values()].filter(({ startedAt }) => now - startedAt >= LONG_MS);
    const [oldest, ...others] = long;
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    this.#setup.show(oldest && `  (${rowOf(oldest, now)}${more})`);
    for (const call of long) {
      if (now - call.startedAt < call.nextNoteMs) continue;
      call.nextNoteMs = (now - call.startedAt) * 2;
      this.#setup.note?.(stateOf(call, now));
    }
  }
}

/** Puts the most important facts first, because the row may be cut. */
function rowOf({ line, startedAt, lastLine }: Call, now: number): string {
  const runs = `${secondsOf(now - startedAt)}, ${shortened(line, SHORT_CALL)}`;
  return lastLine === '' ? runs : `${runs}: ${lastLine}`;
}

function stateOf({ line, startedAt, lastLine }: Call, now: number): string {
  const runs = `${line} runs, ${secondsOf(now - startedAt)}`;
  return lastLine === '' ? runs : `${runs}: ${lastLine}`;
}

function secondsOf(ms: number): string {
  return durationText(ms).replace('.0 s', ' s');
}

/** The delay of the first note. Later delays double. */
const FIRST_NOTE_MS = 10_000;

/** Prints a note while the model has not started to answer. */
export class SilenceTimer {
  readonly #note: (text: string) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(note: (text: string) => void) {
    this.#note = note;
  }

  observe(event: LoopEvent): void {
    switch (event.type) {
      case 'stream_request_start':
      case 'compacting':
        return this.#wait(0, FIRST_NOTE_MS);
      case 'retry':
        return this.#wait(0, FIRST_NOTE_MS, event.delayMs);
      case 'stream_event':
        return event.event.type === 'ping' ? undefined : this.end();
      default:
        return this.end();
    }
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** `pause`: the delay before the next request, in milliseconds. */
  #wait(waitedMs: number, untilMs: number, pause = 0): void {
    this.end();
    const sign = (): void => {
      this.#note(`no answer yet, ${durationText(untilMs)}; Ctrl-C interrupts`);
      this.#wait(untilMs, untilMs * 2);
    };
    this.#timer = setTimeout(sign, pause + untilMs - waitedMs).unref();
  }
}

/** Prints a note when a command or a subagent in the background ends. */
export class EndedTasks {
  readonly #known = new WeakSet<object>();
  readonly #notify: (line: string) => void;

  constructor(notify: (line: string) => void) {
    this.#notify = notify;
  }

  /** Watches the tasks of a session that are not watched yet. */
  watch({ tasks, listenToSubagents }: Pick<StartedSession, 'tasks' | 'listenToSubagents'>): void {
    if (!this.#known.has(tasks)) listenToSubagents((line) => this.#observe(line));
    this.#known.add(tasks);
    for (const task of tasks.list()) {
      if (this.#known.has(task)) continue;
      this.#known.add(task);
      void task.ended.then(() => this.#notify(lineOf(task)));
    }
  }

  /** A line of a subagent in the background. */
  #observe(line: SdkMessage): void {
    if (line.type !== 'system' || line.subtype !== 'task_notification') return;
    const { task_id, status, summary } = line;
    this.#notify(`background agent ${task_id} ${status}: ${escapeControls(shortened(summary, 80))}`);
  }
}

function lineOf({ id, spec, end }: Task): string {
  const how = end?.kind === 'exited' ? `exit code ${end.code}` : (end?.kind ?? 'ended');
  return `background task ${id} ended, ${how}: ${escapeControls(shortened(spec.command, 80))}`;
}
