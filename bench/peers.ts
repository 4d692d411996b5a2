// `CODEX=path PI=path npm run bench:peers`: CPU time, first request and memory of Heddle beside other agents that are installed,
// against the same server on this machine. Each program answers one prompt at once, and one prompt after 40 calls that read
// a file. Runs are interleaved. CPU time is user and system time, including child processes.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const RUNS = 9;
const CALLS = 40;

interface Peer {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Figures {
  readonly startMs: number[];
  readonly turnMs: number[];
  bytes: number;
}

const here = import.meta.dirname;
spawnSync(process.execPath, [path.join(here, '../scripts/bundle.ts')], { stdio: 'inherit' });
const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-peers-'));
const notes = Array.from({ length: 100 }, (_, line) => `line ${line} of some notes`);
writeFileSync(path.join(folder, 'notes.txt'), notes.join('\n'));
const server = spawn(process.execPath, [path.join(here, 'peers/server.ts')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const sizes: number[] = [];
const base = await new Promise<string>((resolve) => {
  createInterface({ input: server.stdout }).on('line', (line) => {
    const event: { port?: number; bytes?: number; problem?: string } = JSON.parse(line);
    if (event.port !== undefined) resolve(`http://127.0.0.1:${event.port}`);
    if (event.bytes !== undefined) sizes.push(event.bytes);
    if (event.problem !== undefined) process.stderr.write(`${event.problem}\n`);
  });
});

const peers = [heddle(), ...codex(process.env['CODEX']), ...pi(process.env['PI'])];
const figures = new Map(
  peers.map(({ name }) => [name, { startMs: [], turnMs: [], bytes: 0 } as Figures] as const),
);
for (let run = 0; run <= RUNS; run++)
  for (const peer of peers) {
    const start = await cpuOf(peer, 'Answer at once.');
    const long = await cpuOf(peer, `Read the notes ${CALLS} times, then answer.`);
    const own = figures.get(peer.name);
    // The first round fills caches.
    if (!own || run === 0) continue;
    own.startMs.push(start);
    own.turnMs.push((long - start) / CALLS);
    own.bytes = sizes.at(-2) ?? 0;
  }
server.stdin.end();
rmSync(folder, { recursive: true });

const lines = [...figures].map(([name, { startMs, turnMs, bytes }]) =>
  [
    name.padEnd(28),
    `${median(startMs).toFixed(0).padStart(6)} ms`,
    `${median(turnMs).toFixed(1).padStart(6)} ms`,
    `${(bytes / 1_000).toFixed(1).padStart(6)} kB`,
    `   ${[...startMs].map((value) => value.toFixed(0)).join(' ')}`,
  ].join(' '),
);
const head = `${RUNS} interleaved runs, medians: CPU of one answer, CPU of each further call, size of the first request, all runs`;
const report = `${[head, ...lines].join('\n')}\n`;
process.stdout.write(report);
writeFileSync(path.join(here, 'peers.txt'), report);

function heddle(): Peer {
  const program = path.join(here, '../bin/heddle');
  return {
    name: 'heddle',
    command: [program, '--model', 'anthropic/claude-sonnet-4-5', '-p'],
    env: { HEDDLE_CONFIG_DIR: path.join(folder, 'heddle'), ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: 'k' },
  };
}

function codex(program: string | undefined): readonly Peer[] {
  if (program === undefined) return [];
  const home = path.join(folder, 'codex');
  mkdirSync(home);
  const provider = `name = "bench"\nbase_url = "${base}/v1"\nwire_api = "responses"\nenv_key = "BENCH_KEY"\n`;
  writeFileSync(
    path.join(home, 'config.toml'),
    `model = "gpt-5.2-codex"\nmodel_provider = "bench"\n[model_providers.bench]\n${provider}`,
  );
  const flags = ['exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access'];
  return [
    { name: versionOf(program), command: [program, ...flags], env: { CODEX_HOME: home, BENCH_KEY: 'k' } },
  ];
}

function pi(program: string | undefined): readonly Peer[] {
  if (program === undefined) return [];
  const home = path.join(folder, 'pi');
  mkdirSync(home);
  const cost = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const id = 'claude-sonnet-4-5';
  const model = {
    ...{ id, name: id, reasoning: false, input: ['text'], cost },
    ...{ contextWindow: 200_000, maxTokens: 8_000 },
  };
  const provider = { baseUrl: base, api: 'anthropic-messages', apiKey: 'k', models: [model] };
  writeFileSync(path.join(home, 'models.json'), JSON.stringify({ providers: { bench: provider } }));
  const flags = ['--provider', 'bench', '--model', id, '-p'];
  const name = `pi ${versionOf(program).replace(/^pi /, '')}`;
  return [{ name, command: [program, ...flags], env: { PI_CODING_AGENT_DIR: home, PI_OFFLINE: '1' } }];
}

function versionOf(program: string): string {
  const { stdout, stderr } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return (stdout.trim() || stderr.trim()).split('\n')[0] ?? program;
}

/** The CPU time of one run in milliseconds, as the shell measures it. */
async function cpuOf({ command, env }: Peer, prompt: string): Promise<number> {
  const measure = 'TIMEFORMAT="CPU %3U %3S"; time "$@" >/dev/null 2>"$ERRORS"';
  const errors = path.join(folder, 'errors.txt');
  const child = spawn('bash', ['-c', measure, 'bash', ...command, prompt], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ERRORS: errors, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  const [code] = (await once(child, 'close')) as [number | null];
  const [, user, system] = /CPU (\S+) (\S+)/.exec(text) ?? [];
  if (code !== 0) process.stderr.write(`${command[0]} ended with ${code}; see ${errors}\n${text}`);
  return (Number(user) + Number(system)) * 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
