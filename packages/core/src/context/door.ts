/**
 * The context door: the levels in their order, light ones first, with the little that must be remembered between two
 * requests. What it decides is reported before it is used, so that a resumed session sends the same bytes.
 */
import type {
  AnsweredRequest,
  CompactRequest,
  Compacted,
  ContextDoor,
  PreparedHistory,
  PrepareRequest,
  PrepareStep,
} from '../loop/deps.ts';
import type { CompactionTrigger, ContextReport } from '../loop/events.ts';
import type { OverflowCause } from '../machine/effect.ts';
import type { History } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';
import type { ToolUseContext } from '../tools/context.ts';
import { Collapser } from './collapse/collapser.ts';
import { compact, type CompactionOutcome } from './compaction/compact.ts';
import type { PromptHead } from './compaction/summarise.ts';
import type { ContextDoors } from './doors.ts';
import { estimatePrompt, estimateTools, mostTokens } from './estimate/head.ts';
import { Weight } from './estimate/weight.ts';
import { type LevelResult, untouched } from './level.ts';
import { sinceBoundary } from './levels/boundary.ts';
import { serverCleared, type ServerEdits, serverEdits } from './levels/server-edits.ts';
import { snip } from './levels/snip.ts';
import type { ContextOptions } from './options.ts';
import { Outline, outlineOf } from './outline.ts';
import { Reckoning } from './reckoning.ts';
import { Results } from './results.ts';
import { type Thresholds, thresholdsOf, type WindowState, windowState } from './thresholds.ts';
import { type ContextUsage, usageOf } from './usage.ts';

export interface ContextPipeline extends ContextDoor {
  /** `/compact`: on the user's word, whatever the conversation counts. */
  compactNow(request: ManualRequest): Promise<Compacted>;
  /** What a request must say so that the server clears old results; undefined where the client does it. */
  serverEdits(context: ToolUseContext): ServerEdits | undefined;
  /** How full the window was when the last request was prepared. */
  state(): WindowState | undefined;
  /** How full the window is with this conversation, and what fills it. Changes nothing. */
  usage(request: Pick<ManualRequest, 'messages' | 'context'>): ContextUsage;
}

export interface ManualRequest {
  readonly messages: History<Message>;
  readonly context: ToolUseContext;
  readonly instructions?: string;
}

export interface ContextSetup {
  readonly options: ContextOptions;
  /** What stands before the conversation in every request. */
  readonly head: PromptHead;
}

export function createContextDoor(setup: ContextSetup, doors: ContextDoors): ContextPipeline {
  return new Pipeline(setup, doors);
}

class Pipeline implements ContextPipeline {
  readonly #options: ContextOptions;
  readonly #doors: ContextDoors;
  readonly #head: PromptHead;
  #promptTokens: number | undefined;
  readonly #outline = new Outline();
  readonly #weight = new Weight();
  readonly #reckoning = new Reckoning();
  readonly #results: Results;
  readonly #collapser: Collapser;
  /** What was last sent, for a fork to share. */
  #sent: History<Message> | undefined;
  #state = (): WindowState | undefined => undefined;

  constructor({ options, head }: ContextSetup, doors: ContextDoors) {
    this.#options = options;
    this.#doors = doors;
    this.#head = head;
    this.#results = new Results(options, doors);
    this.#collapser = new Collapser({
      store: doors.collapses,
      options: options.collapse,
      stamp: () => this.#stamp(),
    });
  }

  async *prepare({
    messages: given,
    autoCompact,
    context,
  }: PrepareRequest): AsyncGenerator<PrepareStep, PreparedHistory> {
    const thresholds = thresholdsOf(this.#options, context.model);
    let messages = sinceBoundary(given, this.#outline.read(given));
    const budgeted = await this.#results.budget(messages, this.#outline.read(messages), context);
    yield* stepsOf(budgeted);
    messages = budgeted.messages;
    const snipped = this.#snip(messages, context, thresholds);
    yield* stepsOf(snipped);
    messages = snipped.messages;
    const noted = this.#microcompact(messages, context, thresholds);
    yield* stepsOf(noted);
    messages = noted.messages;
    yield* this.#collapse(messages, context, thresholds);

    let view = this.#collapser.view(messages);
    const tokens = this.#upTo(view, context, thresholds);
    if (!autoCompact || tokens < thresholds.autoCompact)
      return this.#ready(messages, view, context, thresholds, { outcome: 'idle' });

    yield { compacting: 'auto' };
    if (context.signal.aborted) return this.#ready(messages, view, context, thresholds, { outcome: 'idle' });
    const outcome = await this.#compact(view, context, thresholds, {
      trigger: 'auto',
      mustFit: tokens >= thresholds.blocking,
    });
    yield stepOf(outcome, 'autocompact', tokens);
    if (!outcome.ok) return this.#ready(messages, view, context, thresholds, { outcome: 'failed' });
    view = messages = outcome.messages;
    const { id } = outcome;
    return this.#ready(messages, view, context, thresholds, {
      outcome: 'compacted',
      id,
      replacedTokens: replacedBy(outcome),
    });
  }

  answered({ responseId, usage, appliedEdits = [] }: AnsweredRequest): ContextReport | undefined {
    this.#collapser.resume();
    this.#reckoning.answered(responseId, usage);
    return serverCleared(usage, appliedEdits);
  }

  serverEdits({ model, tools }: ToolUseContext): ServerEdits | undefined {
    return this.#options.levels.cachedMicrocompact ? serverEdits(this.#options, model, tools) : undefined;
  }

  async drain(): Promise<{ readonly committed: number; readonly report: ContextReport | undefined }> {
    const drained = await this.#collapser.commit(
      Number.POSITIVE_INFINITY,
      'drain',
      this.#state()?.tokens ?? 0,
    );
    this.#collapser.pause();
    return drained;
  }

  async compact({ messages, cause, context }: CompactRequest): Promise<Compacted> {
    const thresholds = thresholdsOf(this.#options, context.model);
    const view = this.#collapser.view(messages);
    const before = this.#count(view, context);
    const outcome = await this.#compact(view, context, thresholds, {
      trigger: 'reactive',
      mustFit: true,
      cause,
    });
    this.#collapser.pause();
    return compactedOf(outcome, 'reactive_compact', before);
  }

  async compactNow({ messages: given, context, instructions }: ManualRequest): Promise<Compacted> {
    const thresholds = thresholdsOf(this.#options, context.model);
    const messages = this.#collapser.view(sinceBoundary(given, this.#outline.read(given)));
    const before = this.#count(messages, context);
    const outcome = await this.#compact(messages, context, thresholds, {
      trigger: 'manual',
      mustFit: false,
      instructions,
    });
    return compactedOf(outcome, 'manual_compact', before);
  }

  staged(): boolean {
    return this.#collapser.staged > 0;
  }

  state(): WindowState | undefined {
    return this.#state();
  }

  usage({ messages: given, context }: Pick<ManualRequest, 'messages' | 'context'>): ContextUsage {
    const messages = this.#collapser.view(sinceBoundary(given, outlineOf(given)));
    return usageOf({
      head: this.#head,
      tools: context.tools,
      messages,
      thresholds: thresholdsOf(this.#options, context.model),
      model: context.model,
      tokens: this.#count(messages, context),
    });
  }

  #snip(messages: History<Message>, context: ToolUseContext, thresholds: Thresholds): LevelResult {
    if (!this.#options.levels.snip) return untouched(messages);
    return snip(messages, this.#outline.read(messages), {
      tokens: this.#upTo(messages, context, thresholds),
      over: thresholds.snip,
      downTo: thresholds.snipTo,
      options: this.#options.snip,
      stamp: this.#stamp(),
    });
  }

  #microcompact(messages: History<Message>, context: ToolUseContext, thresholds: Thresholds): LevelResult {
    return this.#results.microcompact(messages, this.#outline.read(messages), {
      tokens: this.#upTo(messages, context, thresholds),
      over: thresholds.microcompact,
      isCompactable: compactableIn(context),
    });
  }

  async *#collapse(
    messages: History<Message>,
    context: ToolUseContext,
    thresholds: Thresholds,
  ): AsyncGenerator<PrepareStep, void> {
    if (!this.#options.levels.collapse) return;
    this.#collapser.stage(messages, this.#outline.read(messages), compactableIn(context));
    const tokens = this.#upTo(this.#collapser.view(messages), context, thresholds);
    if (tokens < thresholds.collapse) return;
    const { report } = await this.#collapser.commit(1, 'collapse', tokens);
    if (report) yield { report };
  }

  async #compact(
    messages: History<Message>,
    context: ToolUseContext,
    thresholds: Thresholds,
    about: {
      readonly trigger: CompactionTrigger;
      readonly mustFit: boolean;
      readonly cause?: OverflowCause;
      readonly instructions?: string | undefined;
    },
  ): Promise<CompactionOutcome> {
    const estimate = this.#estimate(messages, context);
    // The server refused what was thought to fit: the estimate is off by at least this much.
    const off = thresholds.window / Math.max(1, estimate);
    const scale = about.cause === 'overflow' ? Math.min(Math.max(1, off), MOST_OFF) : 1;
    const outcome = await compact({
      messages,
      sent: this.#sent,
      cause: about.cause,
      instructions: about.instructions,
      trigger: about.trigger,
      mustFit: about.mustFit,
      context,
      room: Math.max(1, Math.floor(thresholds.blocking / scale) - this.#headTokens(context)),
      wholeRoom: Math.max(1, Math.floor(thresholds.window / scale) - this.#headTokens(context)),
      isCompactable: compactableIn(context),
      options: this.#options,
      doors: this.#doors,
    });
    if (outcome.ok) {
      await this.#collapser.clear();
      this.#results.forgetRounds();
    }
    return outcome;
  }

  #ready(
    messages: History<Message>,
    view: History<Message>,
    context: ToolUseContext,
    thresholds: Thresholds,
    autoCompact: PreparedHistory['autoCompact'],
  ): PreparedHistory {
    const tokens = this.#upTo(view, context, thresholds);
    this.#state = () => windowState(this.#count(view, context), thresholds);
    this.#sent = view;
    this.#reckoning.sending(() => this.#estimate(view, context));
    return { messages, view, overLimit: windowState(tokens, thresholds).state === 'blocked', autoCompact };
  }

  #count(messages: History<Message>, context: ToolUseContext): number {
    return this.#reckoning.tokens(this.#estimate(messages, context), messages);
  }

  /**
   * For the levels, which only ask whether there is too much: a conversation that is small by any reckoning is not reckoned.
   * The first request of a program goes out sooner for it.
   */
  #upTo(messages: History<Message>, context: ToolUseContext, thresholds: Thresholds): number {
    if (this.#reckoning.hasCount) return this.#count(messages, context);
    const { microcompact, snip, collapse, autoCompact } = thresholds;
    const most = mostTokens(this.#head, context.tools) + this.#weight.of(messages);
    const isSmall = most < Math.min(microcompact, snip, collapse, autoCompact);
    return isSmall ? most : this.#count(messages, context);
  }

  #estimate(messages: History<Message>, context: ToolUseContext): number {
    return this.#headTokens(context) + this.#weight.of(messages);
  }

  #headTokens(context: ToolUseContext): number {
    return (this.#promptTokens ??= promptTokens(this.#head)) + estimateTools(context.tools);
  }

  #stamp(): { readonly uuid: string; readonly at: number } {
    return { uuid: this.#doors.uuid(), at: this.#doors.now() };
  }
}

function promptTokens(head: PromptHead): number {
  const { system, user } = estimatePrompt(head);
  return system + user;
}

/** No text is estimated worse than this: a server that refuses even less means something else. */
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

function reportOf(outcome: CompactionOutcome, level: ContextReport['level'], before: number): ContextReport {
  const trigger = level === 'autocompact' ? 'auto' : level === 'manual_compact' ? 'manual' : 'reactive';
  if (!outcome.ok) {
    const details = { trigger, failed: outcome.why };
    return { level, tokensBefore: before, tokensAfter: before, rewrotePrefix: false, details };
  }
  const { id, by, spent } = outcome;
  const tokensAfter = Math.max(0, before - (outcome.tokensBefore - outcome.tokensAfter));
  return {
    level,
    tokensBefore: before,
    tokensAfter,
    rewrotePrefix: true,
    details: { trigger, id, by, calls: spent.length },
  };
}

/** A failure is told, too: it costs tokens, and it counts. */
function stepOf(outcome: CompactionOutcome, level: ContextReport['level'], before: number): PrepareStep {
  const { spent } = outcome;
  const report = reportOf(outcome, level, before);
  return outcome.ok ? { report, spent, messages: outcome.messages.since(0) } : { report, spent };
}

function compactedOf(outcome: CompactionOutcome, level: ContextReport['level'], before: number): Compacted {
  const { spent } = outcome;
  const report = reportOf(outcome, level, before);
  if (!outcome.ok) return { ok: false, why: outcome.why, nothingToDo: outcome.nothingToDo, spent, report };
  return { ok: true, messages: outcome.messages, replacedTokens: replacedBy(outcome), report, spent };
}

function replacedBy({ tokensBefore, tokensAfter }: Extract<CompactionOutcome, { ok: true }>): number {
  return Math.max(0, tokensBefore - tokensAfter);
}
