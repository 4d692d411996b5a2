/**
 * One shell command, from its start to its end. Foreground and background differ only in the waiting
 * caller.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs';
import path from 'node:path';
import { findBash } from '../programs.ts';
import { type Channel, openChannel } from './channel.ts';
import type { ConfinedEnd, Confinement } from './confinement.ts';
import { endGroup, endTree, inheritedDescriptors, LABEL_VARIABLE, startTimeOf } from './process-table.ts';
import { TaskOutputFile } from './output.ts';
import { removeRecord, type TaskRecord, writeRecord } from './record.ts';
import type { TaskEnd } from './preview.ts';

export interface TaskSpec {
  readonly command: string;
  /** The call that it runs for. */
  readonly callId?: string | undefined;
  /** The subagent that made the call. Undefined: the main conversation. */
  readonly agentId?: string | undefined;
  readonly description?: string | undefined;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Bytes of each end of its output that stay in memory, if not the default. */
  readonly keepBytes?: number | undefined;
  /** The sandbox it runs in. Undefined: none. */
  readonly confinement?: Confinement | undefined;
  /** Its programs store temporary files in a folder that is removed at its end. A sandbox has such a folder anyway. */
  readonly changesNothing?: boolean | undefined;
}

interface TaskSettings {
  readonly folder: string;
  /** Bytes of each end of the output that stay in memory. */
  readonly keepBytes: number;
  /** Bytes of output after which a command is ended, because the disk is finite. */
  readonly maxOutputBytes: number;
}

/** After everything was killed, the shell's own end is reported at once, or never. */
const GIVE_UP_MS = 300;

export function outputFile(folder: string, id: string): string {
  return path.join(folder, `${id}.out`);
}

export class Task {
  readonly id: string;
  /**
   * Carried by its processes. Unlike the id it is unique, also if a session is replayed beside this one.
   */
  readonly label = randomUUID();
  readonly spec: TaskSpec;
  readonly output: TaskOutputFile;
  readonly startedAt = Date.now();
  /** Never rejects. */
  readonly ended: Promise<TaskEnd>;
  /** Undefined while it runs. */
  end: TaskEnd | undefined;
  endedAt: number | undefined;
  lastOutputAt = Date.now();
  /** The folder of the shell at its end, if it was reported. */
  directoryAtEnd: string | undefined;
  /** Processes that it left in the background were ended with it. */
  leftSomething = false;
  /** Notes of its sandbox. */
  notes: readonly string[] = [];
  onOutput: (() => void) | undefined;
  /** Lets the call that waits for it return. Undefined if no call waits. */
  leaveCall: (() => void) | undefined;

  readonly #settings: TaskSettings;
  readonly #settled = Promise.withResolvers<TaskEnd>();
  #isFinishing = false;
  #child: ChildProcess | undefined;
  #channel: Channel | undefined;
  #stopped: { readonly why: string; readonly done: Promise<void> } | undefined;

  constructor(id: string, spec: TaskSpec, settings: TaskSettings) {
    this.id = id;
    this.spec = spec;
    this.#settings = settings;
    this.output = new TaskOutputFile(outputFile(settings.folder, id), settings.keepBytes);
    this.ended = this.#settled.promise;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when the shell runs, or could not be started. */
  async start(): Promise<void> {
    const { command, directory, environment, confinement } = this.spec;
    const { folder } = this.#settings;
    const record = { id: this.id, label: this.label, command, directory, startedAt: this.startedAt };
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeRecord(folder, { ...record, leader: undefined });
      this.#channel = await openChannel(folder, this.id, (chunk) => this.#take(chunk));
      const { stdio } = this.#channel;
      const script = scriptOf(command, this.#reportFile, confinement !== undefined);
      const launch = (await confinement?.start(script)) ?? {
        ok: true,
        file: findBash(environment['PATH'], [directory]),
        args: ['--noprofile', '--norc', '-c', script],
      };
      if (!launch.ok) return await this.#finish({ kind: 'not_started', why: launch.why });
      // It was stopped during its preparation. Nothing else would end it.
      if (this.#stopped) return await this.#finish({ kind: 'stopped', why: this.#stopped.why });
      const labels = [environment[LABEL_VARIABLE], this.label].filter(Boolean).join(' ');
      this.#child = spawn(launch.file, [...launch.args], {
        cwd: directory,
        env: { ...environment, ...this.#temporaryFolder(), [LABEL_VARIABLE]: labels },
        detached: true,
        stdio: ['ignore', stdio, stdio, ...(launch.inherits ?? [])],
      });
    } catch (thrown) {
      return this.#finish({ kind: 'not_started', why: reasonOf(thrown) });
    }
    this.#channel.attach(this.#child);
    this.#child.on('error', (error) => void this.#finish({ kind: 'not_started', why: reasonOf(error) }));
    this.#child.once('exit', (code, signal) => {
      void this.#finish(
        signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal },
      );
    });
    this.#recordLeader(record);
  }

  /** Ends it with all its child processes. Resolves when that is done. */
  stop(why: string): Promise<void> {
    if (this.end !== undefined) return Promise.resolve();
    this.#stopped ??= { why, done: this.#endTree() };
    return this.#stopped.done;
  }

  /** For the very end of the program, which cannot wait. */
  killNow(): void {
    if (this.end === undefined && this.pid !== undefined) endGroup(this.pid);
  }

  #recordLeader(record: Omit<TaskRecord, 'boot' | 'owner' | 'leader'>): void {
    const { pid } = this;
    const startTime = pid === undefined ? undefined : startTimeOf(pid);
    if (pid === undefined || startTime === undefined || this.#isFinishing) return;
    try {
      writeRecord(this.#settings.folder, { ...record, leader: { pid, startTime } });
    } catch {
      // The folder was removed. Its processes still carry the label.
    }
  }

  async #endTree(): Promise<void> {
    await endTree(this.pid, this.label);
    // A process that we may not end (another user's) must not be waited for.
    setTimeout(() => void this.#finish({ kind: 'signalled', signal: 'SIGKILL' }), GIVE_UP_MS).unref();
  }

  get #reportFile(): string {
    return this.spec.confinement?.report ?? path.join(this.#settings.folder, `${this.label}.end`);
  }

  get #ownFolder(): string {
    return path.join(this.#settings.folder, `${this.label}.tmp`);
  }

  /** Programs such as `sort` and `tac` store large inputs in this folder. */
  #temporaryFolder(): Readonly<Record<string, string>> {
    if (!this.spec.changesNothing || this.spec.confinement !== undefined) return {};
    const folder = this.#ownFolder;
    mkdirSync(folder, { mode: 0o700 });
    return { TMPDIR: folder, TMP: folder, TEMP: folder };
  }

  #take(chunk: Buffer): Promise<void> | undefined {
    const storing = this.output.add(chunk);
    this.lastOutputAt = Date.now();
    if (this.output.bytes > this.#settings.maxOutputBytes) {
      void this.stop(`its output passed ${this.#settings.maxOutputBytes} bytes`);
    }
    this.onOutput?.();
    return storing;
  }

  async #finish(natural: TaskEnd): Promise<void> {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    const stopped = this.#stopped;
    await stopped?.done;
    if (this.pid !== undefined && stopped === undefined) this.leftSomething = endGroup(this.pid);
    await this.#channel?.close();
    await this.output.close();
    removeFolder(this.#ownFolder);
    const { confinement } = this.spec;
    const { directory, leftSomething } = takeReport(this.#reportFile, confinement !== undefined);
    this.directoryAtEnd = directory;
    this.leftSomething ||= leftSomething && stopped === undefined;
    this.notes = (await confinement?.ended(this.#confinedEnd(natural))) ?? [];
    removeRecord(this.#settings.folder, this.id);
    this.end = stopped ? { kind: 'stopped', why: stopped.why } : natural;
    this.endedAt = Date.now();
    this.#settled.resolve(this.end);
  }

  #confinedEnd(end: TaskEnd): ConfinedEnd {
    const { head, tail } = this.output.view();
    const failed = end.kind === 'signalled' || (end.kind === 'exited' && end.code !== 0);
    return { failed: failed && this.#stopped === undefined, output: tail === '' ? head : tail };
  }
}

/** A folder that cannot be removed must not keep the command from ending. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It stays in the folder of the session.
  }
}

function reasonOf(thrown: unknown): string {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if ('code' in error && error.code === 'E2BIG')
    return 'the command is too long; write it to a file and run that';
  return error.message;
}

interface ShellReport {
  readonly directory: string | undefined;
  readonly leftSomething: boolean;
}

/** Longer than any path. */
const MAX_BYTES = 16_384;
const LEFT = 'left';

/**
 * Passes the command as the shell's own text: its errors name its own lines, and it sees no parameters.
 * `confined`: its remaining processes end with its sandbox, so only the shell can report them.
 */
function scriptOf(command: string, file: string, confined: boolean): string {
  const left = confined ? `; case $(builtin jobs -pr) in ?*) builtin echo ${LEFT};; esac` : '';
  const report = `{ { builtin pwd -P${left}; } >${quoted(file)}; } 2>/dev/null`;
  const closed = inheritedDescriptors().map((descriptor) => `${descriptor}>&-`);
  const close = closed.length === 0 ? '' : `exec ${closed.join(' ')}; `;
  return `${close}trap ${quoted(report)} EXIT; eval ${quoted(command)}`;
}

/** The command could write there, so only a plain file is opened, without waiting. */
function takeReport(file: string, confined: boolean): ShellReport {
  const lines = textOf(file).split('\n');
  rmSync(file, { force: true, recursive: true });
  // A path may contain line breaks.
  const leftSomething = confined && lines.at(-2) === LEFT;
  const directory = lines.slice(0, leftSomething ? -2 : -1).join('\n');
  return { directory: directory === '' ? undefined : directory, leftSomething };
}

function textOf(file: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!fstatSync(fd).isFile()) return '';
    const buffer = Buffer.alloc(MAX_BYTES);
    return buffer.toString('utf8', 0, readSync(fd, buffer));
  } catch {
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
