/** Stores the conversation. An entry counts only when it is in the journal. */
import {
  type EntryBody,
  type History,
  type LoopEvent,
  type Message,
  type PermissionMode,
  type QueuedEntry,
  type SessionSnapshot,
  type SessionState,
  SYNTHETIC_MODEL,
  type Terminal,
  type TurnModel,
  withoutChosenModel,
} from '@heddle/core';
import type { CommandOutcome, CompactOutcome } from '../context/commands.ts';
import { JournalError } from '../session/journal/journal.ts';
import type { Session } from '../session/open/open.ts';
import { resultMessage } from './open-calls.ts';

export interface MessageStamp {
  readonly uuid: string;
  readonly at: number;
}

export class SessionLog {
  readonly #session: Session;
  readonly #stamp: () => MessageStamp;
  /** The session state after tools and the user changed it; undefined while it is the initial one. */
  state: SessionState | undefined;
  #begun = false;
  #firstRecordAt: number | undefined;

  constructor(session: Session, stamp: () => MessageStamp, state: SessionState | undefined) {
    this.#session = session;
    this.#stamp = stamp;
    this.state = state;
  }

  /** The permission mode of the session itself. An answer of the user may have set another one. */
  get mode(): PermissionMode {
    return this.state?.permissionMode ?? 'default';
  }

  /** Prompts that wait in the queue, by id. */
  get queued(): ReadonlyMap<string, QueuedEntry> {
    return this.#session.projection.queued;
  }

  get messages(): History<Message> {
    return this.#session.projection.messages;
  }

  /** The first entries are stored. */
  get hasBegun(): boolean {
    return this.#begun;
  }

  /** Throws a `JournalError` if the entry cannot be stored. It then did not happen. */
  readonly store = (given: EntryBody): void => {
    const body = this.#withFirstRecord(given);
    this.#session.journal.append(body);
    this.#session.projection.apply(body);
    if (body.type === 'system' && body.message.subtype === 'model_fallback') this.#dropChosenModel();
    // The line of a boundary contains the stored state. A change that was not stored yet follows it.
    if (isBoundary(body) && this.state !== this.#session.projection.sessionState && this.state)
      this.store({ type: 'stance', stance: this.state });
  };

  /** Sets the model and the effort that a command or a skill chose for this turn. Undefined ends the choice of an earlier turn. */
  setTurnModel(turnModel: TurnModel | undefined, cwd: string): void {
    if (turnModel === undefined && this.state?.turnModel === undefined) return;
    const { turnModel: _, ...kept } = this.state ?? {
      workingDirectory: cwd,
      permissionMode: this.mode,
      tools: [],
    };
    this.state = { ...kept, ...(turnModel ? { turnModel } : {}) };
  }

  #dropChosenModel(): void {
    if (this.state?.turnModel)
      this.state = { ...this.state, turnModel: withoutChosenModel(this.state.turnModel) };
  }

  /** The first record of an answer has arrived. The entry of the answer contains the time. */
  noteFirstRecord(at: number): void {
    this.#firstRecordAt = at;
  }

  #withFirstRecord(body: EntryBody): EntryBody {
    if (body.type !== 'answer' || this.#firstRecordAt === undefined) return body;
    const firstAt = this.#firstRecordAt;
    this.#firstRecordAt = undefined;
    return { ...body, firstAt };
  }

  /** The barrier of a journal that stores in the background. No step may be taken before it settles. */
  readonly stored = (): Promise<void> | undefined => this.#session.journal.stored?.();

  /** The first entries of a session, before anything else is stored. */
  begin(head: SessionSnapshot): void {
    if (this.#begun) return;
    if (!this.#session.snapshot) this.store({ type: 'session', snapshot: head });
    // A rewind at the start may have added a boundary.
    if (this.state) this.store({ type: 'stance', stance: this.state });
    this.#begun = true;
  }

  /** The mode survives the process. If it cannot be stored, it holds for this process only. */
  changeMode(permissionMode: PermissionMode, cwd: string): void {
    this.state = { workingDirectory: cwd, tools: [], ...this.state, permissionMode };
    const { state } = this;
    if (this.#begun) void reasonUnstored(async () => this.store({ type: 'stance', stance: state }));
  }

  /**
   * Gives a result to every call that the run left open. Returns the reason if the end could not be stored; the session is
   * intact up to that entry.
   */
  finish(terminal: Terminal): Promise<string | undefined> {
    return reasonUnstored(async () => {
      for (const { call } of this.#session.projection.openCalls) {
        const text = '<tool_use_error>The run ended before this call had a result.</tool_use_error>';
        this.store({ type: 'outcome', toolUseId: call.id, isError: true });
        this.store({ type: 'user', message: resultMessage(this.#stamp(), call.id, text, true) });
      }
      this.store({ type: 'end', terminal });
      await this.stored();
    });
  }
}

/** Returns the reason if the work could not be stored. Other errors are bugs and are thrown. */
async function reasonUnstored(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof JournalError) return thrown.message;
    throw thrown;
  }
}

/** Runs a command that stores entries. An entry that cannot be stored is an error of the command. */
export function storedOutcome<T>(work: () => CommandOutcome<T>): CommandOutcome<T> {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof JournalError) return { ok: false, reason: 'failed', message: thrown.message };
    throw thrown;
  }
}

function isBoundary(body: EntryBody): boolean {
  return (body.type === 'context' || body.type === 'rewind') && body.messages !== undefined;
}

export function terminalOf(outcome: CompactOutcome): Terminal {
  if (outcome.ok || outcome.reason === 'nothing to do') return { reason: 'completed' };
  if (outcome.reason === 'aborted') return { reason: 'aborted_streaming' };
  return { reason: 'model_error', message: outcome.message };
}

/** A message of the program in place of the model. It is not stored and not part of the conversation. */
export function synthetic(words: string, stamp: { readonly uuid: string; readonly at: number }): LoopEvent {
  const content = [{ type: 'text' as const, text: words }];
  const message = {
    type: 'assistant',
    ...stamp,
    responseId: stamp.uuid,
    model: SYNTHETIC_MODEL,
    content,
  } as const;
  return { type: 'message', message };
}

/** An error of the operating system, such as a full disk. */
export function isRefusedBySystem(thrown: unknown): thrown is Error {
  return thrown instanceof Error && 'syscall' in thrown;
}

/** The entry that removes a message and all later ones; undefined if there is no such message. */
export function rewindEntry(messages: Iterable<Message>, uuid: string): EntryBody | undefined {
  const all = [...messages];
  const at = all.findIndex((message) => message.uuid === uuid);
  if (at < 0) return undefined;
  const last = all[at - 1];
  return last ? { type: 'rewind', to: last.uuid } : { type: 'rewind', to: uuid, messages: [] };
}
