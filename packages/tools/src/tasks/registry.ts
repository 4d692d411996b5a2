/** The commands of one session: the running ones, and background tasks that can still be queried. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { makeTemporaryFolder, removeTemporaryFolder } from '../files/temporary-folder.ts';
import { type EndedTask, type EndedTaskNotice, removeNotice, writeNotice } from './ended-task-notices.ts';
import { outputFile, Task, type TaskSpec } from './task.ts';

export interface RegistryOptions {
  /** For outputs and records. A resumed session passes the same one. Default: a temporary folder, removed at the end. */
  readonly folder?: string;
  readonly keepBytes?: number;
  readonly maxOutputBytes?: number;
  /** Tasks of an earlier run whose end was not reported yet. */
  readonly earlier?: readonly EndedTask[];
}

/** 30,000 characters are shown whole. */
const KEEP_BYTES = 15_000;
const MAX_OUTPUT_BYTES = 5 * 1024 ** 3;
/** The number of ended background tasks that can still be queried. */
const REMEMBERED = 100;

export class TaskRegistry {
  readonly #options: RegistryOptions;
  readonly #running = new Set<Task>();
  readonly #background = new Map<string, Task>();
  /** Background tasks that have ended and were not reported yet. */
  readonly #news = new Map<string, EndedTask>();
  readonly #reported = new Set<string>();
  readonly #ids = new Set<string>();
  #folder: string | undefined;

  constructor(options: RegistryOptions = {}) {
    this.#options = options;
    for (const ended of options.earlier ?? []) this.#news.set(ended.id, ended);
  }

  get folder(): string {
    this.#folder ??= this.#options.folder ?? createTemporaryFolder();
    return this.#folder;
  }

  /** Starts a command. It is in the foreground until `moveToBackground`. */
  async start(spec: TaskSpec, onOutput?: (task: Task) => void): Promise<Task> {
    const { maxOutputBytes = MAX_OUTPUT_BYTES } = this.#options;
    const keepBytes = spec.keepBytes ?? this.#options.keepBytes ?? KEEP_BYTES;
    const id = taskId(spec.callId, (candidate) => this.#isTaken(candidate));
    const task = new Task(id, spec, { folder: this.folder, keepBytes, maxOutputBytes });
    this.#ids.add(id);
    if (onOutput) task.onOutput = () => onOutput(task);
    this.#running.add(task);
    void task.ended.then(() => this.#running.delete(task));
    endWithProgram(task);
    await task.start();
    return task;
  }

  async moveToBackground(task: Task): Promise<void> {
    task.onOutput = undefined;
    this.#background.set(task.id, task);
    const file = await task.output.keepWhole();
    if (task.end === undefined) writeNotice(this.folder, newsOf(task, file));
    void this.#announceEnd(task, file);
  }

  /**
   * Lets waiting calls return while their commands continue: that of one call, or all of the main conversation. A subagent
   * moves as a whole, so its calls keep waiting. Returns whether there was one.
   */
  leaveCalls(callId?: string): boolean {
    const waiting = [...this.#running].filter(
      ({ spec, leaveCall }) =>
        leaveCall && (callId === undefined ? spec.agentId === undefined : spec.callId === callId),
    );
    for (const task of waiting) task.leaveCall?.();
    return waiting.length > 0;
  }

  /** Returns a background task. Foreground tasks cannot be queried. */
  get(id: string): Task | undefined {
    return this.#background.get(id);
  }

  list(): readonly Task[] {
    return [...this.#background.values()];
  }

  /** Background tasks that have ended, until `markReported` is called for them. */
  get news(): readonly EndedTask[] {
    return [...this.#news.values()];
  }

  /** Records that its end was reported. */
  markReported(id: string): void {
    this.#reported.add(id);
    this.#news.delete(id);
    removeNotice(this.folder, id);
  }

  /** Ends everything. For the end of a session. */
  async dispose(): Promise<void> {
    const running = [...this.#running];
    await Promise.all(running.map((task) => task.stop('the session ended')));
    await Promise.all(running.map((task) => task.ended));
    if (this.#folder !== undefined) removeIfTemporary(this.#folder);
  }

  /** Also checks an earlier run of this session. */
  #isTaken(id: string): boolean {
    return this.#ids.has(id) || this.#news.has(id) || existsSync(outputFile(this.folder, id));
  }

  #forgetOldest(): void {
    const ended = this.list().filter((task) => task.end !== undefined);
    for (const task of ended.slice(0, Math.max(ended.length - REMEMBERED, 0))) {
      this.#background.delete(task.id);
      void task.output.remove();
    }
  }

  async #announceEnd(task: Task, file: string): Promise<void> {
    const end = await task.ended;
    this.#forgetOldest();
    if (this.#reported.has(task.id)) return;
    const ended: EndedTask = { ...newsOf(task, file), end };
    this.#news.set(task.id, ended);
    writeNotice(this.folder, ended);
  }
}

function newsOf({ id, spec, output }: Task, file: string): EndedTaskNotice {
  return { id, command: spec.command, bytes: output.bytes, file };
}

/** Running tasks and temporary folders of all registries. They end with the program. */
const toEnd = new Set<Task>();
const temporaryFolders = new Set<string>();
let isListening = false;

function endWithProgram(task: Task): void {
  listenForExit();
  toEnd.add(task);
  void task.ended.then(() => toEnd.delete(task));
}

function createTemporaryFolder(): string {
  const folder = makeTemporaryFolder('tasks');
  listenForExit();
  temporaryFolders.add(folder);
  return folder;
}

function removeIfTemporary(folder: string): void {
  if (temporaryFolders.delete(folder)) removeTemporaryFolder(folder);
}

function listenForExit(): void {
  if (isListening) return;
  isListening = true;
  process.once('exit', () => {
    for (const task of toEnd) task.killNow();
    for (const folder of temporaryFolders) removeIfTemporary(folder);
  });
}

/** `isTaken`: calls may share an id, in a script or after a rewind. */
export function taskId(callId: string | undefined, isTaken: (id: string) => boolean): string {
  const seed = callId ?? randomUUID();
  for (let nth = 1; ; nth += 1) {
    const id = shortId(nth === 1 ? seed : `${seed} ${nth}`);
    if (!isTaken(id)) return id;
  }
}

function shortId(seed: string): string {
  return `b${createHash('sha256').update(seed).digest('hex').slice(0, 8)}`;
}
