/**
 * Finds the point at which a run without an end continues. The log is passed to the machine again, so the state of a run is never
 * stored. The entries are those of one run, from its prompt on.
 */
import type { QueryConfig } from '../machine/config.ts';
import type { StreamEnd } from '../machine/effects.ts';
import { initialLoopState, type LoopState, type Terminal } from '../machine/state.ts';
import { textOf } from '../messages/blocks.ts';
import {
  type AssistantMessage,
  callsOf,
  INTERRUPTED_TOOLS,
  isInterruption,
  type Message,
  type UserMessage,
} from '../messages/message.ts';
import { modelError } from '../messages/model-error.ts';
import { type TurnModel, withoutChosenModel } from '../tools/tool.ts';
import { trackCompactions } from './compactions.ts';
import type { Entry, EntryBody } from './entry.ts';
import { isPrompt, type RecordedIteration, type RecordedRun, recordedRuns } from './recorded.ts';
import { traceRun } from './replay.ts';

/** The values that a continued run starts from, beside the messages of the conversation. */
export interface ResumePoint {
  /** The state of the machine before its next event. */
  readonly loop: LoopState;
  /** The stored answer of the last iteration. Undefined: the model is asked again. */
  readonly answer: { readonly firstBlock: string; readonly ended: StreamEnd } | undefined;
  readonly outputTokens: number;
  /** Queued commands that joined the run and are not completed. */
  readonly commands: readonly string[];
  /** How many fallback models the run has used. */
  readonly fallbacksUsed: number;
  /** The choice of a skill or a command. Its model is absent if the run fell back to another one since. */
  readonly turnModel: TurnModel | undefined;
}

export type CutOffRun =
  /** The user had stopped the run. Only its end is missing. */
  | { readonly kind: 'stopped'; readonly terminal: Terminal }
  | {
      readonly kind: 'open';
      /** Messages of an incomplete step. They are retracted, and the step is repeated. */
      readonly retracted: readonly string[];
      readonly point: ResumePoint;
    };

/** Returns the entries of the last run of a log if it has no end. */
export function unfinishedRun(entries: Iterable<Entry>): readonly Entry[] | undefined {
  const last = new LastRun();
  let run: Entry[] = [];
  for (const entry of entries) {
    if (last.take(entry) === 'began') run = [];
    run.push(entry);
  }
  return last.isOpen ? run : undefined;
}

/** Follows a log, and tells whether its last run has an end. */
export class LastRun {
  #prompt: string | undefined;
  #isOpen: boolean | undefined;

  /** Undefined: the log has neither a prompt nor an end so far. */
  get isOpen(): boolean | undefined {
    return this.#isOpen;
  }

  /** Returns `began` for the first entry of a run. */
  take(entry: EntryBody): 'began' | undefined {
    switch (entry.type) {
      case 'user':
        if (!isPrompt(entry.message)) return undefined;
        this.#prompt = entry.message.uuid;
        this.#isOpen = true;
        return 'began';
      case 'end':
      case 'rewind':
        this.#isOpen = false;
        return undefined;
      case 'command':
        // A message that was added between two prompts has this mark. It did not start a run.
        if (entry.commandId === this.#prompt && entry.state === 'completed') this.#isOpen = false;
        return undefined;
      default:
        return undefined;
    }
  }
}

/** `run` are the entries of an unfinished run. `config` is the configuration that it started with. */
export function cutOffRun(run: readonly Entry[], config: QueryConfig): CutOffRun {
  const [recorded = []] = recordedRuns(run);
  const interruption = run.findLast((entry) => entry.type === 'user' && isStop(entry.message));
  if (interruption?.type === 'user') {
    const isTools = textOf(interruption.message.content) === INTERRUPTED_TOOLS;
    return { kind: 'stopped', terminal: { reason: isTools ? 'aborted_tools' : 'aborted_streaming' } };
  }
  const last = recorded.at(-1);
  const tail = new Tail(last?.entries ?? []);
  const ended = last && tail.acceptedEnd();
  const { began, prepared } = statesOf(recorded, config, run[0]?.at ?? 0);
  const answer = ended && tail.firstBlock ? { firstBlock: tail.firstBlock, ended } : undefined;
  return {
    kind: 'open',
    retracted: answer ? tail.repeatedAfterAnswer() : tail.repeatedBeforeAnswer(),
    point: {
      loop: answer ? prepared : began,
      answer,
      outputTokens: last?.outputTokens[0] ?? 0,
      commands: openCommands(run),
      fallbacksUsed: run.filter(isFallback).length,
      turnModel: turnModelOf(run),
    },
  };
}

function isStop({ content }: UserMessage): boolean {
  return isInterruption(textOf(content));
}

function isFallback(entry: EntryBody): boolean {
  return entry.type === 'system' && entry.message.subtype === 'model_fallback';
}

function turnModelOf(run: readonly EntryBody[]): TurnModel | undefined {
  return run.reduce<TurnModel | undefined>((chosen, entry) => {
    if (entry.type === 'stance') return entry.stance.turnModel;
    return chosen && isFallback(entry) ? withoutChosenModel(chosen) : chosen;
  }, undefined);
}

function openCommands(run: readonly EntryBody[]): string[] {
  const open = new Set<string>();
  for (const entry of run) {
    if (entry.type !== 'command') continue;
    if (entry.state === 'started') open.add(entry.commandId);
    else open.delete(entry.commandId);
  }
  return [...open];
}

/** The states of the machine in the last iteration: before its first event, and before the end of its stream. */
function statesOf(
  run: RecordedRun,
  config: QueryConfig,
  startedAt: number,
): { readonly began: LoopState; readonly prepared: LoopState } {
  const steps = traceRun(run, config).at(-1)?.steps ?? [];
  const began = steps[0]?.loop ?? unknownState(run);
  const streams = steps.find(({ decision }) => decision.kind === 'do' && decision.effect.type === 'stream');
  const last = run.at(-1);
  return {
    began: withClock(last ? withCompactions(began, last) : began, startedAt),
    prepared: withClock(streams?.decision.loop ?? began, startedAt),
  };
}

/** A compaction of the last iteration is stored, but the machine was not told its result. */
function withCompactions(loop: LoopState, { entries }: RecordedIteration): LoopState {
  const { state } = loop;
  const autoCompactTracking = entries.reduce(trackCompactions, state.autoCompactTracking);
  return { ...loop, state: { ...state, autoCompactTracking } };
}

function withClock(loop: LoopState, startedAt: number): LoopState {
  const { ledger } = loop;
  return { ...loop, ledger: { ...ledger, budget: { ...ledger.budget, startedAt } } };
}

/** The log contradicts the machine, for example after a change of its limits. Only the number of the turn is certain. */
function unknownState(run: RecordedRun): LoopState {
  const initial = initialLoopState({ startedAt: 0, autoCompactTracking: run[0]?.compactions });
  const decided = run.at(-2)?.decided;
  const turnCount = decided?.kind === 'continue' ? decided.turnCount : 1;
  return { ...initial, state: { ...initial.state, turnCount } };
}

/** The messages of the last iteration, and which of them belong to a step that is repeated. */
class Tail {
  readonly #entries: readonly EntryBody[];
  readonly #gone: ReadonlySet<string>;
  /** The index of the `answer` entry; -1 if the answer is not complete. */
  readonly #answerAt: number;

  constructor(entries: readonly EntryBody[]) {
    this.#entries = entries;
    this.#gone = new Set(entries.flatMap((entry) => (entry.type === 'tombstone' ? entry.uuids : [])));
    this.#answerAt = entries.findLastIndex(({ type }) => type === 'answer');
  }

  get firstBlock(): string | undefined {
    return this.#blocks[0]?.uuid;
  }

  /** How the stored answer ended. Undefined if there is none, or if it cannot be continued. */
  acceptedEnd(): StreamEnd | undefined {
    const answer = this.#entries[this.#answerAt];
    if (answer?.type !== 'answer' || this.#blocks.length === 0) return undefined;
    const calls = callsOf(this.#blocks);
    if (answer.stopReason === 'refusal' && calls.length === 0)
      return { well: false, error: modelError('refusal', DECLINED) };
    if (!isCut(answer.stopReason) || this.#hasActed()) return { well: true };
    // The last block may be incomplete. The machine retracts it after the answer, and that entry is missing.
    return undefined;
  }

  /** Everything from the first block on. Notices for people stay. */
  repeatedBeforeAnswer(): string[] {
    const start = this.#messages.findIndex(({ type }) => type === 'assistant');
    return (start < 0 ? [] : this.#messages.slice(start))
      .filter(({ type }) => type !== 'system')
      .map(({ uuid }) => uuid);
  }

  /** The end of the turn runs again, so its messages are repeated. Results and queued prompts stay. */
  repeatedAfterAnswer(): string[] {
    const hasCalls = callsOf(this.#blocks).length > 0;
    return this.#messagesSince(this.#answerAt)
      .filter((message) => isWrittenAtEnd(message) || (message.type === 'attachment' && !hasCalls))
      .map(({ uuid }) => uuid);
  }

  get #messages(): readonly Message[] {
    return this.#messagesSince(0);
  }

  #messagesSince(start: number): readonly Message[] {
    return this.#entries
      .slice(start)
      .flatMap((entry): Message[] =>
        'message' in entry && typeof entry.message === 'object' ? [entry.message] : [],
      )
      .filter((message) => !this.#gone.has(message.uuid) && !isPrompt(message));
  }

  get #blocks(): readonly AssistantMessage[] {
    return this.#messages.filter(isBlock);
  }

  /** Calls started or blocks were retracted after the answer, so the decision about a cut answer was made. */
  #hasActed(): boolean {
    return this.#entries
      .slice(this.#answerAt)
      .some(({ type }) => type === 'tombstone' || type === 'intent' || type === 'outcome');
  }
}

function isBlock(message: Message): message is AssistantMessage {
  return message.type === 'assistant' && message.apiError === undefined;
}

function isCut(stopReason: string | null): boolean {
  return stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded';
}

/** Messages that the loop writes at the end of an iteration or a run. */
function isWrittenAtEnd(message: Message): boolean {
  switch (message.type) {
    case 'assistant':
      return message.apiError !== undefined;
    case 'user':
      return message.isMeta === true;
    case 'attachment': {
      const { kind } = message.attachment;
      return kind === 'max_turns_reached' || kind === 'hook_stopped_continuation';
    }
    default:
      return false;
  }
}

const DECLINED = 'The model declined to answer. Rephrase the request, or choose another model.';
