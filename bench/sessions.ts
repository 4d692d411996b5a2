// `npm run bench:sessions`: the time of `bin/heddle sessions` for 2,000 sessions of 1 GB in a separate
// folder: listing with and without its index, and the first hit of a search.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { newestSession } from '@heddle/agent';
import { textMatcherOf, searchSessions } from '@heddle/agent/sessions';
import { writeSessions } from './sessions/write.ts';

const RUNS = 7;
const CROWD = { sessions: 2_000, characters: 490_000, rare: 'heliotrope', common: 'All is well.' };

// A copy of the shipped form, so that changes in the working tree do not affect the measurement.
const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-sessions-'));
const program = install(path.join(folder, 'program'));
const place = { configDir: path.join(folder, 'config'), cwd: folder };
const index = path.join(place.configDir, 'session-index.sqlite');

const lines: string[] = [];
let missed = false;
try {
  writeSessions(CROWD, place);
  const [project = ''] = readdirSync(path.join(place.configDir, 'projects'));
  const files = path.join(place.configDir, 'projects', project);
  const bytes = readdirSync(files).reduce((sum, name) => sum + statSync(path.join(files, name)).size, 0);
  lines.push(`${CROWD.sessions} sessions, ${(bytes / 1e9).toFixed(2)} GB`);

  const list = ['sessions', 'list', '--limit', '0'];
  const without: Ran[] = [];
  const withIndex: Ran[] = [];
  const grown: number[] = [];
  const bare: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    rmSync(index, { force: true });
    without.push(await heddle(list));
    bare.push((await heddle(['--version'])).ended);
    withIndex.push(await heddle(list));
    const some = path.join(files, readdirSync(files).find((name) => name.endsWith('.jsonl')) ?? '');
    writeFileSync(some, '{"type":"transition"}\n', { flag: 'a' });
    utimesSync(some, 1, 1);
    grown.push((await heddle(list)).ended);
  }
  row('heddle --version', median(bare), 'ms');
  row('list with the index', median(withIndex.map(({ ended }) => ended)), 'ms', 300);
  row('   CPU', median(withIndex.map(({ cpu }) => cpu)), 'ms');
  row('   one session has grown', median(grown), 'ms');
  row('list without the index', median(without.map(({ ended }) => ended)), 'ms', 3_000);
  row('   CPU', median(without.map(({ cpu }) => cpu)), 'ms');

  for (const [what, words] of [
    ['in every session', CROWD.common],
    ['in the oldest only', CROWD.rare],
    ['of another case, oldest only', CROWD.rare.toUpperCase()],
  ] as const) {
    const isThere = words !== CROWD.rare.toUpperCase();
    const ran: Ran[] = [];
    for (let run = 0; run < RUNS; run++) ran.push(await heddle(['sessions', 'search', words]));
    if (isThere) row(`first hit, ${what}`, median(ran.map(({ first }) => first)), 'ms', 1_000);
    row(isThere ? '   the whole search' : 'no hit at all, whole search', median(ran.map(({ ended }) => ended)), 'ms');
    row('   CPU', median(ran.map(({ cpu }) => cpu)), 'ms');
  }
  const own: number[] = [];
  for (let run = 0; run < 3; run++) own.push(await firstHitWithoutRipgrep(CROWD.rare));
  row('first hit, oldest, no ripgrep', median(own), 'ms', 1_000);
  const newest: number[] = [];
  for (let run = 0; run < RUNS; run++) newest.push(await timed(() => newestSession(place)));
  row('newest session of the folder', median(newest), 'ms');
} finally {
  rmSync(folder, { recursive: true });
}

const report = [`Node ${process.version}; medians of ${RUNS}, spawn to exit or to the first line`, ...lines].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'sessions.txt'), `${report}\n`);
process.exitCode = missed ? 1 : 0;

function install(where: string): string {
  const root = path.dirname(import.meta.dirname);
  mkdirSync(path.join(where, 'bin'), { recursive: true });
  spawnSync(process.execPath, [path.join(root, 'scripts/bundle.ts'), path.join(where, 'dist')], { stdio: 'inherit' });
  copyFileSync(path.join(root, 'bin/heddle'), path.join(where, 'bin/heddle'));
  symlinkSync(path.join(root, 'node_modules'), path.join(where, 'node_modules'));
  return path.join(where, 'bin/heddle');
}

interface Ran {
  readonly first: number;
  readonly ended: number;
  /** Of the program and its children. */
  readonly cpu: number;
}

async function heddle(argv: readonly string[]): Promise<Ran> {
  const cpuBefore = cpuOfChildren();
  const startedAt = performance.now();
  const env = { ...process.env, HEDDLE_CONFIG_DIR: place.configDir, NO_COLOR: '1' };
  const child = spawn(program, argv, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let first = Number.NaN;
  child.stdout.on('data', () => {
    if (Number.isNaN(first)) first = performance.now() - startedAt;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return { first, ended: performance.now() - startedAt, cpu: cpuOfChildren() - cpuBefore };
}

/**
 * User and system time of ended processes, in ticks of 10 ms. On a busy machine it is more reliable than
 * wall time.
 */
function cpuOfChildren(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function firstHitWithoutRipgrep(words: string): Promise<number> {
  const made = textMatcherOf(words, false);
  if (!made.ok) throw new Error(made.message);
  const hits = searchSessions({ ...place, matcher: made.matcher });
  return timed(async () => {
    await hits.next();
    await hits.return(undefined);
  });
}

async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function row(what: string, value: number, unit: string, goal?: number): void {
  const isMissed = goal !== undefined && !(value < goal);
  missed ||= isMissed;
  const verdict = goal === undefined ? '' : `   goal < ${goal}${isMissed ? '  MISSED' : ''}`;
  lines.push(`${what.padEnd(32)} ${value.toFixed(value < 10 ? 2 : 0).padStart(6)} ${unit}${verdict}`);
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
