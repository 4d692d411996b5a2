/**
 * One attempt: sends a request and delivers records, exactly one of which is final. Nothing here throws. A
 * second request is sent only if the key of a key helper has expired.
 */
import type { Done, ModelError, ModelRequest } from '@heddle/core';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { classifyFailure, internalError } from '../errors/classify.ts';
import { networkError, type Connection } from '../errors/network.ts';
import { Deadline } from '../stream/deadline.ts';
import { RecordQueue } from '../stream/record-queue.ts';
import { AnswerStream } from './answer-stream.ts';
import type { BodyWriter } from './request-body.ts';
import { hasMedia } from './request-body.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Transport } from '../transport/transport.ts';
import type { CredentialSource } from './credentials.ts';
import type { Settings } from './options.ts';

export class MessagesAttempt {
  readonly records: RecordQueue;
  readonly #port: AnthropicDeps;
  readonly #request: ModelRequest;
  readonly #signal: AbortSignal;
  readonly #deadline: Deadline;
  #outgoing: ClientRequest | undefined;
  #stream: AnswerStream | undefined;
  #key = '';
  #isRenewed = false;
  #isOver = false;

  constructor(port: AnthropicDeps, request: ModelRequest, signal: AbortSignal) {
    this.#port = port;
    this.#request = request;
    this.#signal = signal;
    this.#deadline = new Deadline(port.settings.clock);
    this.records = new RecordQueue({
      onFull: () => this.#stream?.pause(),
      onDrained: () => this.#stream?.resume(),
      onLeft: () => this.#close('now'),
    });
  }

  start(): void {
    if (this.#signal.aborted) return this.#end(ABORTED);
    this.#signal.addEventListener('abort', this.#onAbort, { once: true });
    void this.#guarded(() => this.#send());
  }

  /**
   * No caller can catch an exception thrown here, so an internal error ends the attempt like any other
   * failure.
   */
  async #guarded(work: () => Promise<void> | void): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.#end(internalError(thrown, this.#port.secrets));
    }
  }

  async #send(): Promise<void> {
    const { settings, credentials, transport, bodies } = this.#port;
    const proof = await credentials.get();
    if (this.#isOver) return;
    if (!proof.ok) return this.#end(proof.error);
    this.#key = proof.key;
    this.#watch(
      settings.firstByteMs,
      () => `The API sent nothing for ${seconds(settings.firstByteMs)}. ${STALL_ADVICE}`,
    );
    const listener = {
      onResponse: (response: IncomingMessage) => void this.#guarded(() => this.#onResponse(response)),
      onError: (error: Error) => this.#end(networkError(error, this.#port.connection, this.#port.secrets)),
    };
    const { pieces, length } = bodies.write(this.#request);
    const headers = this.#port.headersFor(this.#request, proof.headers, length);
    try {
      const outgoing = { path: '/v1/messages', headers, pieces };
      this.#outgoing = await transport.send(outgoing, listener, () => !this.#isOver);
    } catch (thrown) {
      if (this.#isOver) return;
      // The settings are wrong and will be wrong at the next attempt.
      this.#end({ ...networkError(thrown, this.#port.connection, this.#port.secrets), shouldRetry: false });
    }
  }

  #onResponse(response: IncomingMessage): void {
    if (this.#isOver) return void response.destroy();
    const { settings, connection, secrets } = this.#port;
    const requestId = response.headers['request-id'];
    const stream = isAnswer(response)
      ? new AnswerStream(response, {
          onRecord: (record) => this.records.push(record),
          onContent: () => this.#deadline.touch(),
          onHold: () => this.#deadline.hold(),
          onStopped: () => this.#awaitEnd(),
          onEnd: (end) => this.#end(end),
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
    if (this.#isOver) return;
    if (response.statusCode === 401 && !this.#isRenewed && this.#port.credentials.renew(this.#key)) {
      this.#isRenewed = true;
      return this.#send();
    }
    this.#end(this.#classified(response, body, response.statusCode));
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
      if (!this.#isOver) this.#deadline.set(LAST_BYTES_MS, () => this.#stream?.giveUp());
    });
  }

  #watch(limitMs: number, message: () => string): void {
    this.#deadline.set(limitMs, () => {
      const requestId = this.#stream?.requestId;
      this.#end({
        type: 'model_error',
        class: 'stall',
        message: message(),
        ...(requestId === undefined ? {} : { requestId }),
      });
    });
  }

  readonly #onAbort = (): void => this.#end(ABORTED);

  #end(record: Done | ModelError): void {
    if (this.#isOver) return;
    this.#close(record.type === 'done' ? 'kept' : 'now');
    // A proxy may repeat a key in the request id.
    const { requestId } = record;
    const secrets = this.#port.secrets;
    this.records.end(requestId === undefined ? record : { ...record, requestId: secrets.redact(requestId) });
  }

  /** `now`: the remaining bytes are not needed, so the connection is closed as well. */
  #close(how: 'kept' | 'now'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadline.stop();
    this.#signal.removeEventListener('abort', this.#onAbort);
    if (how === 'now') this.#outgoing?.destroy();
  }
}

const ABORTED: ModelError = { type: 'model_error', class: 'aborted', message: 'The call was interrupted.' };
const STALL_ADVICE =
  'It is tried again by itself; if this happens often, check the network, or allow a longer wait.';

/** The last bytes are usually in the same packet as the end of the response. */
const LAST_BYTES_MS = 250;

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
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
