/**
 * Finds the recorded attempt that a request repeats. A request contains its whole conversation, so an
 * equal one has the same position in the same conversation, regardless of parallel ones. Retries are equal
 * and are played in order.
 */
import type { History, ModelRequest, RequestMessage } from '@heddle/core';
import { digestOf, digestOfText } from '../format.ts';
import { mapTexts } from '../text/chunks.ts';
import { type MachinePlace, createNamer } from '../text/places.ts';
import type { Scrubber } from '../text/scrub.ts';
import { type ComparedRequest, explainDivergence, readField } from './divergence.ts';
import type { PlainRequest, RecordedAttempt, Recording } from './load.ts';

/**
 * `loose`: folders, today's date and random ids may differ. `calls`: tool results may differ, too. `none`:
 * every request gets the next response.
 */
export type MatchRule = 'strict' | 'loose' | 'calls' | 'none';

interface MatcherSetup {
  readonly rule: MatchRule;
  readonly scrubber: Scrubber;
  /** Folders of this machine. */
  readonly places: readonly MachinePlace[];
  readonly now: number;
}

type RequestMatch =
  | { readonly ok: true; readonly attempt: RecordedAttempt }
  | { readonly ok: false; readonly message: string };

interface Part {
  readonly value: unknown;
  readonly key: string;
}

export class RequestMatcher {
  readonly #rule: MatchRule;
  readonly #recording: Recording;
  readonly #unplayed: Set<RecordedAttempt>;
  readonly #byKey = new Map<string, RecordedAttempt[]>();
  readonly #recorded: Side;
  readonly #live: Side;
  /** Parts that differ only by redacted text and count as equal. */
  readonly #accepted = new Map<string, string>();
  #asked = 0;

  constructor(recording: Recording, { rule, scrubber, places, now }: MatcherSetup) {
    this.#rule = rule;
    this.#recording = recording;
    this.#unplayed = new Set(recording.attempts);
    const { places: theirs, at } = recording.header;
    const days = [Date.parse(at), now];
    const isLoose = rule !== 'strict';
    const nameTheirs = isLoose ? createNamer(theirs, places, days) : asItIs;
    const nameOurs = isLoose ? createNamer(places, theirs, days) : asItIs;
    const compared = rule === 'calls' ? withoutResults : asItIs;
    this.#recorded = sideOf((value) => compared(mapTexts(value, nameTheirs)));
    this.#live = sideOf((value) => compared(mapTexts(scrubber.value(value), nameOurs)));
    for (const attempt of recording.attempts) {
      const key = this.#keyOf(attempt.request, this.#recorded);
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), attempt]);
    }
  }

  get unplayed(): number {
    return this.#unplayed.size;
  }

  take(request: ModelRequest): RequestMatch {
    this.#asked++;
    const [next] = this.#unplayed;
    if (!next) return { ok: false, message: this.#tooMany() };
    if (this.#rule === 'none') return this.#played(next);
    const live = plainOf(request);
    const equal = this.#byKey.get(this.#keyOf(live, this.#live))?.find((one) => this.#unplayed.has(one));
    if (equal) return this.#played(equal);
    const nearest = this.#nearest(live) ?? next;
    const why = explainDivergence(
      this.#compared(nearest.request, this.#recorded.part),
      this.#compared(live, this.#live.part),
    );
    if (why !== undefined) return { ok: false, message: `${PART_AT} request ${nearest.number}: ${why}.` };
    this.#accept(nearest.request, live);
    return this.#played(nearest);
  }

  #played(attempt: RecordedAttempt): RequestMatch {
    this.#unplayed.delete(attempt);
    return { ok: true, attempt };
  }

  #tooMany(): string {
    const count = this.#recording.attempts.length;
    return `${PART_AT} request ${this.#asked}: the recording has none, it ends after ${count === 1 ? 'one' : count}.`;
  }

  /**
   * Returns the attempt, not played yet, that shares most with this request. The earlier one wins a tie.
   */
  #nearest(live: PlainRequest): RecordedAttempt | undefined {
    let nearest: { readonly attempt: RecordedAttempt; readonly score: number } | undefined;
    for (const attempt of this.#unplayed) {
      const score = this.#likeness(attempt.request, live);
      if (!nearest || score > nearest.score) nearest = { attempt, score };
    }
    return nearest?.attempt;
  }

  #likeness(recorded: PlainRequest, live: PlainRequest): number {
    const most = Math.min(recorded.messages.length, live.messages.length);
    let shared = 0;
    while (shared < most && this.#areSame(recorded.messages.at(shared), live.messages.at(shared))) shared++;
    const head = this.#headKey(recorded, this.#recorded.part) === this.#headKey(live, this.#live.part);
    const missing = Math.abs(recorded.messages.length - live.messages.length);
    return shared + (head ? 0.5 : 0) + 0.25 / (1 + missing);
  }

  #areSame(recorded: object | undefined, live: object | undefined): boolean {
    if (!recorded || !live) return false;
    return this.#recorded.part(recorded).key === this.#nameFor(this.#live.part(live).key);
  }

  #nameFor(key: string): string {
    return this.#accepted.get(key) ?? key;
  }

  /** From now on the parts of both count as equal, so that the next request is found at once. */
  #accept(recorded: PlainRequest, live: PlainRequest): void {
    this.#live.chain.forget();
    const theirs = [...recorded.system, ...recorded.tools, ...recorded.messages, recorded.options];
    const ours = [...live.system, ...live.tools, ...live.messages, live.options];
    for (const [at, part] of ours.entries()) {
      const same = theirs[at];
      if (same) this.#accepted.set(this.#live.part(part).key, this.#recorded.part(same).key);
    }
  }

  #keyOf(request: PlainRequest, side: Side): string {
    const messages = side.chain.keyOf(request.messages, (message) => this.#nameFor(side.part(message).key));
    return `${this.#headKey(request, side.part)} ${messages}`;
  }

  #headKey(
    { model, maxTokens, options, system, tools }: PlainRequest,
    partOf: (value: object) => Part,
  ): string {
    const keys = [options, ...system, ...tools].map((part) => this.#nameFor(partOf(part).key));
    return `${model} ${maxTokens} ${keys.join(' ')}`;
  }

  #compared(request: PlainRequest, partOf: (value: object) => Part): ComparedRequest {
    return {
      model: request.model,
      max_tokens: request.maxTokens,
      options: partOf(request.options).value,
      system: request.system.map((layer) => partOf(layer).value),
      tools: request.tools.map((tool) => partOf(tool).value),
      messages: [...request.messages].map((message) => partOf(message).value),
    };
  }
}

/** One side of the comparison. */
interface Side {
  readonly part: (value: object) => Part;
  readonly chain: RequestChain;
}

function sideOf(change: (value: unknown) => unknown): Side {
  return { part: partsOf(change), chain: new RequestChain() };
}

const PART_AT = 'The replay and the session part at';

function plainOf({
  model,
  max_tokens: maxTokens,
  options,
  system,
  tools,
  messages,
}: ModelRequest): PlainRequest {
  return { model, maxTokens, options, system, tools, messages };
}

/** Cache marks move from request to request and have no meaning here. */
function partsOf(change: (value: unknown) => unknown): (value: object) => Part {
  const known = new WeakMap<object, Part>();
  return (value) => {
    const before = known.get(value);
    if (before) return before;
    const { cache_control: _mark, ...rest }: { cache_control?: unknown } = value;
    const changed = change(rest);
    const part = { value: changed, key: digestOf(changed) };
    known.set(value, part);
    return part;
  };
}

function asItIs<T>(value: T): T {
  return value;
}

/** Returns the message with every tool result replaced by the same placeholder. */
function withoutResults(part: unknown): unknown {
  const content = readField(part, 'content');
  if (!Array.isArray(content)) return part;
  const blocks: readonly unknown[] = content;
  const blanked = blocks.map((block) =>
    readField(block, 'type') === 'tool_result'
      ? { type: 'tool_result', tool_use_id: readField(block, 'tool_use_id') }
      : block,
  );
  return Object.assign({}, part, { content: blanked });
}

/** The number of parallel conversations to remember. */
const REMEMBERED = 8;

interface Link {
  readonly messages: History<RequestMessage>;
  readonly key: string;
}

class RequestChain {
  #links: readonly Link[] = [];

  keyOf(messages: History<RequestMessage>, keyOfOne: (message: RequestMessage) => string): string {
    const before = this.#links.find((link) => messages.extends(link.messages));
    let key = before?.key ?? '';
    for (const message of messages.since(before?.messages.length ?? 0))
      key = digestOfText(`${key} ${keyOfOne(message)}`);
    const others = this.#links.filter((link) => link !== before);
    this.#links = [{ messages, key }, ...others].slice(0, REMEMBERED);
    return key;
  }

  /** Called when the keys of single messages have changed. */
  forget(): void {
    this.#links = [];
  }
}
