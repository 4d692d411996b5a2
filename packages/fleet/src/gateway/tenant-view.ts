/**
 * Everything that a token can see and do. A view belongs to one tenant, and every method finds a session through it. A session of
 * another tenant is the same as a session that does not exist.
 */
import type { Fleet, Seen, TurnState } from '../client.ts';
import type { SessionRow } from '../overview.ts';
import { type OpenQuestion, questionId } from '../questions.ts';
import { omitUndefined } from '@heddle/core';

/** A session under the name that the tenant uses. */
export type NamedSession = Omit<SessionRow, 'id' | 'tenant' | 'worker'> & { readonly name: string };

export type NamedQuestion = Pick<
  OpenQuestion,
  'turn' | 'tool' | 'input' | 'reason' | 'workingDirectory' | 'places'
> & {
  readonly id: string;
  readonly session: string;
};

export interface AnswerChoice {
  readonly allow: boolean;
  readonly message?: string | undefined;
  readonly by: string;
}

/** A part of a list. */
export interface Page {
  /** The last element of the page before. Undefined for the first page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export class TenantView {
  readonly #fleet: Fleet;
  readonly #tenant: string;

  constructor(fleet: Fleet, tenant: string) {
    this.#fleet = fleet;
    this.#tenant = tenant;
  }

  /** Undefined: the page is to start after a session that does not exist. */
  async sessions({ after: name, limit }: Page): Promise<NamedSession[] | undefined> {
    const after = name === undefined ? undefined : (await this.#find(name))?.id;
    if (name !== undefined && after === undefined) return undefined;
    const rows = await this.#fleet.list(this.#tenant, undefined, { after, limit });
    return rows.map((row) => this.#named(row));
  }

  async session(name: string): Promise<NamedSession | undefined> {
    const row = await this.#find(name);
    return row && this.#named(row);
  }

  /** Creates the session if the tenant does not have it. Returns the number of the turn. */
  async submit(
    name: string,
    prompt: string,
    choice: { readonly key?: string | undefined; readonly by: string },
  ): Promise<number> {
    // Tenants may use the same names, so the id of a new session contains the tenant.
    const id = (await this.#find(name))?.id ?? this.#idOf(name);
    await this.#fleet.create(id, this.#tenant);
    const { key, by } = choice;
    return this.#fleet.submit(id, prompt, { by, ...omitUndefined({ key }) });
  }

  async turn(name: string, n: number): Promise<TurnState | undefined> {
    const row = await this.#find(name);
    return row && this.#fleet.turn(row.id, n);
  }

  async turns(name: string, limit: number): Promise<readonly TurnState[] | undefined> {
    const row = await this.#find(name);
    return row && this.#fleet.turns(row.id, limit);
  }

  async lines(name: string, after: number, limit: number): Promise<readonly Seen[] | undefined> {
    const row = await this.#find(name);
    return row && this.#fleet.page(row.id, after, limit);
  }

  async watch(
    name: string,
    choice: { readonly after: number; readonly untilTurn?: number | undefined; readonly signal: AbortSignal },
  ): Promise<AsyncGenerator<Seen> | undefined> {
    const row = await this.#find(name);
    const { after, untilTurn, signal } = choice;
    return row && this.#fleet.watch(row.id, { after, signal, ...(untilTurn ? { untilTurn } : {}) });
  }

  /** Undefined: there is no such session. */
  async cancel(name: string): Promise<boolean | undefined> {
    const row = await this.#find(name);
    return row && this.#fleet.cancel(row.id);
  }

  /** A question that is not open any more starts the first page, because the ones before it are answered, too. */
  async questions({ after, limit }: Page): Promise<NamedQuestion[]> {
    const open = await this.#fleet.questions(this.#tenant);
    const start = open.findIndex((question) => questionId(question) === after) + 1;
    return open.slice(start, start + limit).map((question) => {
      const { session, toolUseId: _call, digest: _digest, ...shown } = question;
      return Object.assign({ id: questionId(question), session: this.#nameOf(session) }, shown);
    });
  }

  /** Returns false if the question is not open. */
  async answer(id: string, { allow, message, by }: AnswerChoice): Promise<boolean> {
    const open = (await this.#fleet.questions(this.#tenant)).find((question) => questionId(question) === id);
    if (!open) return false;
    return this.#fleet.answer(open, { allow, ...omitUndefined({ message }) }, by);
  }

  async #find(name: string): Promise<SessionRow | undefined> {
    const [found] = await this.#fleet.list(this.#tenant, [this.#idOf(name), name]);
    return found;
  }

  #idOf(name: string): string {
    return `${this.#tenant}~${name}`;
  }

  #nameOf(id: string): string {
    const prefix = this.#idOf('');
    return id.startsWith(prefix) ? id.slice(prefix.length) : id;
  }

  #named({ id, state, turns, entries, spentUsd }: SessionRow): NamedSession {
    return { name: this.#nameOf(id), state, turns, entries, spentUsd };
  }
}
