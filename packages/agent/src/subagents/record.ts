/** The record of a subagent, stored with its session: who it is, and its result once it has one. */
import {
  type Attachment,
  type Effort,
  EFFORTS,
  isRecord,
  type Message,
  type QueuedPrompt,
} from '@heddle/core';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TaskUsage } from '../sdk/message.ts';
import type { TaskStatus } from '../sdk/subagent-lines.ts';
import { childIdsBeside, childRecordFile, isSessionId } from '../session/files/paths.ts';
import type { ChildStore, Session } from '../session/open/open.ts';
import { writeJson } from '../settings/json-file.ts';

/** A git worktree of a subagent. */
export interface Worktree {
  /** The folder of the repository that it belongs to. */
  readonly top: string;
  readonly path: string;
  readonly branch: string;
  /** The commit that it started from. */
  readonly base: string;
  /** How far its creation is. Undefined: an earlier version created it, and another session may have the same one. */
  readonly state?: 'creating' | 'created' | undefined;
  /** A digest of the files that git ignores, before the subagent began. */
  readonly ignored?: string | undefined;
}

/** Returns false for a worktree whose creation was interrupted. Its subagent had not begun. */
export function isCreated(worktree: Worktree | undefined): boolean {
  return worktree !== undefined && worktree.state !== 'creating';
}

export interface ChildResult {
  readonly status: TaskStatus;
  /** The report for the model that started it. */
  readonly text: string;
  readonly usage: TaskUsage;
}

export const END_WORDS = { completed: 'has finished', failed: 'failed', stopped: 'was stopped' } as const;

export const NO_TASK_USAGE: TaskUsage = { total_tokens: 0, tool_uses: 0, duration_ms: 0 };

export interface ChildRecord {
  readonly agentId: string;
  readonly agentType: string;
  /** The subagent that started it. Undefined: the main conversation. */
  readonly parentId?: string | undefined;
  readonly description: string;
  /** The task of its last run. */
  readonly prompt: string;
  /** The call of its last run. */
  readonly toolUseId: string;
  /** Its last run. The prompt of the run has this id in the conversation of the subagent. */
  readonly runId?: string | undefined;
  /** Messages that its conversation does not contain yet. */
  readonly queued?: readonly QueuedPrompt[] | undefined;
  readonly model: string;
  /** In place of the effort of its definition. */
  readonly effort?: Effort | undefined;
  readonly cwd: string;
  readonly isBackground: boolean;
  /** It works in a git worktree. */
  readonly isolation?: 'worktree' | undefined;
  /** Undefined until its creation began. Kept after the end if it changed. */
  readonly worktree?: Worktree | undefined;
  /** Undefined while it runs, or if the program ended while it ran. */
  readonly result?: ChildResult | undefined;
  /** The report of a subagent in the background is stored in the conversation of its parent. */
  readonly isReported?: boolean | undefined;
}

/**
 * Reads and writes the records of the subagents that one conversation started: in the store of the main session, or in
 * files beside it. A session in memory keeps them there.
 */
export class ChildRecords {
  readonly #parentFile: string | undefined;
  readonly #store: ChildStore | undefined;
  readonly #parentId: string | undefined;
  readonly #memory = new Map<string, ChildRecord>();
  #hasListed = false;

  /** `parentId` is the subagent that started them. Undefined: the main conversation. */
  constructor({ journal, children }: Pick<Session, 'journal' | 'children'>, parentId?: string) {
    this.#parentFile = journal.path;
    this.#store = children;
    this.#parentId = parentId;
  }

  /** Throws if the record cannot be written: a result that is not stored could be delivered twice. */
  write(record: ChildRecord): void {
    this.#memory.set(record.agentId, record);
    this.#store?.writeRecord(record.agentId, record);
    const file = this.#fileOf(record.agentId);
    if (file !== undefined) writeJson(file, record, PRIVATE_FILE);
  }

  /** The model may pass any text as an id. */
  read(agentId: string): ChildRecord | undefined {
    const known = this.#memory.get(agentId);
    if (known) return known;
    if (!isSessionId(agentId)) return undefined;
    const file = this.#fileOf(agentId);
    const record = file === undefined ? this.#store?.records.get(agentId) : readRecord(file);
    if (!isChildRecord(record) || record.agentId !== agentId || record.parentId !== this.#parentId)
      return undefined;
    this.#memory.set(agentId, record);
    return record;
  }

  /** Returns the id of the first record with this seed that is open, or else the first id without a record. */
  place(
    seed: string,
    isOpen: (record: ChildRecord) => boolean,
  ): { readonly agentId: string; readonly earlier: ChildRecord | undefined } {
    for (let nth = 1; ; nth++) {
      const text = nth === 1 ? seed : `${seed} ${nth}`;
      const agentId = `a${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
      const earlier = this.read(agentId);
      if (!earlier || isOpen(earlier)) return { agentId, earlier };
    }
  }

  /** All of these records, also those of earlier processes. */
  list(): readonly ChildRecord[] {
    if (!this.#hasListed) for (const id of this.#storedIds()) this.read(id);
    this.#hasListed = true;
    return [...this.#memory.values()];
  }

  #storedIds(): readonly string[] {
    if (this.#store) return [...this.#store.records.keys()];
    return this.#parentFile === undefined ? [] : childIdsBeside(this.#parentFile);
  }

  #fileOf(agentId: string): string | undefined {
    return this.#parentFile === undefined ? undefined : childRecordFile(this.#parentFile, agentId);
  }
}

function readRecord(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Prompts and results are for the user alone, as the session is. */
const PRIVATE_FILE = 0o600;

const TEXTS = ['agentId', 'agentType', 'description', 'prompt', 'toolUseId', 'model', 'cwd'] as const;

function isChildRecord(value: unknown): value is ChildRecord {
  if (!isRecord(value) || !TEXTS.every((key) => typeof value[key] === 'string')) return false;
  const { result, isolation, worktree, runId, queued, effort } = value;
  if (effort !== undefined && !EFFORTS.some((known) => known === effort)) return false;
  if (runId !== undefined && typeof runId !== 'string') return false;
  if (queued !== undefined && !(Array.isArray(queued) && queued.every(isQueued))) return false;
  if (worktree !== undefined && !(isolation === 'worktree' && isWorktree(worktree))) return false;
  if (result === undefined) return true;
  return isRecord(result) && typeof result['text'] === 'string' && isRecord(result['usage']);
}

function isQueued(value: unknown): boolean {
  return isRecord(value) && typeof value['commandId'] === 'string' && typeof value['prompt'] === 'string';
}

function isWorktree(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { state, ignored } = value;
  if (state !== undefined && state !== 'creating' && state !== 'created') return false;
  if (ignored !== undefined && typeof ignored !== 'string') return false;
  return ['top', 'path', 'branch', 'base'].every((key) => typeof value[key] === 'string');
}

/** A stored record does not choose the folder of its subagent. That of a worktree is checked when it is opened. */
export function inFolder(record: ChildRecord, cwd: string): ChildRecord {
  return isCreated(record.worktree) ? record : { ...record, cwd };
}

/** The report of a subagent in the background, for the conversation that started it. */
export function reportOf({ agentId, runId, description, result }: ChildRecord): Attachment {
  const text = result
    ? `The background agent ${agentId} (${description}) ${END_WORDS[result.status]}. Its report:\n${result.text}`
    : `The background agent ${agentId} (${description}) was interrupted when the program ended. SendMessage continues it.`;
  return { kind: 'task_ended', taskId: agentId, runId, text };
}

/** Returns whether a conversation already contains the report about the last run of a subagent. */
export function reportsIn(messages: Iterable<Message>): (record: ChildRecord) => boolean {
  const keyOf = (agentId: string, runId: string | undefined): string => `${agentId} ${runId ?? ''}`;
  const reported = new Set<string>();
  for (const message of messages)
    if (message.type === 'attachment' && message.attachment.kind === 'task_ended')
      reported.add(keyOf(message.attachment.taskId, message.attachment.runId));
  return ({ agentId, runId }) => reported.has(keyOf(agentId, runId));
}
