/**
 * Writes requests as lines. Each stores only parts that no earlier line contains, so that a recording
 * grows linearly with the session.
 */
import type { History, ModelRequest, RequestMessage } from '@heddle/core';
import { digestOf, digestOfParts, type PartLine, type RequestLine } from '../format.ts';
import type { Scrubber } from '../text/scrub.ts';
import { omitUndefined } from '@heddle/core';

/** The number of parallel conversations to remember. */
const REMEMBERED = 8;

interface Now {
  readonly attempt: number;
  /** Milliseconds since the recording began. */
  readonly at: number;
  readonly window: number | undefined;
}

interface RecordedRequest {
  readonly attempt: number;
  readonly system: readonly string[];
  readonly tools: readonly string[];
  readonly messages: History<RequestMessage>;
  readonly digests: readonly string[];
}

export class RequestRecorder {
  readonly #scrubber: Scrubber;
  readonly #written = new Set<string>();
  /** Requests contain the same objects repeatedly. Each is digested once. */
  readonly #digests = new WeakMap<object, string>();
  #recent: RecordedRequest[] = [];

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber;
  }

  *record(request: ModelRequest, now: Now): Generator<PartLine | RequestLine> {
    const system: string[] = [];
    const tools: string[] = [];
    for (const layer of request.system) system.push(yield* this.#part(layer));
    for (const tool of request.tools) tools.push(yield* this.#part(tool));
    const followed = this.#nearest(request);
    const added: string[] = [];
    for (const message of request.messages.since(followed.keep)) added.push(yield* this.#part(message));
    const digests = [...(followed.earlier?.digests.slice(0, followed.keep) ?? []), ...added];
    const earlier: RecordedRequest = {
      attempt: now.attempt,
      system,
      tools,
      messages: request.messages,
      digests,
    };
    yield this.#line(request, earlier, followed, added, now);
    const rest = this.#recent.filter(
      (other) => other !== followed.earlier || followed.keep < other.digests.length,
    );
    this.#recent = [earlier, ...rest].slice(0, REMEMBERED);
  }

  #line(
    { model, max_tokens: maxTokens, options, marks }: ModelRequest,
    { attempt, system, tools, digests }: RecordedRequest,
    { earlier, keep }: Followed,
    messages: readonly string[],
    { at, window }: Now,
  ): RequestLine {
    const clean = this.#scrubber.value(options);
    return {
      type: 'request',
      attempt,
      at,
      model,
      maxTokens,
      ...omitUndefined({ window }),
      options: isOptions(clean) ? clean : {},
      ...(earlier && same(earlier.system, system) ? {} : { system }),
      ...(earlier && same(earlier.tools, tools) ? {} : { tools }),
      ...(earlier ? { follows: earlier.attempt } : {}),
      keep,
      messages,
      marks,
      whole: digestOfParts(system, tools, digests),
    };
  }

  /** Returns the earlier request with the longest shared prefix. */
  #nearest(request: ModelRequest): Followed {
    let nearest: Followed = { earlier: this.#recent[0], keep: 0 };
    for (const earlier of this.#recent) {
      const keep = this.#shared(request.messages, earlier);
      if (keep > nearest.keep) nearest = { earlier, keep };
    }
    return nearest;
  }

  #shared(messages: History<RequestMessage>, earlier: RecordedRequest): number {
    if (messages.extends(earlier.messages)) return earlier.digests.length;
    const most = Math.min(messages.length, earlier.digests.length);
    for (let at = 0; at < most; at++) {
      const message = messages.at(at);
      if (message === undefined) return at;
      if (message !== earlier.messages.at(at) && this.#digest(message).digest !== earlier.digests[at])
        return at;
    }
    return most;
  }

  *#part(value: PartLine['value']): Generator<PartLine, string> {
    const { digest, clean } = this.#digest(value);
    if (!this.#written.has(digest)) {
      this.#written.add(digest);
      yield { type: 'part', digest, value: clean() };
    }
    return digest;
  }

  #digest(value: PartLine['value']): { readonly digest: string; readonly clean: () => PartLine['value'] } {
    const clean = (): PartLine['value'] => {
      const scrubbed = this.#scrubber.value(value);
      return isLike(value, scrubbed) ? scrubbed : value;
    };
    const digest = this.#digests.get(value) ?? digestOf(clean());
    this.#digests.set(value, digest);
    return { digest, clean };
  }
}

interface Followed {
  readonly earlier: RecordedRequest | undefined;
  readonly keep: number;
}

function same(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((digest, at) => digest === right[at]);
}

/** Redaction changes only texts, so the result has the shape of the input. */
function isLike<T extends object>(_value: T, scrubbed: unknown): scrubbed is T {
  return typeof scrubbed === 'object' && scrubbed !== null;
}

function isOptions(value: unknown): value is ModelRequest['options'] {
  return typeof value === 'object' && value !== null;
}
