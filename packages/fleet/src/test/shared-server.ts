/**
 * One PostgreSQL server for a whole test run. The first test file that needs it starts it, and it ends with the run. Each test file
 * gets a database of its own. The server does not wait for the disk: a test that crashes a server starts its own.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { oncePerRun } from '@heddle/testing';
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
  const folder = await oncePerRun('postgres-address', async (unfinished) => {
    const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
    const started = await startEmbedded(path.join(path.dirname(unfinished), 'postgres'), {
      isDetached: true,
      settings,
    });
    if (!started.ok) throw new Error(started.message);
    writeFileSync(path.join(unfinished, 'url'), started.server.url);
  });
  return readFileSync(path.join(folder, 'url'), 'utf8');
}
