/**
 * Wakes watchers when lines were stored. A notification in the transaction of an insert would make all commits wait for each other, so
 * a worker sends one for all its sessions every few milliseconds. A watcher reads the table in any case.
 */
import { type Database, listen, type Listener, notify } from './database.ts';

const SEND_EVERY_MS = 50;
/** A payload has up to 8,000 bytes. A longer list becomes an empty one, which wakes every watcher. */
const MAX_PAYLOAD = 7_000;

/** The side of a worker. */
export class LineSignals {
  readonly #database: Database;
  readonly #sessions = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Lines of this session, or the end of a turn, were stored. */
  note(session: string): void {
    this.#sessions.add(session);
    this.#timer ??= setTimeout(() => void this.#send(), SEND_EVERY_MS);
  }

  /** Sends what is left. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#send();
  }

  async #send(): Promise<void> {
    this.#timer = undefined;
    if (this.#sessions.size === 0) return;
    const names = [...this.#sessions].join(',');
    this.#sessions.clear();
    // A watcher that misses a notification reads the table a little later.
    await notify(this.#database.pool, 'heddle_lines', names.length > MAX_PAYLOAD ? '' : names).catch(
      () => undefined,
    );
  }
}

/** The side of a client. One connection serves all watchers, and opens with the first one. */
export class LineWatch {
  readonly #url: string;
  readonly #watchers = new Set<SessionWatch>();
  #listener: Promise<Listener> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /** Open it before the lines are read, so that no notification is missed. */
  async open(session: string): Promise<SessionWatch> {
    const watcher = new SessionWatch(session, () => this.#watchers.delete(watcher));
    this.#watchers.add(watcher);
    this.#listener ??= listen(this.#url, ['heddle_lines'], (_channel, payload) => this.#wake(payload));
    await this.#listener.catch(() => undefined);
    return watcher;
  }

  async close(): Promise<void> {
    const listener = await this.#listener?.catch(() => undefined);
    await listener?.end();
  }

  #wake(payload: string): void {
    const sessions = new Set(payload.split(','));
    for (const watcher of this.#watchers) if (payload === '' || sessions.has(watcher.session)) watcher.wake();
  }
}

class SessionWatch {
  readonly session: string;
  readonly close: () => void;
  #isWoken = false;
  #resolve: (() => void) | undefined;

  constructor(session: string, close: () => void) {
    this.session = session;
    this.close = close;
  }

  wake(): void {
    this.#isWoken = true;
    this.#resolve?.();
  }

  /** Waits until lines were stored since the last call, at most this long. */
  async next(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.#isWoken && !signal?.aborted) {
      const { promise, resolve: settle } = Promise.withResolvers<void>();
      const resolve = (): void => settle();
      const timer = setTimeout(resolve, ms);
      this.#resolve = resolve;
      signal?.addEventListener('abort', resolve, { once: true });
      await promise;
      clearTimeout(timer);
      signal?.removeEventListener('abort', resolve);
    }
    this.#isWoken = false;
  }
}
