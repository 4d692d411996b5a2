/** The database of a fleet: named on the command line, in the environment, or by a running `heddle fleet up`. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Fleet } from '@heddle/fleet';
import { addressSecrets, isDistinctive } from '@heddle/models/environment';
import { configDir } from '../config-dir.ts';
import { hideFleetLogin, takeFleetLogin } from '../keys.ts';
import { knownSecrets } from '../known-secrets.ts';

/** The folder of the embedded server and of its address. */
export function fleetFolder(): string {
  return path.join(configDir(process.env), 'fleet');
}

const ADDRESS = 'address';

/** The address contains a password, so only this user may read it. */
export function publishAddress(url: string): () => void {
  const file = path.join(fleetFolder(), ADDRESS);
  mkdirSync(fleetFolder(), { recursive: true });
  writeFileSync(file, `${url}\n`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

export function databaseUrl(given: string | undefined): string | undefined {
  const named = namedDatabase(given);
  if (named !== undefined) return named;
  const file = path.join(fleetFolder(), ADDRESS);
  return existsSync(file) ? learnLogin(readFileSync(file, 'utf8').trim()) : undefined;
}

/** Returns the address of the command line or of the environment, where it does not stay: the commands of the model would have it. */
export function namedDatabase(given: string | undefined): string | undefined {
  const { DATABASE_URL, PGPASSWORD } = takeFleetLogin();
  const named = given || DATABASE_URL;
  return named === undefined ? undefined : learnLogin(withPassword(named, PGPASSWORD));
}

/** The login is redacted from now on, and is in no variable of a child process. */
export function learnLogin(url: string): string {
  const inQuery = URL.parse(url)?.searchParams.get('password') ?? '';
  const passwords = [inQuery, ...addressSecrets(url)].filter((text) => text !== '');
  // A short password may be an ordinary word. The whole address never is.
  const secrets = passwords.length === 0 ? [] : [url, ...passwords].filter(isDistinctive);
  knownSecrets.add(...secrets);
  hideFleetLogin(secrets);
  return url;
}

/** Adds the password of `PGPASSWORD`, which is no longer in the environment, to an address without one. */
function withPassword(url: string, password: string | undefined): string {
  const parsed = URL.parse(url);
  if (password === undefined || !parsed || parsed.password !== '' || parsed.searchParams.has('password'))
    return url;
  // The address of a socket has no host, and then no place for a login before it.
  if (parsed.host === '') parsed.searchParams.set('password', password);
  else parsed.password = encodeURIComponent(password);
  return parsed.href;
}

export const NO_DATABASE =
  'No fleet is known. Start one with heddle fleet up, or set DATABASE_URL to a PostgreSQL server.';

/** Runs work with a client, and closes it. */
export async function withFleet<T>(url: string, work: (fleet: Fleet) => Promise<T>): Promise<T> {
  const fleet = await Fleet.connect(url);
  try {
    return await work(fleet);
  } finally {
    await fleet.close();
  }
}
