/** Splits a log into runs and iterations. Each iteration has its recorded facts and the decision at its end. */
import type { ContextReport } from '../context/port.ts';
import type { FinishedCall } from '../machine/effects.ts';
import type { AutoCompactTracking, Terminal, Transition } from '../machine/state.ts';
import { textOf, type ToolResultBlock } from '../messages/blocks.ts';
import {
  type AssistantMessage,
  callsOf,
  isInterruption,
  type Message,
  resultsOf,
} from '../messages/message.ts';
import { finishedCall } from '../tools/tool.ts';
import { trackCompactions } from './compactions.ts';
import type { EntryBody } from './entry.ts';

export interface RecordedIteration {
  /** The entries of this iteration. The first one also has the entries between its run and the previous run. */
  readonly entries: readonly EntryBody[];
  /** The calls of the answer. Each fingerprint includes the result. */
  readonly calls: readonly FinishedCall[];
  /** Every call of the answer has its result. */
  readonly settled: boolean;
  /** A model call was made. */
  readonly asked: boolean;
  /** The log has an answer of that call. */
  readonly answered: boolean;
  /** The context levels that made a change. */
  readonly levels: ReadonlySet<ContextReport['level']>;
  /** The context levels that failed. */
  readonly failedLevels: ReadonlySet<ContextReport['level']>;
  /** The possible counts of output tokens of the run up to the end of this iteration. */
  readonly outputTokens: readonly number[];
  /** The compactions before its run started. */
  readonly compactions: AutoCompactTracking | undefined;
  /** Undefined if the log ends here. */
  readonly decided: RecordedDecision | undefined;
}

export type RecordedDecision =
  | { readonly kind: 'continue'; readonly transition: Transition; readonly turnCount: number }
  | { readonly kind: 'stop'; readonly terminal: Terminal };

export type RecordedRun = readonly RecordedIteration[];

/** Yields the runs of a log. A run begins with a prompt and ends with its `end` entry, or at the next prompt. */
export function* recordedRuns(entries: Iterable<EntryBody>): Generator<RecordedRun> {
  let run: RunReader | undefined;
  let between: EntryBody[] = [];
  let compactions: AutoCompactTracking | undefined;
  for (const entry of entries) {
    if (entry.type === 'user' && isPrompt(entry.message)) {
      if (run) yield run.brokenOff();
      run = new RunReader([...between, entry], compactions);
      between = [];
    } else if (!run) {
      between.push(entry);
    } else if (run.take(entry)) {
      yield run.iterations;
      run = undefined;
    }
    compactions = trackCompactions(compactions, entry);
  }
  if (run) yield run.brokenOff();
}

function isFailure({ details }: ContextReport): boolean {
  return details?.['failed'] !== undefined;
}

/** Returns whether a message started a run: neither a result, nor a note of the engine, nor an interruption. */
export function isPrompt(message: Message): boolean {
  if (message.type !== 'user' || message.isMeta) return false;
  return resultsOf(message).length === 0 && !isInterruption(textOf(message.content));
}

class RunReader {
  readonly iterations: RecordedIteration[] = [];
  #current: IterationReader;

  readonly #compactions: AutoCompactTracking | undefined;

  constructor(beginning: readonly EntryBody[], compactions: AutoCompactTracking | undefined) {
    this.#current = new IterationReader([0], beginning);
    this.#compactions = compactions;
  }

  /** Returns true at the end of the run. */
  take(entry: EntryBody): boolean {
    this.#current.keep(entry);
    if (entry.type === 'transition') {
      const { transition, turnCount } = entry;
      this.#finish({ kind: 'continue', transition, turnCount });
      return false;
    }
    if (entry.type === 'end') {
      this.#finish({ kind: 'stop', terminal: entry.terminal });
      return true;
    }
    this.#current.take(entry);
    return false;
  }

  brokenOff(): RecordedRun {
    this.#finish(undefined);
    return this.iterations;
  }

  #finish(decided: RecordedDecision | undefined): void {
    const iteration = { ...this.#current.recorded(decided), compactions: this.#compactions };
    this.iterations.push(iteration);
    this.#current = new IterationReader(iteration.outputTokens, []);
  }
}

class IterationReader {
  readonly #entries: EntryBody[];
  readonly #answer = new Map<string, AssistantMessage>();
  readonly #results = new Map<string, ToolResultBlock>();
  readonly #levels = new Set<ContextReport['level']>();
  readonly #failedLevels = new Set<ContextReport['level']>();
  readonly #tokensBefore: readonly number[];
  #tokens = 0;
  /** Tokens before the report of a context level or a tool. Either it used them, or the attempt before. */
  #doubtfulTokens = 0;
  #unsettledTokens = 0;
  #asked = false;
  #answered = false;

  constructor(tokensBefore: readonly number[], beginning: readonly EntryBody[]) {
    this.#tokensBefore = tokensBefore;
    this.#entries = [...beginning];
  }

  keep(entry: EntryBody): void {
    this.#entries.push(entry);
  }

  take(entry: EntryBody): void {
    switch (entry.type) {
      case 'assistant':
        // The loop wrote the messages about errors, not the model.
        if (entry.message.apiError !== undefined) break;
        this.#answer.set(entry.message.uuid, entry.message);
        this.#asked = true;
        break;
      case 'user':
        for (const result of resultsOf(entry.message)) this.#results.set(result.tool_use_id, result);
        break;
      case 'tombstone':
        for (const uuid of entry.uuids) this.#answer.delete(uuid);
        break;
      case 'context':
        (isFailure(entry.report) ? this.#failedLevels : this.#levels).add(entry.report.level);
        this.#doubtfulTokens += this.#unsettledTokens;
        break;
      // A tool may have called a model as well.
      case 'outcome':
        this.#doubtfulTokens += this.#unsettledTokens;
        break;
      case 'answer':
      case 'spent':
        this.#tokens += entry.usage.output_tokens;
        this.#asked = true;
        this.#answered ||= entry.type === 'answer';
        break;
      case 'retry':
        this.#asked = true;
        break;
      default:
        break;
    }
    if (entry.type === 'spent') this.#unsettledTokens += entry.usage.output_tokens;
    else this.#unsettledTokens = 0;
  }

  recorded(decided: RecordedDecision | undefined): Omit<RecordedIteration, 'compactions'> {
    const calls = callsOf([...this.#answer.values()]);
    return {
      entries: this.#entries,
      calls: calls.map((call) => finishedCall(call, this.#results.get(call.id))),
      settled: calls.every(({ id }) => this.#results.has(id)),
      asked: this.#asked,
      answered: this.#answered,
      levels: this.#levels,
      failedLevels: this.#failedLevels,
      outputTokens: this.#tokensBefore.flatMap((before) => [
        ...new Set([before + this.#tokens, before + this.#tokens - this.#doubtfulTokens]),
      ]),
      decided,
    };
  }
}
