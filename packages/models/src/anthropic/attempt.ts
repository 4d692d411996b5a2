/**
 * One attempt: sends a request and delivers records, exactly one of which is final. Nothing here throws. A
 * second request is sent only if the key of a key helper has expired.
 */
import type { ApiEvent, Done, ModelError, ModelRequest } from '@heddle/core';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { classifyFailure, internalError } from '../errors/classify.ts';
import { networkError, type Connection } from '../errors/network.ts';
import { Deadline } from '../stream/deadline.ts';
import { AttemptLifecycle } from '../stream/attempt-lifecycle.ts';
import type { RecordQueue } from '../stream/record-queue.ts';
import { AnswerStream } from './answer-stream.ts';
import type { BodyWriter } from './request-body.ts';
import { hasMedia } from './request-body.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Transport } from '../transport/transport.ts';
import type { CredentialSource } from './credentials.ts';
import type { Settings } from './options.ts';
import { readRateLimits } from '../errors/retry-after.ts';
import { omitUndefined } from '@heddle/core';

export class MessagesAttempt {
  readonly #life: AttemptLifecycle;
  readonly #port: AnthropicDeps;
  readonly #request: ModelRequest;
  readonly #deadline: Deadline;
  #outgoing: ClientRequest | undefined;
  #stream: AnswerStream | undefined;
  #key = '';
  #isRenewed = false;

  constructor(port: AnthropicDeps, request: ModelRequest, signal: AbortSignal) {
    this.#port = port;
    this.#request = request;
    this.#deadline = new Deadline(port.settings.clock);
    this.#life = new AttemptLifecycle({
      signal,
      secrets: port.secrets,
      onFull: () => this.#stream?.pause(),
      onDrained: () => this.#stream?.resume(),
      onClose: (isComplete) => {
        this.#deadline.stop();
        // The remaining bytes of an incomplete response are not needed, so its connection is closed as well.
        if (!isComplete) this.#outgoing?.destroy();
      },
    });
  }

  get records(): RecordQueue {
    return this.#life.records;
  }

  start(): void {
    this.#life.start(() => this.#guarded(() => this.#send()));
  }

  /**
   * No caller can catch an exception thrown here, so an internal error ends the attempt like any other
   * failure.
   */
  async #guarded(work: () => Promise<void> | void): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.#life.end(internalError(thrown, this.#port.secrets));
    }
  }

  async #send(): Promise<void> {
    const { settings, credentials, transport, bodies } = this.#port;
    const proof = await credentials.get();
    if (this.#life.isOver) return;
    if (!proof.ok) return this.#life.end(proof.error);
    this.#key = proof.key;
    this.#watch(
      settings.firstByteMs,
      () => `The API sent nothing for ${seconds(settings.firstByteMs)}. ${STALL_ADVICE}`,
    );
    const listener = {
      onResponse: (response: IncomingMessage) => void this.#guarded(() => this.#onResponse(response)),
      onError: (error: Error) =>
        this.#life.end(networkError(error, this.#port.connection, this.#port.secrets)),
    };
    const { pieces, length } = bodies.write(this.#request);
    const headers = this.#port.headersFor(this.#request, proof.headers, length);
    try {
      const outgoing = { path: '/v1/messages', headers, pieces };
      this.#outgoing = await transport.send(outgoing, listener, () => !this.#life.isOver);
    } catch (thrown) {
      if (this.#life.isOver) return;
      // The settings are wrong and will be wrong at the next attempt.
      this.#life.end({
        ...networkError(thrown, this.#port.connection, this.#port.secrets),
        shouldRetry: false,
      });
    }
  }

  #onResponse(response: IncomingMessage): void {
    if (this.#life.isOver) return void response.destroy();
    const { settings, connection, secrets } = this.#port;
    const requestId = response.headers['request-id'];
    const stream = isAnswer(response)
      ? new AnswerStream(response, {
          onRecord: (record) => this.records.push(withoutSecrets(record, secrets)),
          onContent: () => this.#deadline.touch(),
          onHold: () => this.#deadline.hold(),
          onStopped: () => this.#awaitEnd(),
          onEnd: (end) => this.#end(end, response),
          wordFor: (body) => this.#classified(response, body, undefined),
          wordForBreak: (thrown) =>
            networkError(thrown, connection, secrets, typeof requestId === 'string' ? requestId : undefined),
          wordForBug: (thrown) => internalError(thrown, secrets),
        })
      : undefined;
    this.#stream = stream;
    if (stream) {
      this.#watch(
        settings.idleMs,
        () => `The answer stopped coming for ${seconds(settings.idleMs)}. ${STALL_ADVICE}`,
      );
      return;
    }
    const errorBody = new ErrorBody(
      response,
      (body) => void this.#guarded(() => this.#onErrorBody(response, body)),
    );
    // The part received so far is enough to classify the error.
    this.#deadline.set(settings.idleMs, () => errorBody.giveUp());
  }

  async #onErrorBody(response: IncomingMessage, body: string): Promise<void> {
    if (this.#life.isOver) return;
    if (response.statusCode === 401 && !this.#isRenewed && this.#port.credentials.renew(this.#key)) {
      this.#isRenewed = true;
      return this.#send();
    }
    this.#end(this.#classified(response, body, response.statusCode), response);
  }

  #end(record: Done | ModelError, { headers }: IncomingMessage): void {
    this.#life.end({ ...record, ...omitUndefined({ rateLimits: readRateLimits(headers) }) });
  }

  #classified({ headers }: IncomingMessage, body: string, status: number | undefined): ModelError {
    const { settings, secrets } = this.#port;
    const request = this.#request;
    return classifyFailure(
      { status, headers, body, hasMedia: () => hasMedia(request), now: settings.clock.now() },
      secrets,
    );
  }

  /**
   * The response is complete. The last bytes are awaited briefly, so that the connection can be reused.
   */
  #awaitEnd(): void {
    setImmediate(() => {
      if (!this.#life.isOver) this.#deadline.set(LAST_BYTES_MS, () => this.#stream?.giveUp());
    });
  }

  #watch(limitMs: number, message: () => string): void {
    this.#deadline.set(limitMs, () => {
      const requestId = this.#stream?.requestId;
      this.#life.end({
        type: 'model_error',
        class: 'stall',
        message: message(),
        ...omitUndefined({ requestId }),
      });
    });
  }
}

const STALL_ADVICE =
  'It is tried again by itself; if this happens often, check the network, or allow a longer wait.';

/** The last bytes are usually in the same packet as the end of the response. */
const LAST_BYTES_MS = 250;

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

/** A server may repeat a key in the id of a message. The text of an answer is not changed. */
function withoutSecrets(event: ApiEvent, secrets: Secrets): ApiEvent {
  return event.type === 'message_start' ? { ...event, message: secrets.redactValue(event.message) } : event;
}

/**
 * Responses of type JSON or HTML are not streams. Other types are accepted, because gateways often set a
 * wrong type.
 */
function isAnswer({ statusCode = 0, headers }: IncomingMessage): boolean {
  const isOk = statusCode >= 200 && statusCode < 300;
  return isOk && !/json|html/i.test(headers['content-type'] ?? '');
}

const LONGEST = 64 * 1024;

export class ErrorBody {
  readonly #response: Readable;
  readonly #onRead: (body: string) => void;
  readonly #decoder = new TextDecoder();
  #text = '';
  #isRead = false;

  /**
   * Contract: `onRead` is called exactly once, with everything received, regardless of how the body ended.
   */
  constructor(response: Readable, onRead: (body: string) => void) {
    this.#response = response;
    this.#onRead = onRead;
    response
      .on('data', (chunk: Uint8Array) => this.#add(chunk))
      .on('end', () => this.#finish())
      .on('error', () => this.#finish())
      .on('close', () => this.#finish());
  }

  /** Stops reading and reports the part received so far. */
  giveUp(): void {
    this.#response.destroy();
    this.#finish();
  }

  #add(chunk: Uint8Array): void {
    this.#text += this.#decoder.decode(chunk, { stream: true });
    if (this.#text.length > LONGEST) this.giveUp();
  }

  #finish(): void {
    if (this.#isRead) return;
    this.#isRead = true;
    this.#onRead(this.#text);
  }
}

/** The parts that all attempts share. */
export interface AnthropicDeps {
  readonly settings: Settings;
  readonly connection: Connection;
  readonly secrets: Secrets;
  readonly credentials: CredentialSource;
  readonly transport: Transport;
  readonly bodies: BodyWriter;
  headersFor(request: ModelRequest, proof: OutgoingHttpHeaders, length: number): OutgoingHttpHeaders;
}
