// `npm run bench:resume`: the time from the start of the program to the first request of a resumed session
// of 10,000 messages (100 MB), as `bin/heddle` starts it, interleaved with a new session. Also checks that
// the journal grows linearly.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { type Shape, writeSession } from './resume/sessions.ts';

const RUNS = 9;
const GOAL_MS = 500;
/** The last tenth of a session must not be larger than this share of its first. */
const MAX_GROWTH = 1.1;

const SHAPES: readonly Shape[] = [
  {
    id: 'compacted',
    about: 'large results, compacted every 400 messages',
    messages: 10_000,
    result: 9_000,
    structured: 40_000,
    boundaryEvery: 400,
  },
  {
    id: 'whole',
    about: 'small results beside large structured ones, never compacted',
    messages: 10_000,
    result: 400,
    structured: 72_000,
    boundaryEvery: 0,
  },
];

const root = path.dirname(import.meta.dirname);
const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-resume-'));
const place = { configDir: path.join(folder, 'config'), cwd: folder };
spawnSync(process.execPath, [path.join(root, 'scripts/bundle.ts')], { stdio: 'inherit' });

interface Arrival {
  readonly at: number;
  readonly cpuMs: number;
  readonly bytes: number;
}

let running = 0;
let arrived = (_arrival: Arrival): void => undefined;
const server = createServer((request, response) => {
  const cpuMs = cpuOf(running);
  let bytes = 0;
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  request.on('end', () => {
    arrived({ at: performance.now(), cpuMs, bytes });
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end('{"type":"error","error":{"type":"invalid_request_error","message":"enough"}}');
  });
});
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
const address = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;

const lines: string[] = [];
let missed = false;
for (const shape of SHAPES) {
  const { logMB, blobsMB, growth, microsecondsAnEntry } = writeSession(shape, place);
  lines.push(
    '',
    `${shape.messages} messages, ${shape.about}: log ${logMB.toFixed(0)} MB, blobs ${blobsMB.toFixed(0)} MB`,
    row('storing an entry', microsecondsAnEntry, 'µs'),
    row('last tenth / first tenth', growth, 'times the bytes', MAX_GROWTH),
  );
  const fresh: Arrival[] = [];
  const resumed: Arrival[] = [];
  for (let run = 0; run < RUNS; run++) {
    fresh.push(await toFirstRequest([]));
    resumed.push(await toFirstRequest(['--resume', shape.id]));
  }
  lines.push(
    row('new session, first request', median(fresh.map(({ at }) => at)), 'ms'),
    row('resumed, first request', median(resumed.map(({ at }) => at)), 'ms', GOAL_MS),
    row('   the same, fastest', Math.min(...resumed.map(({ at }) => at)), 'ms'),
    row('   CPU until then', median(resumed.map(({ cpuMs }) => cpuMs)), 'ms'),
    row('   the request', median(resumed.map(({ bytes }) => bytes)) / 1e6, 'MB'),
  );
}
server.close();
server.closeAllConnections();
rmSync(folder, { recursive: true });

const report = [`Node ${process.version}; medians of ${RUNS} starts, the whole request received`, ...lines].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'resume.txt'), `${report}\n`);
process.exitCode = missed ? 1 : 0;

async function toFirstRequest(flags: readonly string[]): Promise<Arrival> {
  const env = {
    ...process.env,
    HEDDLE_CONFIG_DIR: place.configDir,
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    ANTHROPIC_API_KEY: 'bench',
  };
  const arrival = Promise.withResolvers<Arrival>();
  arrived = arrival.resolve;
  const startedAt = performance.now();
  const argv = ['-p', 'Continue.', '--model', 'anthropic/claude-bench', ...flags];
  const child = spawn(path.join(root, 'bin/heddle'), argv, { cwd: folder, env, stdio: 'ignore' });
  running = child.pid ?? 0;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  void ended.then(() => arrival.reject(new Error(`No request came: heddle ${argv.join(' ')}`)));
  const { at, cpuMs, bytes } = await arrival.promise;
  await ended;
  return { at: at - startedAt, cpuMs, bytes };
}

/** User and system time of a process so far, in ticks of 10 ms. */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

function row(what: string, value: number, unit: string, goal?: number): string {
  const isMissed = goal !== undefined && value >= goal;
  missed ||= isMissed;
  const verdict = goal === undefined ? '' : `   goal < ${goal}${isMissed ? '  MISSED' : ''}`;
  return `  ${what.padEnd(28)} ${value.toFixed(value < 10 ? 2 : 0).padStart(8)} ${unit}${verdict}`;
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
