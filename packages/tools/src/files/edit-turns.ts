/**
 * The order of edits that were permitted without a question, and of commands that were proven to read, in all conversations of this
 * process. Their decisions depend on the files of that time. A move is an edit that moves, removes or replaces folders or links, so that
 * the words of other commands lead elsewhere.
 *
 * Contract:
 * - Each edit runs alone: a file tool, or a script of edits. A file can change what the next one means for git.
 * - If another edit ended since the decision, the decision is made again before the call runs. For a read, only moves count.
 * - No read runs in the foreground while a move runs: the one that came later waits. If a read runs in the background, a move is
 *   decided again, and that decision knows about the read. A read in folders apart from those of the move does not count.
 * - A wait ends with the signal of the call, and after a time limit. Then the call changes nothing.
 */
import { realpathSync } from 'node:fs';
import type { CallContext } from '@heddle/core';
import { Interrupted, waitOrInterrupt } from './abort.ts';

/** Decides again. Returns why the call may not run, or undefined if the decision is the same. */
type DecideAgain = () => Promise<string | undefined>;

interface Decision {
  /** The number of edits that had ended, and of moves among them. */
  readonly edits: number;
  readonly moves: number;
  readonly decideAgain: DecideAgain;
}

type Call = Pick<CallContext, 'signal' | 'toolUseId' | 'workingDirectory' | 'workingFolders'>;

interface RunningRead {
  /** The folders that its conversation works in, without links. */
  readonly folders: readonly string[];
  /** Settles when it ends, or continues in the background. */
  readonly left: Promise<void>;
  isInBackground: boolean;
}

/** How long a call waits for others. Most of them take milliseconds. */
const MOST_WAIT_MS = 60_000;

/** By the signal of a call and its id: a signal may belong to several calls. */
const decisions = new WeakMap<AbortSignal, Map<string, Decision>>();
/** The end of the last edit, and of those before it. */
let last: Promise<void> = Promise.resolve();
let edits = 0;
let moves = 0;
/** The end of the move that runs. */
let moving: Promise<void> | undefined;
const reads = new Set<RunningRead>();

/** Remembers how to decide again about a call. Call it before the files are looked at. */
export function rememberDecision(): (signal: AbortSignal, callId: string, decideAgain: DecideAgain) => void {
  const before = { edits, moves };
  return (signal, callId, decideAgain) => {
    const known = decisions.get(signal) ?? new Map<string, Decision>();
    decisions.set(signal, known.set(callId, { ...before, decideAgain }));
  };
}

function takeDecision({ signal, toolUseId }: Call): Decision | undefined {
  const decision = decisions.get(signal)?.get(toolUseId);
  decisions.get(signal)?.delete(toolUseId);
  return decision;
}

/** Returns whether a command that was proven to read runs in the background, in or around one of some folders. */
export function readsInBackground(folders: readonly string[]): boolean {
  return readsBeside(folders.map(realFolder)).some(({ isInBackground }) => isInBackground);
}

function readsBeside(folders: readonly string[]): readonly RunningRead[] {
  const areRelated = (one: string, other: string): boolean =>
    `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
  return [...reads].filter((read) =>
    read.folders.some((own) => folders.some((folder) => areRelated(own, folder))),
  );
}

function foldersOf({ workingDirectory, workingFolders }: Call): readonly string[] {
  return [workingDirectory, ...(workingFolders?.() ?? [])].map(realFolder);
}

/** Returns the path without links and without a slash at its end. */
function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder).replace(/\/$/, '');
  } catch {
    return folder.replace(/\/$/, '');
  }
}

interface EditOptions {
  readonly isMove?: boolean;
  readonly mostWaitMs?: number;
}

export async function inEditTurn<T>(
  call: Call,
  work: () => Promise<T>,
  { isMove = false, mostWaitMs = MOST_WAIT_MS }: EditOptions = {},
): Promise<T> {
  const { signal } = call;
  const folders = isMove ? foldersOf(call) : [];
  const deadline = performance.now() + mostWaitMs;
  const decision = takeDecision(call);
  const leave = await (isMove ? takeTurnOfMove(folders, signal, deadline) : takeTurn(signal, deadline));
  try {
    const isOld = decision?.edits !== edits || (isMove && readsInBackground(folders));
    const refusal = isOld ? await decision?.decideAgain() : undefined;
    if (refusal !== undefined) throw new Interrupted(`${CHANGED} Nothing was changed. ${refusal}`);
    return await work();
  } finally {
    edits++;
    leave();
  }
}

/** Returns how to end the turn. */
async function takeTurn(signal: AbortSignal, deadline: number): Promise<() => void> {
  const before = last;
  const turn = Promise.withResolvers<void>();
  // The next one also waits for the earlier ones, because this one may leave early.
  last = before.then(() => turn.promise);
  try {
    await waitFor(before, signal, deadline, EDITS_RUN);
  } catch (error) {
    turn.resolve();
    throw error;
  }
  return turn.resolve;
}

/** Other edits run while it waits for reads. */
async function takeTurnOfMove(
  folders: readonly string[],
  signal: AbortSignal,
  deadline: number,
): Promise<() => void> {
  for (;;) {
    for (let read = readInForeground(folders); read !== undefined; read = readInForeground(folders))
      await waitFor(read.left, signal, deadline, READ_RUNS);
    const leave = await takeTurn(signal, deadline);
    if (readInForeground(folders) === undefined) {
      const end = Promise.withResolvers<void>();
      moving = end.promise;
      return () => {
        moves++;
        moving = undefined;
        end.resolve();
        leave();
      };
    }
    leave();
  }
}

function readInForeground(folders: readonly string[]): RunningRead | undefined {
  return readsBeside(folders).find(({ isInBackground }) => !isInBackground);
}

/** Runs a command that was proven to read. `work` calls `continues` if the command continues in the background until `ended` settles. */
export async function whileReading<T>(
  call: Call,
  work: (continues: (ended: Promise<unknown>) => void) => Promise<T>,
  mostWaitMs = MOST_WAIT_MS,
): Promise<T> {
  const decision = takeDecision(call);
  const deadline = performance.now() + mostWaitMs;
  let decided = decision?.moves ?? moves;
  for (let before = moveBefore(); before !== undefined || decided !== moves; before = moveBefore()) {
    if (before !== undefined) {
      await waitFor(before, call.signal, deadline, MOVE_RUNS);
      continue;
    }
    decided = moves;
    const refusal = await decision?.decideAgain();
    if (refusal !== undefined) throw new Interrupted(`${CHANGED} It did not run. ${refusal}`);
  }
  const leaving = Promise.withResolvers<void>();
  const read: RunningRead = { folders: foldersOf(call), left: leaving.promise, isInBackground: false };
  reads.add(read);
  const end = (): void => {
    reads.delete(read);
    leaving.resolve();
  };
  try {
    return await work((ended) => {
      read.isInBackground = true;
      leaving.resolve();
      void ended.finally(end);
    });
  } finally {
    if (!read.isInBackground) end();
  }
}

/** Returns the end of the move that runs. */
function moveBefore(): Promise<void> | undefined {
  return moving;
}

const CHANGED = 'Another call changed files before this one ran.';
const EDITS_RUN = 'Another command that edits files is still running. Nothing was changed. Try again later.';
const READ_RUNS = 'Another command that reads files is still running. Nothing was changed. Try again later.';
const MOVE_RUNS = 'Another command that moves files is still running. Nothing was done. Try again later.';

async function waitFor(
  before: Promise<void>,
  signal: AbortSignal,
  deadline: number,
  tooLong: string,
): Promise<void> {
  const limit = Promise.withResolvers<'too long'>();
  const timer = setTimeout(() => limit.resolve('too long'), deadline - performance.now());
  try {
    const waited = await waitOrInterrupt(Promise.race([before, limit.promise]), signal);
    if (waited === 'too long') throw new Interrupted(tooLong);
  } finally {
    clearTimeout(timer);
  }
}
