/**
 * One attempt through a provider's package: makes a call and delivers records, exactly one of which is
 * final. Nothing here throws. Every incomplete end also closes the connection.
 */
import type {
  LanguageModelV4,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { type Clock, errorMessage, type ModelError, type ModelRequest } from '@heddle/core';
import { hasMedia } from '../anthropic/request-body.ts';
import { internalError } from '../errors/classify.ts';
import { AttemptLifecycle } from '../stream/attempt-lifecycle.ts';
import type { RecordQueue } from '../stream/record-queue.ts';
import { type AnswerListenerEvents, BridgeAnswer } from './answer/answer.ts';
import { classifyThrown, type ProviderInfo } from './errors/classify.ts';
import { StallTimer } from '../stream/deadline.ts';
import { ToolNames, type IdForm } from './request/names.ts';
import { callOptions, type RequestFormat } from './request/options.ts';
import type { Metadata } from './signature.ts';
import type { OutputCaps } from './output-caps.ts';

export class BridgeAttempt {
  readonly #life: AttemptLifecycle;
  readonly #port: BridgeDeps;
  readonly #request: ModelRequest;
  readonly #patience: StallTimer;
  readonly #http = new AbortController();
  #answer: BridgeAnswer | undefined;
  #requestId: string | undefined;
  #drained: (() => void) | undefined;
  #isFull = false;

  constructor(port: BridgeDeps, request: ModelRequest, signal: AbortSignal) {
    this.#port = port;
    this.#request = request;
    this.#patience = new StallTimer(port, (message) => this.#stall(message));
    this.#life = new AttemptLifecycle({
      signal,
      secrets: port.scene.secrets,
      onFull: () => this.#hold(),
      onDrained: () => this.#goOn(),
      onClose: (isComplete) => {
        this.#patience.stop();
        this.#drained?.();
        // A complete response returns its connection by itself. Any other response loses it.
        if (!isComplete) this.#http.abort();
      },
    });
  }

  get records(): RecordQueue {
    return this.#life.records;
  }

  start(): void {
    this.#life.start(() => this.#run());
  }

  async #run(): Promise<void> {
    try {
      const stream = await this.#send();
      if (stream !== undefined) await this.#read(stream);
    } catch (thrown) {
      if (!this.#life.isOver) this.#fail(thrown);
    }
  }

  async #send(): Promise<ReadableStream<LanguageModelV4StreamPart> | undefined> {
    const { port, request } = { port: this.#port, request: this.#request };
    const refusal = port.refusal();
    if (refusal !== undefined) return this.#ended(refusal);
    const model = await this.#loaded();
    if (model === undefined || this.#life.isOver) return undefined;
    const names = new ToolNames(request.tools);
    this.#answer = new BridgeAnswer(
      {
        model: request.model,
        provider: port.requestFormat.provider,
        names,
        isTaken: idsOf(request),
        estimate: () => estimateOf(request),
        tellsCost: port.tellsCost,
        readsMarkup: port.markupAdvice !== undefined,
      },
      (event) => this.records.push(event),
    );
    this.#patience.awaitFirstByte();
    const called = await this.#call(model, names);
    if (called === undefined) return undefined;
    const { stream, response } = called;
    this.#requestId = response?.headers?.['x-request-id'];
    if (this.#life.isOver) return undefined;
    if (/html/i.test(response?.headers?.['content-type'] ?? '')) return this.#ended(this.#noApi());
    this.#patience.awaitFirstWord();
    return stream;
  }

  /** Calls the model, and calls it again with a smaller output cap if the provider rejected the cap. */
  async #call(model: LanguageModelV4, names: ToolNames): Promise<LanguageModelV4StreamResult | undefined> {
    const { requestFormat, idsFor, markFor, caps } = this.#port;
    const request = this.#request;
    const max_tokens = caps.within(request.model, request.max_tokens);
    const options = this.#translated(() =>
      callOptions(
        { ...request, max_tokens },
        { ...requestFormat, names, ids: idsFor(request.model), mark: markFor(request.model) },
      ),
    );
    if (options === undefined) return undefined;
    try {
      return await model.doStream({ ...options, abortSignal: this.#http.signal });
    } catch (thrown) {
      if (this.#life.isOver || !caps.learn(request.model, thrown, max_tokens)) throw thrown;
      return this.#call(model, names);
    }
  }

  /** A package that cannot be loaded now cannot be loaded at the next attempt. */
  async #loaded(): Promise<LanguageModelV4 | undefined> {
    try {
      return await this.#port.model(this.#request.model);
    } catch (thrown) {
      const why = errorMessage(thrown);
      const message = this.#port.scene.secrets.redact(why);
      return this.#ended({ type: 'model_error', class: 'not_found', message, shouldRetry: false });
    }
  }

  #ended(record: ModelError): undefined {
    this.#life.end(record);
  }

  /**
   * Only our own code runs here, so an exception is an internal error and not a failure of the provider.
   */
  #translated<T>(translate: () => T): T | undefined {
    try {
      return translate();
    } catch (thrown) {
      return this.#ended(internalError(thrown, this.#port.scene.secrets));
    }
  }

  async #read(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<void> {
    const reader = stream.getReader();
    for (;;) {
      const next = await reader.read();
      if (this.#life.isOver) return void reader.cancel().catch(() => undefined);
      if (next.done) return this.#fail(BROKE_OFF);
      const outcome = this.#translated(() => this.#answer?.push(next.value));
      if (outcome === undefined) return;
      this.#patience.heed(next.value);
      this.#apply(outcome);
      if (this.#life.isOver) return void reader.cancel().catch(() => undefined);
      if (this.#isFull) await this.#untilDrained();
    }
  }

  #apply(outcome: AnswerListenerEvents): void {
    switch (outcome.is) {
      case 'more':
        return;
      case 'answer':
        return this.#life.end({ type: 'done', ...this.#idField(), ...this.#notice() });
      case 'error':
        return this.#fail(outcome.error);
      case 'broken':
        return this.#fail(BROKE_OFF);
      case 'failed':
        return this.#fail(new Error(`the model stopped with ${outcome.word}`));
    }
  }

  #notice(): { readonly notice?: string } {
    const { markupAdvice } = this.#port;
    return this.#answer?.hasUnreadCall && markupAdvice !== undefined ? { notice: markupAdvice } : {};
  }

  #fail(thrown: unknown): void {
    this.#answer?.breakOff();
    if (thrown === BROKE_OFF) return this.#life.end({ ...BROKE_OFF, ...this.#idField() });
    const { scene, clock } = this.#port;
    this.#life.end(
      classifyThrown(thrown, scene, {
        hasMedia: () => hasMedia(this.#request),
        now: clock.now(),
        requestId: this.#requestId,
      }),
    );
  }

  #noApi(): ModelError {
    const { name, address } = this.#port.scene;
    const message = `${name}: a web page answered instead of the provider. Check ${address}, and whether a proxy or a login page stands in between.`;
    return { type: 'model_error', class: 'network', message, shouldRetry: false };
  }

  #stall(message: string): void {
    this.#answer?.breakOff();
    this.#life.end({ type: 'model_error', class: 'stall', message, ...this.#idField() });
  }

  #idField(): { requestId?: string } {
    const requestId = this.#requestId ?? this.#answer?.responseId;
    return requestId === undefined ? {} : { requestId };
  }

  #hold(): void {
    this.#isFull = true;
    this.#patience.hold();
  }

  #untilDrained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    return promise;
  }

  #goOn(): void {
    this.#isFull = false;
    this.#patience.goOn();
    this.#drained?.();
  }
}

const BROKE_OFF: ModelError = {
  type: 'model_error',
  class: 'network',
  message: 'The answer ended before it was complete: the stream was closed without saying why.',
};

/**
 * Returns whether the conversation contains a call id. The ids are collected when the first call arrives.
 */
function idsOf({ messages }: ModelRequest): (id: string) => boolean {
  let ids: Set<string> | undefined;
  return (id) => {
    ids ??= new Set(
      [...messages].flatMap(({ content }) =>
        content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
      ),
    );
    const isTaken = ids.has(id);
    ids.add(id);
    return isTaken;
  };
}

/** Estimates four bytes per token, the usual approximation without a tokenizer. */
function estimateOf({ system, tools, messagesJson }: ModelRequest): number {
  let bytes = JSON.stringify({ system, tools }).length;
  for (const piece of messagesJson) bytes += piece.byteLength;
  return Math.ceil(bytes / 4);
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
