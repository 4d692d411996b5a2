/**
 * Implements the context port. It runs the levels from light to heavy and stores the state that they need between requests.
 * A change of the history is reported before it takes effect, and a collapse is stored before it is used. So a resumed
 * session sends the same bytes.
 */
import type {
  AnswerCount,
  AnsweredRequest,
  Compacted,
  CompactionTrigger,
  CompactRequest,
  ContextPort,
  ContextReport,
  MessageHistory,
  OverflowCause,
  PreparedHistory,
  PrepareRequest,
  PrepareStep,
  PromptHead,
  ToolUseContext,
} from '@heddle/core';
import { Collapser } from '../collapse/collapser.ts';
import {
  compactedOf,
  compactHistory,
  type CompactionOutcome,
  compactionStep,
  isTooShort,
  type CountTokens,
  replacedBy,
} from '../compaction/compact.ts';
import { type ContextDeps, type LevelResult, untouched } from '../deps.ts';
import { type ContextUsage, contextUsageOf } from './breakdown.ts';
import { type Thresholds, thresholdsOf, type WindowState, windowState } from '../thresholds.ts';
import { serverCleared, type ServerEdits, serverEdits } from '../levels/server-edits.ts';
import { snip } from '../levels/snip.ts';
import { ContextMeasure } from './measure.ts';
import type { ContextOptions } from '../options.ts';
import { HistoryReader, readHistory, sinceBoundary } from '../history/history-reader.ts';
import { Results } from '../levels/microcompact.ts';

export interface ContextPipeline extends ContextPort {
  /** Compacts on request of the user (`/compact`), independent of the size of the conversation. */
  compactNow(request: ManualRequest): Promise<Compacted>;
  /** Returns request options that make the server clear old results, or undefined if the client does it. */
  serverEdits(context: ToolUseContext): ServerEdits | undefined;
  /** Returns the state of the window when the last request was prepared. */
  state(): WindowState | undefined;
  /**
   * Estimates the last prepared request. The result of no method depends on this call. The caller makes it while the model
   * answers, so that the estimate does not delay the turn.
   */
  countSent(): void;
  /** Returns the part of the conversation that the model sees: since the boundary, with collapses. Changes nothing. */
  visibleHistory(messages: MessageHistory): MessageHistory;
  /** Returns the use of the window by this conversation. Changes nothing. */
  usage(request: Pick<ManualRequest, 'messages' | 'context'>): ContextUsage;
}

export interface ManualRequest {
  readonly messages: MessageHistory;
  readonly context: ToolUseContext;
  readonly instructions?: string;
}

export interface ContextSetup {
  readonly options: ContextOptions;
  /** The part of every request before the conversation. */
  readonly head: PromptHead;
  /** Windows that servers stated, by model. Shared with later pipelines of the same conversation. */
  readonly learnedWindows?: Map<string, number>;
  /** The last answer of the conversation so far, for the first count of a resumed session. */
  readonly lastAnswer?: () => AnswerCount | undefined;
}

export function createContextPort(setup: ContextSetup, deps: ContextDeps): ContextPipeline {
  return new Pipeline(setup, deps);
}

/** The conditions of one pass through the levels. */
interface PassConditions {
  readonly context: ToolUseContext;
  readonly thresholds: Thresholds;
  /** Real tokens of this model for each estimated one, before any answer. */
  readonly usualScale: number;
}

class Pipeline implements ContextPipeline {
  readonly #options: ContextOptions;
  readonly #deps: ContextDeps;
  readonly #head: PromptHead;
  readonly #measure: ContextMeasure;
  readonly #reader = new HistoryReader();
  readonly #results: Results;
  readonly #collapser: Collapser;
  readonly #learned: Map<string, number>;
  #lastAnswer: (() => AnswerCount | undefined) | undefined;
  #state = (): WindowState | undefined => undefined;

  constructor({ options, head, learnedWindows, lastAnswer }: ContextSetup, deps: ContextDeps) {
    this.#learned = learnedWindows ?? new Map<string, number>();
    this.#lastAnswer = lastAnswer;
    this.#options = options;
    this.#deps = deps;
    this.#head = head;
    this.#measure = new ContextMeasure(head);
    this.#results = new Results(options, deps);
    this.#collapser = new Collapser({
      store: deps.collapses,
      options: options.collapse,
      stamp: () => this.#stamp(),
    });
  }

  async *prepare({
    messages: given,
    stage = true,
    autoCompact,
    context,
  }: PrepareRequest): AsyncGenerator<PrepareStep, PreparedHistory> {
    const under = this.#under(context);
    const { thresholds } = under;
    let messages = sinceBoundary(given, this.#reader.read(given));
    // A small conversation is not counted, so that its first request starts sooner.
    if (!this.#measure.isSmall(messages, context.tools, under)) this.#recall(messages, context);
    const budgeted = await this.#results.budget(messages, this.#reader.read(messages), context);
    yield* stepsOf(budgeted);
    messages = budgeted.messages;
    const snipped = this.#snip(messages, under);
    yield* stepsOf(snipped);
    messages = snipped.messages;
    const noted = this.#microcompact(messages, under);
    yield* stepsOf(noted);
    messages = noted.messages;
    yield* this.#collapse(messages, under, stage);

    const view = this.#collapser.view(messages);
    const tokens = this.#upTo(view, under);
    const idle = (): PreparedHistory => this.#ready(messages, view, under, { outcome: 'idle' });
    if (!autoCompact || tokens < thresholds.autoCompact) return idle();
    // The rest of the request is large, not the conversation. This does not count as a failed compaction.
    if (isTooShort(view)) return idle();

    yield { compacting: 'auto' };
    // The consumer of this event may have aborted the run. Then the compaction does not start.
    if (context.signal.aborted) return idle();
    const mustFit = tokens >= thresholds.blocking;
    const outcome = await this.#compact(view, under, { trigger: 'auto', mustFit });
    yield compactionStep(outcome, 'auto', tokens, this.#counter(under));
    if (!outcome.ok) return this.#ready(messages, view, under, { outcome: 'failed' });
    return this.#ready(outcome.messages, outcome.messages, under, {
      outcome: 'compacted',
      id: outcome.id,
      replacedTokens: replacedBy(outcome),
    });
  }

  answered({ responseId, usage, appliedEdits = [] }: AnsweredRequest): ContextReport | undefined {
    this.#measure.answered(responseId, usage);
    return serverCleared(usage, appliedEdits);
  }

  countSent(): void {
    this.#measure.countSent();
  }

  serverEdits({ model, tools }: ToolUseContext): ServerEdits | undefined {
    return this.#options.levels.cachedMicrocompact ? serverEdits(this.#options, model, tools) : undefined;
  }

  drain(): Promise<{ readonly committed: number; readonly report: ContextReport | undefined }> {
    return this.#collapser.commit(Number.POSITIVE_INFINITY, 'drain', this.#state()?.tokens ?? 0);
  }

  async compact({ messages, cause, context }: CompactRequest): Promise<Compacted> {
    const view = this.#collapser.view(messages);
    const under = this.#under(context);
    const before = this.#measure.count(view, context.tools, under.usualScale);
    const about = { trigger: 'reactive', mustFit: true, cause } as const;
    return compactedOf(await this.#compact(view, under, about), about.trigger, before, this.#counter(under));
  }

  async compactNow({ messages: given, context, instructions }: ManualRequest): Promise<Compacted> {
    const view = this.#collapser.view(sinceBoundary(given, this.#reader.read(given)));
    const under = this.#under(context);
    this.#recall(view, context);
    const before = this.#measure.count(view, context.tools, under.usualScale);
    const about = { trigger: 'manual', mustFit: false, instructions } as const;
    return compactedOf(await this.#compact(view, under, about), about.trigger, before, this.#counter(under));
  }

  learnWindow(model: string, tokens: number): void {
    this.#learned.set(model, Math.min(tokens, this.#learned.get(model) ?? tokens));
  }

  staged(): boolean {
    return this.#collapser.staged > 0;
  }

  state(): WindowState | undefined {
    return this.#state();
  }

  visibleHistory(messages: MessageHistory): MessageHistory {
    return this.#collapser.view(sinceBoundary(messages, readHistory(messages)));
  }

  usage({ messages: given, context }: Pick<ManualRequest, 'messages' | 'context'>): ContextUsage {
    const messages = this.visibleHistory(given);
    const { thresholds, usualScale } = this.#under(context);
    this.#recall(messages, context);
    return contextUsageOf({
      head: this.#head,
      tools: context.tools,
      messages,
      thresholds,
      model: context.model,
      tokens: this.#measure.count(messages, context.tools, usualScale),
    });
  }

  #snip(messages: MessageHistory, under: PassConditions): LevelResult {
    if (!this.#options.levels.snip) return untouched(messages);
    return snip(messages, this.#reader.read(messages), {
      tokens: this.#upTo(messages, under),
      over: under.thresholds.snip,
      downTo: under.thresholds.snipTo,
      options: this.#options.snip,
      stamp: this.#stamp(),
    });
  }

  #microcompact(messages: MessageHistory, under: PassConditions): LevelResult {
    return this.#results.microcompact(messages, this.#reader.read(messages), {
      tokens: this.#upTo(messages, under),
      over: under.thresholds.microcompact,
      isCompactable: compactableIn(under.context),
    });
  }

  async *#collapse(
    messages: MessageHistory,
    under: PassConditions,
    stage: boolean,
  ): AsyncGenerator<PrepareStep, void> {
    if (!this.#options.levels.collapse) return;
    this.#collapser.stage(messages, this.#reader.read(messages), compactableIn(under.context), stage);
    const tokens = this.#upTo(this.#collapser.view(messages), under);
    if (tokens < under.thresholds.collapse) return;
    const { report } = await this.#collapser.commit(1, 'collapse', tokens);
    if (report) yield { report };
  }

  async #compact(
    messages: MessageHistory,
    { context, thresholds, usualScale }: PassConditions,
    about: {
      readonly trigger: CompactionTrigger;
      readonly mustFit: boolean;
      readonly cause?: OverflowCause;
      readonly instructions?: string | undefined;
    },
  ): Promise<CompactionOutcome> {
    const { cause } = about;
    const estimate = this.#measure.estimate(messages, context.tools);
    // The server rejected a request that should fit, so the estimate is off by at least this factor.
    const off = thresholds.window / Math.max(1, estimate);
    const known = this.#measure.scale(usualScale);
    const scale = cause === 'overflow' ? Math.min(Math.max(known, off), MOST_OFF) : known;
    const roomOf = (limit: number): number =>
      Math.max(1, Math.floor(limit / scale) - this.#measure.headTokens(context.tools));
    const outcome = await compactHistory({
      messages,
      cause,
      instructions: about.instructions,
      trigger: about.trigger,
      mustFit: about.mustFit,
      context,
      room: roomOf(thresholds.blocking),
      wholeRoom: roomOf(thresholds.window),
      isCompactable: compactableIn(context),
      options: this.#options,
      deps: this.#deps,
    });
    if (outcome.ok) {
      this.#collapser.forgetStaged();
      this.#results.forgetRounds();
    }
    return outcome;
  }

  #ready(
    messages: MessageHistory,
    view: MessageHistory,
    under: PassConditions,
    autoCompact: PreparedHistory['autoCompact'],
  ): PreparedHistory {
    const { context, thresholds, usualScale } = under;
    const tokens = this.#upTo(view, under);
    this.#state = () => windowState(this.#measure.count(view, context.tools, usualScale), thresholds);
    this.#measure.sending(view, context.tools);
    return { messages, view, overLimit: windowState(tokens, thresholds).state === 'blocked', autoCompact };
  }

  #upTo(messages: MessageHistory, under: PassConditions): number {
    return this.#measure.upTo(messages, under.context.tools, under);
  }

  #counter({ context, usualScale }: PassConditions): CountTokens {
    return (messages) => this.#measure.count(messages, context.tools, usualScale);
  }

  #under(context: ToolUseContext): PassConditions {
    const { model } = context;
    const thresholds = thresholdsOf(this.#options, model, this.#learned.get(model));
    return { context, thresholds, usualScale: this.#options.tokenScaleOf(model) };
  }

  /** Restores the server's count of an earlier process once, when the conversation is first counted. */
  #recall(messages: MessageHistory, { tools }: ToolUseContext): void {
    const answer = this.#lastAnswer?.();
    this.#lastAnswer = undefined;
    if (answer) this.#measure.recall(answer, messages, tools);
  }

  #stamp(): { readonly uuid: string; readonly at: number } {
    return { uuid: this.#deps.uuid(), at: this.#deps.now() };
  }
}

/** The largest error of the estimate. A server that rejects even less has another reason. */
const MOST_OFF = 4;

const compactableNames = new WeakMap<ToolUseContext['tools'], ReadonlySet<string>>();

function compactableIn({ tools }: ToolUseContext): (tool: string) => boolean {
  const known = compactableNames.get(tools);
  const names = known ?? new Set(tools.filter((tool) => tool.compactable === true).map((tool) => tool.name));
  if (!known) compactableNames.set(tools, names);
  return (tool) => names.has(tool);
}

function* stepsOf({ report, replaced, messages }: LevelResult): Generator<PrepareStep> {
  if (report) yield replaced ? { report, replaced } : { report, messages: messages.since(0) };
}
