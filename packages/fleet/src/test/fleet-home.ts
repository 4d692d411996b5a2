/** A fleet for tests: an embedded server in a temporary folder, worker processes, and the files of their effects. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundledScript } from '@heddle/testing';
import { Fleet } from '../client.ts';
import { startEmbedded } from '../postgres/embedded.ts';
import type { SchedulerName } from '../scheduler/open-scheduler.ts';
import { createDatabase } from './shared-server.ts';

export interface FleetHome {
  readonly url: string;
  readonly fleet: Fleet;
  readonly folder: string;
  /** Starts a worker process, and waits until it takes turns. */
  worker(argv?: readonly string[], env?: Readonly<Record<string, string>>): Promise<ChildProcess>;
  /** The ids of the calls that ran in a session, in order. */
  effects(session: string): string[];
  close(): Promise<void>;
}

/** A fleet with a server of its own, which a test may crash. */
export interface OwnServerHome extends FleetHome {
  /** Crashes the server, and starts it again. */
  crashServer(): Promise<void>;
}

/** A fleet in a database of its own, on the server of the test run. */
export async function openFleetHome(scheduler: SchedulerName = 'queue'): Promise<FleetHome> {
  const url = await createDatabase();
  const fleet = await Fleet.connect(url);
  await fleet.chooseScheduler(scheduler);
  await fleet.close();
  return homeIn(createFolder(), url, async () => undefined);
}

export async function openOwnServerHome(): Promise<OwnServerHome> {
  const folder = createFolder();
  const data = path.join(folder, 'postgres');
  // A crash of the server loses nothing that the operating system has. Only a crash of the machine would.
  const settings = { fsync: 'off', full_page_writes: 'off' };
  const started = await startEmbedded(data, { settings });
  if (!started.ok) throw new Error(started.message);
  let { server } = started;
  const { url } = server;
  return {
    ...(await homeIn(folder, url, () => server.stop())),
    async crashServer() {
      const over = once(server.process, 'exit');
      server.process.kill('SIGQUIT');
      await over;
      const again = await startEmbedded(data, { settings, port: Number(new URL(url).port) });
      if (!again.ok) throw new Error(again.message);
      server = again.server;
    },
  };
}

function createFolder(): string {
  // Root runs the server as another user, who must be able to enter the folder.
  const root = process.getuid?.() === 0 ? '/tmp' : os.tmpdir();
  const folder = mkdtempSync(path.join(root, 'heddle-fleet-'));
  chmodSync(folder, 0o755);
  return folder;
}

async function homeIn(folder: string, url: string, stopServer: () => Promise<void>): Promise<FleetHome> {
  const effects = path.join(folder, 'effects');
  mkdirSync(effects);
  const fleet = await Fleet.connect(url);
  const workers: ChildProcess[] = [];
  return {
    url,
    fleet,
    folder: effects,
    async worker(argv = [], env = {}) {
      const script = await bundledScript(path.join(import.meta.dirname, 'run-worker.ts'));
      const child = spawn(process.execPath, [script, url, effects, ...argv], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      workers.push(child);
      await new Promise<void>((resolve, reject) => {
        child.stdout
          ?.setEncoding('utf8')
          .on('data', (text: string) => void (text.includes('ready') && resolve()));
        child.once('exit', (code) => reject(new Error(`The worker ended with code ${code}.`)));
      });
      return child;
    },
    effects(session) {
      const file = path.join(effects, session);
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    },
    async close() {
      for (const child of workers) child.kill('SIGKILL');
      await fleet.close();
      await stopServer();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
