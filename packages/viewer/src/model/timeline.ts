/** Computes the timeline: when each model call waited and streamed, and when each tool call queued, asked and ran. Pure. */
import type { AnswerFact, LogFact, MessageFact } from './facts.ts';

export interface ModelCall {
  /** The line of its first fact. */
  readonly line: number;
  readonly model: string;
  readonly from: number;
  /** The time of the first output. Undefined while the call waits. */
  readonly firstAt: number | undefined;
  readonly to: number;
  readonly state: 'answered' | 'failed' | 'open';
  readonly outputTokens: number;
  readonly costUsd: number | undefined;
}

export interface ToolCall {
  readonly line: number;
  readonly id: string;
  readonly tool: string;
  readonly about: string;
  /** The model asked for the call. */
  readonly calledAt: number;
  readonly askedAt: number | undefined;
  readonly answeredAt: number | undefined;
  /** Undefined if the call never started. */
  readonly startedAt: number | undefined;
  /** Undefined while the call runs. */
  readonly endedAt: number | undefined;
  readonly isError: boolean;
  readonly isDenied: boolean;
}

export interface TimelineMark {
  readonly line: number;
  readonly at: number;
  readonly kind: 'prompt' | 'retry' | 'fallback' | 'context' | 'recovery' | 'rewind' | 'end' | 'failure';
  readonly text: string;
}

export interface Timeline {
  readonly from: number;
  readonly to: number;
  readonly models: readonly ModelCall[];
  readonly tools: readonly ToolCall[];
  readonly marks: readonly TimelineMark[];
}

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

/** `now` is the end of calls that are still open. Leave it out for a recorded session. */
export function timelineOf(facts: readonly LogFact[], now?: number): Timeline {
  const builder = new TimelineBuilder();
  for (const fact of facts) builder.take(fact);
  return builder.finish(now);
}

class TimelineBuilder {
  readonly #models: Draft<ModelCall>[] = [];
  readonly #tools = new Map<string, Draft<ToolCall>>();
  readonly #marks: TimelineMark[] = [];
  #from = Number.POSITIVE_INFINITY;
  #to = 0;
  /** The time from which the next request may have waited. */
  #readyAt = 0;
  #open: Draft<ModelCall> | undefined;
  #isRunning = false;
  #hasIntents = false;

  take(fact: LogFact): void {
    if (fact.at > 0) {
      this.#from = Math.min(this.#from, fact.at);
      this.#to = Math.max(this.#to, fact.at);
    }
    switch (fact.type) {
      case 'message':
        return this.#takeMessage(fact);
      case 'request':
        this.#close(fact.at, 'failed');
        this.#open = this.#begin(fact.line, fact.model, fact.at);
        return;
      case 'answer':
      case 'spent':
        return this.#takeAnswer(fact);
      case 'retry':
        this.#open ??= this.#begin(fact.line, '', Math.min(this.#readyAt || fact.at, fact.at));
        this.#close(fact.at, 'failed');
        this.#readyAt = fact.at + fact.delayMs;
        return this.#mark(fact, 'retry', `Retry ${fact.attempt}: ${fact.error}. ${fact.message}`);
      case 'intent': {
        this.#hasIntents = true;
        const call = this.#tool(fact.id, fact);
        call.tool = fact.tool;
        call.startedAt = fact.at;
        return;
      }
      case 'ask':
        this.#tool(fact.id, fact).askedAt = fact.at;
        return;
      case 'ask_answer': {
        const call = this.#tool(fact.id, fact);
        call.answeredAt = fact.at;
        call.isDenied = fact.behavior === 'deny';
        return;
      }
      case 'outcome': {
        const call = this.#tool(fact.id, fact);
        call.endedAt = fact.at;
        call.isError = fact.isError;
        return;
      }
      case 'transition':
        this.#readyAt = fact.at;
        if (fact.reason !== 'next_turn')
          this.#mark(fact, 'recovery', [fact.reason, fact.details].filter(Boolean).join(': '));
        return;
      case 'context': {
        this.#readyAt = fact.at;
        const change = `${fact.tokensBefore} to ${fact.tokensAfter} tokens`;
        const text = fact.failed === undefined ? change : `failed: ${fact.failed}`;
        return this.#mark(fact, 'context', `${fact.level}: ${text}`);
      }
      case 'rewind':
        return this.#mark(fact, 'rewind', `Rewound to ${fact.to}`);
      case 'end':
        this.#close(fact.at, 'failed');
        this.#isRunning = false;
        return this.#mark(fact, 'end', [fact.reason, fact.message].filter(Boolean).join(': '));
      default:
        return;
    }
  }

  finish(now: number | undefined): Timeline {
    const isLive = now !== undefined && this.#isRunning;
    const to = isLive ? Math.max(now, this.#to) : this.#to;
    if (this.#open) Object.assign(this.#open, { to, state: 'open' });
    const from = Math.min(this.#from, to);
    return { from, to, models: this.#models, tools: [...this.#tools.values()], marks: this.#marks };
  }

  #takeMessage(fact: MessageFact): void {
    if (fact.kind === 'prompt' || fact.kind === 'meta') this.#readyAt = fact.at;
    if (fact.kind === 'prompt') {
      this.#isRunning = true;
      this.#mark(fact, 'prompt', fact.label);
    }
    if (fact.kind === 'failure') this.#mark(fact, 'failure', fact.label);
    if (fact.subtype === 'model_fallback') {
      this.#readyAt = fact.at;
      this.#mark(fact, 'fallback', fact.label);
    }
    if (fact.kind === 'results' && !this.#hasIntents) this.#endCalls(fact);
    if (fact.kind !== 'answer') return;
    this.#open ??= this.#begin(fact.line, fact.model ?? '', this.#readyAt || fact.at);
    this.#open.firstAt ??= fact.at;
    this.#open.model = fact.model ?? this.#open.model;
    for (const part of fact.parts) {
      if (part.kind !== 'call') continue;
      const call = this.#tool(part.id, fact);
      Object.assign(call, { tool: part.tool, about: part.about, calledAt: fact.at });
    }
  }

  /** The log of another program has only calls and results, so a call runs from one to the other. */
  #endCalls(fact: MessageFact): void {
    this.#readyAt = fact.at;
    for (const part of fact.parts) {
      if (part.kind !== 'result') continue;
      const call = this.#tool(part.id, fact);
      call.startedAt ??= call.calledAt;
      call.endedAt ??= fact.at;
      call.isError ||= part.isError;
    }
  }

  #takeAnswer(fact: AnswerFact): void {
    if (fact.type === 'spent') {
      // A helper of a tool or of a compaction may have spent the tokens, outside of a model call.
      if (this.#open) Object.assign(this.#open, { outputTokens: fact.tokens.output, costUsd: fact.costUsd });
      return;
    }
    this.#open ??= this.#begin(fact.line, fact.model, this.#readyAt || fact.at);
    if (fact.firstAt !== undefined) this.#open.firstAt = fact.firstAt;
    Object.assign(this.#open, {
      model: fact.model,
      outputTokens: fact.tokens.output,
      costUsd: fact.costUsd,
    });
    this.#close(fact.at, 'answered');
  }

  #begin(line: number, model: string, from: number): Draft<ModelCall> {
    const call: Draft<ModelCall> = {
      line,
      model,
      from,
      firstAt: undefined,
      to: from,
      state: 'open',
      outputTokens: 0,
      costUsd: undefined,
    };
    this.#models.push(call);
    return call;
  }

  #close(at: number, state: ModelCall['state']): void {
    if (this.#open) Object.assign(this.#open, { to: Math.max(at, this.#open.from), state });
    this.#open = undefined;
  }

  #tool(id: string, { line, at }: LogFact): Draft<ToolCall> {
    const known = this.#tools.get(id);
    if (known) return known;
    const call: Draft<ToolCall> = {
      line,
      id,
      tool: '',
      about: '',
      calledAt: at,
      askedAt: undefined,
      answeredAt: undefined,
      startedAt: undefined,
      endedAt: undefined,
      isError: false,
      isDenied: false,
    };
    this.#tools.set(id, call);
    return call;
  }

  #mark({ line, at }: LogFact, kind: TimelineMark['kind'], text: string): void {
    this.#marks.push({ line, at, kind, text });
  }
}

/** Puts overlapping spans into separate lanes. Returns the lane of each span, in the given order. */
export function lanesOf(spans: readonly { readonly from: number; readonly to: number }[]): number[] {
  const ends: number[] = [];
  const lanes = spans.map(() => 0);
  const order = spans.map((_, index) => index).sort((one, two) => startOf(one) - startOf(two));
  for (const index of order) {
    const { from, to } = spans[index] ?? { from: 0, to: 0 };
    const free = ends.findIndex((end) => end <= from);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = Math.max(to, from + 1);
    lanes[index] = lane;
  }
  return lanes;

  function startOf(index: number): number {
    return spans[index]?.from ?? 0;
  }
}
