/** A fleet for tests: an embedded server in a temporary folder, worker processes, and the files of their effects. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Fleet } from '../client.ts';
import { startEmbedded } from '../postgres/embedded.ts';

export interface FleetHome {
  readonly url: string;
  readonly fleet: Fleet;
  /** Crashes the server, and starts it again after a moment. */
  crashServer(): Promise<void>;
  readonly folder: string;
  /** Starts a worker process, and waits until it takes turns. */
  worker(argv?: readonly string[], env?: Readonly<Record<string, string>>): Promise<ChildProcess>;
  /** The ids of the calls that ran in a session, in order. */
  effects(session: string): string[];
  close(): Promise<void>;
}

export async function openFleetHome(): Promise<FleetHome> {
  // Root runs the server as another user, who must be able to enter the folder.
  const root = process.getuid?.() === 0 ? '/tmp' : os.tmpdir();
  const folder = mkdtempSync(path.join(root, 'heddle-fleet-'));
  chmodSync(folder, 0o755);
  const effects = path.join(folder, 'effects');
  mkdirSync(effects);
  const data = path.join(folder, 'postgres');
  const started = await startEmbedded(data);
  if (!started.ok) throw new Error(started.message);
  let { server } = started;
  const { url } = server;
  const fleet = await Fleet.connect(url);
  const workers: ChildProcess[] = [];
  return {
    url,
    fleet,
    async crashServer() {
      const over = once(server.process, 'exit');
      server.process.kill('SIGQUIT');
      await over;
      const again = await startEmbedded(data, Number(new URL(url).port));
      if (!again.ok) throw new Error(again.message);
      server = again.server;
    },
    folder: effects,
    async worker(argv = [], env = {}) {
      const script = path.join(import.meta.dirname, 'run-worker.ts');
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
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
