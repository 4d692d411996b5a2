/** The bridge: any model of the AI SDK's provider interface as a port of ours. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Clock, ModelError, ModelPort, ModelRecords, ModelRequest } from '@heddle/core';
import { systemClock } from '../clock.ts';
import type { Features } from '../providers/provider.ts';
import { Secrets } from '../secrets/secrets.ts';
import { BridgeAttempt } from './attempt.ts';
import type { ProviderInfo } from './errors/classify.ts';
import { readErrorResponse } from './errors/error-response.ts';
import type { IdForm } from './request/names.ts';
import type { OwnOptions, RequestFormat } from './request/options.ts';
import type { Metadata } from './signature.ts';

/** The model itself, or what finds one for the name that a request bears. It may load code: it is asked once for a name. */
type ModelSource = LanguageModelV4 | ((name: string) => Promise<LanguageModelV4> | LanguageModelV4);

interface BridgeOptions {
  /** Marks what belongs to this provider in the history. */
  readonly provider: string;
  readonly features: Features;
  readonly scene?: Partial<ProviderInfo>;
  readonly ownOptions?: OwnOptions;
  readonly mustSayStrict?: boolean;
  readonly hasExtras?: boolean;
  readonly marksParts?: boolean;
  readonly tellsCost?: boolean;
  /** Thinking and calls written as text are read. The text is what the user can change in the server. */
  readonly markupAdvice?: string;
  readonly idsFor?: (model: string) => IdForm;
  /** What is said to a message up to which the provider shall cache, if it must be told. */
  readonly markFor?: (model: string) => Metadata | undefined;
  /** Why nothing can be asked at all, a missing key for example. */
  readonly refusal?: () => ModelError | undefined;
  /** From the request to the first byte of its answer. */
  readonly firstByteMs?: number;
  /** Between two contents of an answer. */
  readonly idleMs?: number;
  /** Before the first of them, and when it has said that it thinks. Where thinking is not shown, there is only silence. */
  readonly thinkingMs?: number;
  readonly clock?: Clock;
}

/** What all attempts share. */
export interface BridgeDeps {
  readonly requestFormat: Omit<RequestFormat, 'names' | 'mark' | 'ids'>;
  readonly idsFor: (model: string) => IdForm;
  readonly markFor: (model: string) => Metadata | undefined;
  readonly tellsCost: boolean;
  readonly markupAdvice: string | undefined;
  readonly scene: ProviderInfo;
  readonly clock: Clock;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly thinkingMs: number;
  readonly caps: OutputCaps;
  model(name: string): Promise<LanguageModelV4>;
  refusal(): ModelError | undefined;
}

const FIRST_BYTE_MS = 90_000;
const IDLE_MS = 90_000;

export function createBridgePort(source: ModelSource, options: BridgeOptions): ModelPort {
  const { provider, features } = options;
  const models = new Map<string, Promise<LanguageModelV4>>();
  const port: BridgeDeps = {
    requestFormat: {
      provider,
      features,
      ownOptions: options.ownOptions ?? (() => ({})),
      mustSayStrict: options.mustSayStrict ?? false,
      hasExtras: options.hasExtras ?? false,
      marksParts: options.marksParts ?? false,
    },
    tellsCost: options.tellsCost ?? false,
    markupAdvice: options.markupAdvice,
    idsFor: options.idsFor ?? (() => 'any'),
    markFor: options.markFor ?? (() => undefined),
    scene: {
      name: provider,
      connection: { origin: provider, isOwnAddress: false },
      secrets: new Secrets(),
      key: 'its key',
      address: 'its address',
      ...options.scene,
    },
    clock: options.clock ?? systemClock,
    firstByteMs: options.firstByteMs ?? FIRST_BYTE_MS,
    idleMs: options.idleMs ?? IDLE_MS,
    thinkingMs: options.thinkingMs ?? options.idleMs ?? IDLE_MS,
    caps: new OutputCaps(),
    refusal: options.refusal ?? (() => undefined),
    model(name) {
      const known = models.get(name) ?? Promise.resolve(typeof source === 'function' ? source(name) : source);
      models.set(name, known);
      return known;
    },
  };
  return (request: ModelRequest, signal: AbortSignal): ModelRecords => {
    const attempt = new BridgeAttempt(port, request, signal);
    attempt.start();
    return attempt.records;
  };
}

// How much each model can write at once. No list has it for all of them: it is learnt from the refusal of a request that
// wanted more, and the same request goes out again with less. An answer that was cut asks for a lot, so this is met in
// practice.

class OutputCaps {
  readonly #caps = new Map<string, number>();
  /** For the next request only: what is left of a small window, which differs every time. */
  readonly #once = new Map<string, number>();

  /** What may be asked for. */
  within(model: string, wanted: number): number {
    const once = this.#once.get(model);
    this.#once.delete(model);
    return Math.min(wanted, once ?? wanted, this.#caps.get(model) ?? wanted);
  }

  /** Whether the refusal told of a cap, so that another try makes sense. */
  learn(model: string, thrown: unknown, wanted: number): boolean {
    const { status, text } = readErrorResponse(thrown, (words) => words);
    if (status !== 400 && status !== 422) return false;
    const left = leftInWindow(text);
    const cap = left ?? capIn(text, wanted);
    if (cap === undefined || cap < SMALLEST || cap >= wanted) return false;
    (left === undefined ? this.#caps : this.#once).set(model, cap);
    return true;
  }
}

/** Less is no room for an answer, and some other number of the sentence. */
const SMALLEST = 256;

const ABOUT_OUTPUT = /max_?(completion_?|output_?)?tokens|maximum tokens|completion tokens|output tokens/i;

/** "…is too large: 64000. This model supports at most 16384…", "…valid range of max_tokens is [1, 8192]". */
function capIn(text: string, wanted: number): number | undefined {
  if (!ABOUT_OUTPUT.test(text) || /input tokens|context length/i.test(text)) return undefined;
  const numbers = [...text.matchAll(/(\d{3,})( \(exclusive\))?/g)].map(
    ([, number, isExclusive]) => Number(number) - (isExclusive === undefined ? 0 : 1),
  );
  const smaller = numbers.filter((number) => number < wanted);
  return smaller.length === 0 ? undefined : Math.max(...smaller);
}

/** vLLM: "…maximum context length is 32768 tokens and your request has 900 input tokens". */
function leftInWindow(text: string): number | undefined {
  const [, window, input] =
    /context length is (\d+) tokens and your request has (\d+) input/.exec(text) ?? [];
  return ABOUT_OUTPUT.test(text) && window !== undefined ? Number(window) - Number(input) : undefined;
}
