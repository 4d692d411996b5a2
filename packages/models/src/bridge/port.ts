/** The bridge: adapts any model of the AI SDK's provider interface to a model port. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Clock, ModelError, ModelPort, ModelRecords, ModelRequest } from '@heddle/core';
import { systemClock } from '../clock.ts';
import type { Features } from '../provider.ts';
import { Secrets } from '../secrets/secrets.ts';
import { BridgeAttempt, type BridgeDeps } from './attempt.ts';
import type { ProviderInfo } from './errors/classify.ts';
import type { IdForm } from './request/names.ts';
import type { OwnOptions } from './request/options.ts';
import type { Metadata } from './signature.ts';
import { OutputCaps } from './output-caps.ts';

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
