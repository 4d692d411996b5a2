/**
 * One PostgreSQL server for a whole test run. The first test file that needs it starts it, and it ends with the run. Each test file
 * gets a database of its own. The server does not wait for the disk: a test that crashes a server starts its own.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOOK_DEADLINE_MS } from '@heddle/testing';
import { Client } from 'pg';
import { startEmbedded } from '../postgres/embedded.ts';

/** Creates an empty database, and returns its address. */
export async function createDatabase(): Promise<string> {
  const url = new URL(await sharedServer());
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: url.href });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  url.pathname = `/${name}`;
  return url.href;
}

async function sharedServer(): Promise<string> {
  const run = process.env['HEDDLE_TEST_FOLDER'];
  if (run === undefined)
    throw new Error('HEDDLE_TEST_FOLDER is not set. Run the tests with vitest.config.ts.');
  const folder = path.join(run, 'postgres');
  const address = path.join(run, 'postgres-address');
  if (isFirst(path.join(run, 'postgres-claim'))) {
    const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
    const started = await startEmbedded(folder, { isDetached: true, settings });
    if (!started.ok) throw new Error(started.message);
    writeFileSync(`${address}-new`, started.server.url);
    renameSync(`${address}-new`, address);
  }
  const until = Date.now() + HOOK_DEADLINE_MS;
  while (!existsSync(address)) {
    if (Date.now() > until) throw new Error('Another test file could not start the server.');
    await sleep(20);
  }
  return readFileSync(address, 'utf8');
}

/** Of all processes, one creates the folder. */
function isFirst(claim: string): boolean {
  try {
    mkdirSync(claim);
    return true;
  } catch {
    return false;
  }
}
