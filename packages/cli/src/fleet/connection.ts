/** The database of a fleet: named on the command line, in the environment, or by a running `heddle fleet up`. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Fleet } from '@heddle/fleet';
import { configDir } from '../config-dir.ts';

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
  const named = given ?? process.env['DATABASE_URL'];
  if (named !== undefined && named !== '') return named;
  const file = path.join(fleetFolder(), ADDRESS);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
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
