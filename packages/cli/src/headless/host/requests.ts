/** Requests to the host. Several may be open. Each ends once, and is withdrawn when its caller stops waiting. */
import { randomUUID } from 'node:crypto';
import { type HostLine, lineIn, textIn } from './json.ts';

export type HostReply =
  | { readonly ok: true; readonly response: HostLine }
  | { readonly ok: false; readonly why: 'error' | 'late' | 'withdrawn' | 'gone'; readonly message: string };

export interface HostTimeouts {
  /** Aborts when the caller stops waiting for the reply. */
  readonly signal?: AbortSignal | undefined;
  /** Without a deadline, the request waits as long as the host is connected. */
  readonly deadlineMs?: number;
}

export class HostRequests {
  readonly #send: (line: object) => void;
  readonly #open = new Map<string, (reply: HostReply) => void>();
  #isClosed = false;

  constructor(send: (line: object) => void) {
    this.#send = send;
  }

  /** The host owes a reply. */
  get areOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Never rejects. */
  ask(request: object, { signal, deadlineMs }: HostTimeouts): Promise<HostReply> {
    if (this.#isClosed) return Promise.resolve(GONE);
    if (signal?.aborted) return Promise.resolve(WITHDRAWN);
    const id = randomUUID();
    return new Promise((resolve) => {
      const finish = (reply: HostReply): void => {
        this.#open.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener('abort', withdraw);
        resolve(reply);
      };
      const giveUp = (reply: HostReply): void => {
        this.#send({ type: 'control_cancel_request', request_id: id });
        finish(reply);
      };
      const withdraw = (): void => giveUp(WITHDRAWN);
      const timer = deadlineMs === undefined ? undefined : setTimeout(() => giveUp(LATE), deadlineMs);
      this.#open.set(id, finish);
      signal?.addEventListener('abort', withdraw, { once: true });
      this.#send({ type: 'control_request', request_id: id, request });
    });
  }

  /** Takes the host's response to a request. A response to an unknown request is ignored. */
  settle(line: HostLine): void {
    const reply = lineIn(line['response']);
    this.#open.get(textIn(reply?.['request_id']) ?? '')?.(read(reply ?? {}));
  }

  /** The host went away, or is not to be waited for. */
  close(): void {
    this.#isClosed = true;
    for (const finish of this.#open.values()) finish(GONE);
  }
}

/** A host that has nothing to say may leave the response out; one that says something else than an object has not answered. */
function read(reply: HostLine): HostReply {
  if (reply['subtype'] !== 'success') return failed(textIn(reply['error']) ?? 'The host could not answer.');
  const response = lineIn(reply['response'] ?? {});
  return response
    ? { ok: true, response }
    : failed('The host answered with something that is not an object.');
}

function failed(message: string): HostReply {
  return { ok: false, why: 'error', message };
}

const GONE: HostReply = { ok: false, why: 'gone', message: 'The host went away.' };
const LATE: HostReply = { ok: false, why: 'late', message: 'The host did not answer in time.' };
const WITHDRAWN: HostReply = { ok: false, why: 'withdrawn', message: 'The question was withdrawn.' };
