/** Tokens of the gateway. A token belongs to one tenant and has rights. The table contains only the hash of its secret. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database } from './database.ts';

export const RIGHTS = ['submit', 'watch', 'answer', 'cancel'] as const;
export type Right = (typeof RIGHTS)[number];

export interface TokenRow {
  readonly id: string;
  readonly tenant: string;
  readonly rights: readonly Right[];
  readonly label: string;
  readonly created: Date;
  readonly expires: Date | null;
  readonly revoked: Date | null;
}

interface TokenChoice {
  readonly tenant: string;
  readonly rights: readonly Right[];
  /** Shown in lists, and as the submitter of turns. */
  readonly label: string;
  readonly expires?: Date | undefined;
}

/** `hdl_`, the id, and 32 random bytes. A plain hash is enough for a secret that cannot be guessed. */
const FORMAT = /^hdl_([0-9a-f]{12})_([\w-]{43})$/;
const COLUMNS = 'id, tenant, rights, label, created, expires, revoked';

export class TokenStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the token. It is shown once: the secret is not stored. */
  async create({ tenant, rights, label, expires }: TokenChoice): Promise<{ id: string; token: string }> {
    const id = randomBytes(6).toString('hex');
    const secret = randomBytes(32).toString('base64url');
    await this.#database.pool.query(
      'insert into heddle.token (id, tenant, rights, label, hash, expires) values ($1, $2, $3, $4, $5, $6)',
      [id, tenant, rights, label, hashOf(secret), expires ?? null],
    );
    return { id, token: `hdl_${id}_${secret}` };
  }

  async list(tenant?: string): Promise<readonly TokenRow[]> {
    const { rows } = await this.#database.pool.query<TokenRow>(
      `select ${COLUMNS} from heddle.token where $1::text is null or tenant = $1 order by created`,
      [tenant ?? null],
    );
    return rows;
  }

  /** Returns false if there is no such token, or it was revoked before. */
  async revoke(id: string): Promise<boolean> {
    const { rowCount } = await this.#database.pool.query(
      'update heddle.token set revoked = now() where id = $1 and revoked is null',
      [id],
    );
    return rowCount === 1;
  }

  /** Returns the row of a valid token. */
  async check(token: string): Promise<TokenRow | undefined> {
    const [, id, secret = ''] = FORMAT.exec(token) ?? [];
    if (id === undefined) return undefined;
    const { rows } = await this.#database.pool.query<TokenRow & { hash: Buffer }>(
      `select ${COLUMNS}, hash from heddle.token
       where id = $1 and revoked is null and (expires is null or expires > now())`,
      [id],
    );
    const [found] = rows;
    if (!found || !timingSafeEqual(found.hash, hashOf(secret))) return undefined;
    const { hash: _, ...row } = found;
    return row;
  }
}

/** The id in a token. Undefined if the text does not have the format of a token. */
export function tokenIdOf(text: string): string | undefined {
  return FORMAT.exec(text)?.[1];
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
