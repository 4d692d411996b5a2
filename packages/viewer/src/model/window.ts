/** Computes how full the context window was at each request, by kind. Pure. */
import {
  type ContentSize,
  type ContextFact,
  type LogFact,
  type MessageFact,
  type RequestFact,
  requestTokens,
} from './facts.ts';

export interface WindowSample {
  readonly line: number;
  readonly at: number;
  /** Tokens of the request by the count of the server. */
  readonly total: number;
  readonly system: number;
  readonly tools: number;
  readonly messages: number;
  readonly results: number;
  /** The size of the model's window. Old logs lack it. */
  readonly window: number | undefined;
  readonly threshold: number | undefined;
}

export interface WindowChange {
  readonly line: number;
  readonly at: number;
  readonly level: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly failed: string | undefined;
  /** The number of messages after the change, if the whole history was replaced. */
  readonly messagesAfter: number | undefined;
  /** The number of messages that were changed one by one. */
  readonly replaced: number;
}

export interface WindowHistory {
  readonly samples: readonly WindowSample[];
  readonly changes: readonly WindowChange[];
}

/** Old logs have no sizes by kind. Their share is estimated from the number of characters. */
const CHARS_PER_TOKEN = 4;

export function windowHistory(facts: readonly LogFact[]): WindowHistory {
  const sizes = new HistorySizes();
  const samples: WindowSample[] = [];
  const changes: WindowChange[] = [];
  let request: RequestFact | undefined;
  let system = 0;
  for (const fact of facts) {
    switch (fact.type) {
      case 'session':
        system = fact.systemChars / CHARS_PER_TOKEN;
        break;
      case 'request':
        request = fact;
        break;
      case 'answer': {
        const total = requestTokens(fact.tokens);
        if (total === 0) break;
        const parts = request?.sizes ? { ...request.sizes } : { system, tools: undefined, ...sizes.tokens() };
        const { line, at } = fact;
        const { window, threshold } = request ?? {};
        samples.push({ line, at, total, ...scaled(parts, total), window, threshold });
        break;
      }
      case 'context':
        changes.push(changeOf(fact));
        sizes.take(fact);
        break;
      default:
        sizes.take(fact);
    }
  }
  return { samples, changes };
}

type Parts = Pick<WindowSample, 'system' | 'messages' | 'results'> & { readonly tools: number | undefined };

/** Makes the parts add up to the count of the server. If the size of the tools is unknown, they are the rest. */
function scaled(
  parts: Parts,
  total: number,
): Pick<WindowSample, 'system' | 'tools' | 'messages' | 'results'> {
  const known = parts.system + parts.messages + parts.results;
  const tools = parts.tools ?? Math.max(0, total - known);
  const factor = known + tools > 0 ? total / (known + tools) : 0;
  const of = (value: number): number => Math.round(value * factor);
  return {
    system: of(parts.system),
    tools: of(tools),
    messages: of(parts.messages),
    results: of(parts.results),
  };
}

function changeOf(fact: ContextFact): WindowChange {
  const { line, at, level, tokensBefore, tokensAfter, failed, history, replaced } = fact;
  return {
    line,
    at,
    level,
    tokensBefore,
    tokensAfter,
    failed,
    messagesAfter: history?.count,
    replaced: replaced?.length ?? 0,
  };
}

/** Follows the size of the history through compactions, retractions and rewinds. */
class HistorySizes {
  /** The sizes of messages by uuid, in the order of the history. */
  #messages = new Map<string, ContentSize>();
  /** The size of a compacted history, whose messages are not known one by one. */
  #base: ContentSize = { messages: 0, results: 0 };
  #sum: ContentSize = { messages: 0, results: 0 };

  tokens(): ContentSize {
    return {
      messages: (this.#base.messages + this.#sum.messages) / CHARS_PER_TOKEN,
      results: (this.#base.results + this.#sum.results) / CHARS_PER_TOKEN,
    };
  }

  take(fact: LogFact): void {
    switch (fact.type) {
      case 'message':
        if (fact.role !== 'system' && fact.kind !== 'failure') this.#set(fact.uuid, sizeOfParts(fact));
        return;
      case 'tombstone':
        for (const uuid of fact.uuids) this.#remove(uuid);
        return;
      case 'context':
        if (fact.history) this.#restart(fact.history);
        for (const { uuid, ...size } of fact.replaced ?? [])
          if (this.#messages.has(uuid)) this.#set(uuid, size);
        return;
      case 'rewind': {
        if (fact.history) return this.#restart(fact.history);
        const uuids = [...this.#messages.keys()];
        const at = uuids.indexOf(fact.to);
        if (at >= 0) for (const uuid of uuids.slice(at + 1)) this.#remove(uuid);
        return;
      }
      default:
        return;
    }
  }

  #set(uuid: string, size: ContentSize): void {
    this.#add(this.#messages.get(uuid), -1);
    this.#messages.set(uuid, size);
    this.#add(size, 1);
  }

  #remove(uuid: string): void {
    this.#add(this.#messages.get(uuid), -1);
    this.#messages.delete(uuid);
  }

  #restart(base: ContentSize): void {
    this.#base = base;
    this.#sum = { messages: 0, results: 0 };
    this.#messages = new Map();
  }

  #add(size: ContentSize | undefined, sign: number): void {
    if (!size) return;
    this.#sum = {
      messages: this.#sum.messages + sign * size.messages,
      results: this.#sum.results + sign * size.results,
    };
  }
}

function sizeOfParts({ parts }: MessageFact): ContentSize {
  let messages = 0;
  let results = 0;
  for (const part of parts) {
    if (part.kind === 'result') results += part.size;
    else messages += part.size;
  }
  return { messages, results };
}
