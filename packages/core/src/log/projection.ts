/**
 * Projects the log to the messages that the model sees. Tombstones, compactions and rewinds are entries, never edits.
 * The whole history stays on disk, and the same log always gives the same messages.
 */
import { COMPACTION_LEVELS } from '../context/port.ts';
import type { AutoCompactTracking } from '../machine/state.ts';
import type { ToolUseBlock } from '../messages/blocks.ts';
import { History } from '../messages/history.ts';
import {
  callsOf,
  type Message,
  type MessageHistory,
  resultsOf,
  withoutToolOutput,
} from '../messages/message.ts';
import type { AnswerCount } from '../messages/usage.ts';
import type { SessionState } from '../tools/tool.ts';
import { trackCompactions } from './compactions.ts';
import type { EntryBody, QueuedEntry } from './entry.ts';

/** A call without a result, and its intent if the call was started. */
export interface OpenCall {
  readonly call: ToolUseBlock;
  readonly intent: Extract<EntryBody, { type: 'intent' }> | undefined;
}

export class Projection {
  #messages = History.of<Message>([]);
  readonly #open = new Map<string, OpenCall>();
  readonly #refused = new Set<string>();
  readonly #queued = new Map<string, QueuedEntry>();
  #sessionState: SessionState | undefined;
  #lastAnswer: AnswerCount | undefined;
  #compactions: AutoCompactTracking | undefined;

  get messages(): MessageHistory {
    return this.#messages;
  }

  /** The session state, if tools have changed it. */
  get sessionState(): SessionState | undefined {
    return this.#sessionState;
  }

  /** The last answer, if no earlier message was replaced since. Its usage is the size of the conversation up to it. */
  get lastAnswer(): AnswerCount | undefined {
    return this.#lastAnswer;
  }

  /** The earlier compactions, for the next run. */
  get autoCompactTracking(): AutoCompactTracking | undefined {
    return this.#compactions;
  }

  /** Names of the blocks that the API refused. */
  get refused(): ReadonlySet<string> {
    return this.#refused;
  }

  /** Queued prompts that no run contains yet, by id. */
  get queued(): ReadonlyMap<string, QueuedEntry> {
    return this.#queued;
  }

  /** Calls without a result, in the order of the calls. */
  get openCalls(): readonly OpenCall[] {
    return [...this.#open.values()];
  }

  apply(entry: EntryBody): void {
    this.#compactions = trackCompactions(this.#compactions, entry);
    switch (entry.type) {
      case 'user':
      case 'assistant':
      case 'system':
      case 'attachment':
        this.#messages = this.#messages.append([withoutToolOutput(entry.message)]);
        this.#noteCalls(entry.message);
        // A queued prompt with a turn of its own has the same id.
        this.#queued.delete(entry.message.uuid);
        return;
      case 'answer':
        this.#lastAnswer = { responseId: entry.responseId, usage: entry.usage };
        return;
      case 'tombstone':
        return this.#remove(new Set(entry.uuids));
      case 'context':
        if (entry.messages ?? entry.replaced) this.#lastAnswer = undefined;
        if (entry.messages) this.#replace(entry.messages);
        else if (entry.replaced) this.#replaceEach(entry.replaced);
        return;
      case 'rewind': {
        const kept = [...this.#messages];
        const at = kept.findIndex((message) => message.uuid === entry.to);
        if (entry.messages) this.#rewind(entry.messages);
        else if (at >= 0) this.#rewind(kept.slice(0, at + 1));
        return;
      }
      case 'stance':
        this.#sessionState = entry.stance;
        return;
      case 'command':
        if (entry.state === 'queued') this.#queued.set(entry.commandId, entry);
        else this.#queued.delete(entry.commandId);
        return;
      case 'refused':
        for (const block of entry.blocks) this.#refused.add(block);
        return;
      case 'intent': {
        const open = this.#open.get(entry.toolUseId);
        if (open) this.#open.set(entry.toolUseId, { call: open.call, intent: entry });
        return;
      }
      default:
        return;
    }
  }

  #noteCalls(message: Message): void {
    if (message.type === 'assistant') {
      for (const call of callsOf([message])) this.#open.set(call.id, { call, intent: undefined });
    } else {
      for (const result of resultsOf(message)) this.#open.delete(result.tool_use_id);
    }
  }

  #remove(gone: ReadonlySet<string>): void {
    this.#replace([...this.#messages].filter((message) => !gone.has(message.uuid)));
  }

  /** Replaces messages by those with the same uuid. A message with an unknown uuid is ignored. */
  #replaceEach(replaced: readonly Message[]): void {
    const next = new Map(replaced.map((message) => [message.uuid, message]));
    this.#replace([...this.#messages].map((message) => next.get(message.uuid) ?? message));
  }

  /** A call whose result was removed did run. It must not be reported as never started. */
  #rewind(messages: readonly Message[]): void {
    const open = new Set(this.#open.keys());
    this.#replace(messages);
    for (const [id, { call, intent }] of this.#open) {
      if (intent || open.has(id)) continue;
      const begun = { toolUseId: id, tool: call.name, input: call.input, effect: 'writing' } as const;
      this.#open.set(id, { call, intent: { type: 'intent', ...begun } });
    }
  }

  #replace(messages: readonly Message[]): void {
    const intents = new Map(this.#open);
    this.#messages = History.of(messages.map(withoutToolOutput));
    this.#open.clear();
    for (const message of messages) this.#noteCalls(message);
    for (const id of this.#open.keys()) {
      const known = intents.get(id);
      if (known) this.#open.set(id, known);
    }
  }
}

export function projectLog(entries: Iterable<EntryBody>): Message[] {
  const projection = new Projection();
  for (const entry of entries) projection.apply(entry);
  return [...projection.messages];
}

/** Returns the history without the last compaction, or undefined if there was none. */
export function historyBeforeCompaction(entries: Iterable<EntryBody>): readonly Message[] | undefined {
  const all = [...entries];
  const last = all.findLastIndex(isCompaction);
  // A compaction that was undone or removed by a rewind does not count.
  const rewound = all.findLastIndex((entry) => entry.type === 'rewind' && entry.messages !== undefined);
  if (last < 0 || rewound > last) return undefined;
  const projection = new Projection();
  for (const [index, entry] of all.entries()) {
    // Later replacements of the whole history were made from the compacted one.
    if (index >= last && entry.type === 'context' && entry.messages) continue;
    projection.apply(entry);
  }
  return [...projection.messages];
}

function isCompaction(entry: EntryBody): boolean {
  return (
    entry.type === 'context' && entry.messages !== undefined && COMPACTION_LEVELS.has(entry.report.level)
  );
}
