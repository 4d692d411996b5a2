/** The bridge: any model of the AI SDK's provider interface as a port of ours. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Clock, ModelError, ModelPort, ModelRecords, ModelRequest } from '@heddle/core';
import { systemClock } from '../clock.ts';
import type { Features } from '../providers/features.ts';
import { Secrets } from '../secrets/secrets.ts';
import { BridgeAttempt } from './attempt.ts';
import type { Scene } from './errors/classify.ts';
import { OutputCaps } from './output-caps.ts';
import type { IdForm } from './request/ids.ts';
import type { Manner, OwnOptions } from './request/options.ts';
import type { Metadata } from './signature.ts';

/** The model itself, or what finds one for the name that a request bears. It may load code: it is asked once for a name. */
export type ModelSource = LanguageModelV4 | ((name: string) => Promise<LanguageModelV4> | LanguageModelV4);

export interface BridgeOptions {
  /** Marks what belongs to this provider in the history. */
  readonly provider: string;
  readonly features: Features;
  readonly scene?: Partial<Scene>;
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
export interface BridgeDoor {
  readonly manner: Omit<Manner, 'names' | 'mark' | 'ids'>;
  readonly idsFor: (model: string) => IdForm;
  readonly markFor: (model: string) => Metadata | undefined;
  readonly tellsCost: boolean;
  readonly markupAdvice: string | undefined;
  readonly scene: Scene;
  readonly clock: Clock;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly thinkingMs: number;
  readonly caps: OutputCaps;
  model(name: string): Promise<LanguageModelV4>;
  refusal(): ModelError | undefined;
}

const FIRST_BYTE_MS = 60_000;
const IDLE_MS = 90_000;

export function createBridgePort(source: ModelSource, options: BridgeOptions): ModelPort {
  const { provider, features } = options;
  const models = new Map<string, Promise<LanguageModelV4>>();
  const door: BridgeDoor = {
    manner: {
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
    const attempt = new BridgeAttempt(door, request, signal);
    attempt.start();
    return attempt.records;
  };
}
