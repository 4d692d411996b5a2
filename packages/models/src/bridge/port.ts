/** The bridge: adapts any model of the AI SDK's provider interface to a model port. */
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

/**
 * The model itself, or a function that finds one by the name in a request. The function may load code: it
 * is called once per name.
 */
type ModelSource = LanguageModelV4 | ((name: string) => Promise<LanguageModelV4> | LanguageModelV4);

interface BridgeOptions {
  /** Marks the data in the history that belongs to this provider. */
  readonly provider: string;
  readonly features: Features;
  readonly scene?: Partial<ProviderInfo>;
  readonly ownOptions?: OwnOptions;
  readonly mustSayStrict?: boolean;
  readonly hasExtras?: boolean;
  readonly marksParts?: boolean;
  readonly tellsCost?: boolean;
  /**
   * If set, thinking and calls written as text are parsed. The text advises the user how to change the
   * server.
   */
  readonly markupAdvice?: string;
  readonly idsFor?: (model: string) => IdForm;
  /** Returns the metadata for the message up to which the provider caches, if the provider needs it. */
  readonly markFor?: (model: string) => Metadata | undefined;
  /** Returns an error if no request is possible, for example without a key. */
  readonly refusal?: () => ModelError | undefined;
  /** From the request to the first byte of its response. */
  readonly firstByteMs?: number;
  /** Between two pieces of content of a response. */
  readonly idleMs?: number;
  /** Before the first content, and after the model reported that it thinks. Hidden thinking is silent. */
  readonly thinkingMs?: number;
  readonly clock?: Clock;
}

/** The parts that all attempts share. */
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

// The output cap of each model. No list contains them all, so a cap is learned from the rejection of a
// larger one, and the same request is sent again with less. A response that was cut asks for a large cap,
// so rejections occur in practice.

class OutputCaps {
  readonly #caps = new Map<string, number>();
  /** For the next request only: the rest of a small window, which differs every time. */
  readonly #once = new Map<string, number>();

  /** Returns the output cap to request. */
  within(model: string, wanted: number): number {
    const once = this.#once.get(model);
    this.#once.delete(model);
    return Math.min(wanted, once ?? wanted, this.#caps.get(model) ?? wanted);
  }

  /** Returns true if the rejection contained a cap, so that another attempt makes sense. */
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

/** A smaller number is too small for a response, and has another meaning in the sentence. */
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
