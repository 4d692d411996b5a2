/**
 * Runs inside a scratch container: takes scripts from standard input, runs each as the Bash tool would, and looks from outside
 * of the script for what it did. Scripts of one group run side by side and are looked at together. It prints one line per
 * group, and ends after the first effect.
 */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

const SCRIPT_DEADLINE_MS = 1_500;
/** Processes that were killed or are about to end need a moment. */
const SETTLE_MS = 500;

const [port = '', size = '1', ...watched] = process.argv.slice(2);
const groupSize = Number(size);
const scripts = (await text(process.stdin)).split('\0');
let connections = 0;
const tcp = createServer((connection) => {
  connections++;
  connection.on('error', () => undefined).destroy();
});
const udp = createSocket('udp4', () => void connections++);
tcp.listen(Number(port), '127.0.0.1');
udp.bind(Number(port), '127.0.0.1');
await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);

const before = snapshot();
for (let at = 0; at < scripts.length; at += groupSize) {
  await Promise.all(scripts.slice(at, at + groupSize).map(run));
  const effect =
    difference(before, snapshot()) ?? (await survivors()) ?? (connections > 0 ? 'a connection' : undefined);
  process.stdout.write(`${effect ?? 'none'}\n`);
  if (effect !== undefined) break;
}
process.exit(0);

async function run(script: string): Promise<void> {
  const quoted = `'${script.replaceAll("'", String.raw`'\''`)}'`;
  const child = spawn('bash', ['--noprofile', '--norc', '-c', `eval ${quoted}`], {
    stdio: 'ignore',
    detached: true,
  });
  const timer = setTimeout(() => endGroup(child.pid), SCRIPT_DEADLINE_MS);
  await once(child, 'exit');
  clearTimeout(timer);
  // The Bash tool ends what a command leaves in its group.
  endGroup(child.pid);
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

/** Every file with what a change would change: the time of its last change cannot be set back. */
function snapshot(): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (file: string): void => {
    const about = lstatSync(file, { bigint: true });
    const link = about.isSymbolicLink() ? readlinkSync(file) : '';
    found.set(file, [about.mode, about.uid, about.size, about.ino, about.ctimeNs, link].join(' '));
    if (about.isDirectory()) for (const name of readdirSync(file)) walk(path.join(file, name));
  };
  // A file that a program creates and removes again is not an effect on the temporary folder.
  const files = watched.flatMap((place) => readdirSync(place).map((name) => path.join(place, name)));
  for (const file of files) if (!watched.some((place) => place.startsWith(`${file}/`))) walk(file);
  return found;
}

function difference(then: Map<string, string>, now: Map<string, string>): string | undefined {
  for (const [file, about] of now)
    if (then.get(file) !== about) return `${then.has(file) ? 'changed' : 'made'} ${file}`;
  for (const file of then.keys()) if (!now.has(file)) return `removed ${file}`;
  return undefined;
}

/** Processes that got out of their group. */
async function survivors(): Promise<string | undefined> {
  const until = Date.now() + SETTLE_MS;
  while (true) {
    const [name] = others();
    if (name === undefined) return undefined;
    if (Date.now() > until) return `a process: ${name}`;
    await wait(5);
  }
}

function others(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || pid === '1' || Number(pid) === process.pid) return [];
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [, name = '', state = ''] = /^\d+ \((.*)\) (\S)/s.exec(stat) ?? [];
      return state === 'Z' || state === 'X' ? [] : [name];
    } catch {
      return [];
    }
  });
}
