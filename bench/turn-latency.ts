// `npm run bench:turn`: the time from a prompt to its result while prefetch, extraction, suggestions and summaries hang,
// against the same turns without them. Both hosts of the shipped program live at once, and their turns are interleaved.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { errorMessage, isRecord } from '@heddle/core';
import { systemClock } from '@heddle/models';
import { call, hang, pause, say, startFakeApi } from '@heddle/testing';

const RUNS = Number(process.env['RUNS'] ?? 25);
const MODEL = 'claude-sonnet-4-5';
/** How long each answer of the model takes. Without a pause, `ANSWER_MS=0` shows the added time alone. */
const ANSWER_MS = Number(process.env['ANSWER_MS'] ?? 700);
const CALLS = 3;
const GOAL_PERCENT = 5;
/** No pair of turns starts after this time. Under load, fewer pairs are measured than asked for. */
const LIMIT_MS = Number(process.env['LIMIT_MS'] ?? 150_000);
/** Fewer pairs than this say nothing. */
const LEAST_RUNS = Math.min(10, RUNS);
/** A turn that takes longer than this has failed. */
const TURN_LIMIT_MS = 30_000 + 10 * ANSWER_MS * CALLS;
const root = path.dirname(import.meta.dirname);
const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-'));
spawnSync(process.execPath, [path.join(root, 'scripts/bundle.ts')], { stdio: 'inherit' });

/** Words of the questions beside the conversation. Their answers never come. */
const BESIDE: Readonly<Record<string, string>> = {
  prefetch: 'stored notes help',
  extraction: 'Decide what a later session',
  suggestions: 'Predict the next prompt',
  summaries: 'has just done',
};
const hung = new Map<string, number>();

const api = await startFakeApi(
  (body) => {
    const messages = Array.isArray(body['messages']) ? body['messages'].filter(isRecord) : [];
    const asked = JSON.stringify([body['system'], messages.at(-1)]);
    const beside = Object.entries(BESIDE).find(([, words]) => asked.includes(words));
    if (beside) {
      hung.set(beside[0], (hung.get(beside[0]) ?? 0) + 1);
      return [hang()];
    }
    const done = callsOfTurn(messages);
    const id = `b${messages.length}`;
    return done < CALLS
      ? [pause(ANSWER_MS), call('Bash', { command: `echo step ${done}` }, id)]
      : [pause(ANSWER_MS), say('Done.')];
  },
  { models: [MODEL], clock: systemClock },
);

interface Measured {
  readonly name: string;
  readonly host: Host;
  readonly times: number[];
}

const kinds: readonly Measured[] = [
  { name: 'off', host: openHost('off', {}), times: [] },
  {
    name: 'all four hang',
    host: openHost('on', {
      promptSuggestionEnabled: true,
      autoMemoryEnabled: true,
      toolUseSummariesEnabled: true,
      smallModel: MODEL,
    }),
    times: [],
  },
];
let failure: string | undefined;
let runs = 0;
try {
  for (const { host } of kinds) await host.turn('warm up');
  const startedAt = performance.now();
  for (; runs < RUNS && performance.now() - startedAt < LIMIT_MS; runs++)
    for (const { host, times } of runs % 2 === 0 ? kinds : kinds.toReversed()) times.push(await host.turn(`go ${runs}`));
} catch (thrown) {
  failure = errorMessage(thrown);
}
for (const { host } of kinds) host.child.kill('SIGKILL');
await api.close();
rmSync(folder, { recursive: true, force: true });

const [off, on] = kinds.map(({ times }) => times);
// The two turns of a pair follow each other, so the load of the machine is nearly the same for both.
const ratios = (on ?? []).map((time, at) => time / (off?.[at] ?? Number.NaN));
const percent = (median(ratios) - 1) * 100;
const addedMs = median((on ?? []).map((time, at) => time - (off?.[at] ?? Number.NaN)));
const isWhole = failure === undefined && runs >= LEAST_RUNS && hung.size === Object.keys(BESIDE).length;
const isMet = isWhole && Math.abs(percent) <= GOAL_PERCENT;
const report = [
  `Node ${process.version}; ${runs} interleaved turns each, with ${CALLS} calls and answers of ${ANSWER_MS} ms; prompt to result`,
  ...kinds.map(({ name, times }) => `${name.padEnd(14)} median ${median(times).toFixed(1)} ms, fastest ${Math.min(...times).toFixed(1)} ms`),
  `requests that never got an answer: ${[...hung].map(([name, count]) => `${name} ${count}`).join(', ')}`,
  `median of a pair: ${addedMs.toFixed(1)} ms, ${percent.toFixed(1)} %   goal <= ${GOAL_PERCENT} %${isMet ? '' : '  MISSED'}`,
  ...(failure === undefined ? [] : [`stopped after ${runs} pairs: ${failure}`]),
].join('\n');
process.stdout.write(`${report}\n`);
if (isWhole) writeFileSync(path.join(import.meta.dirname, 'turn-latency.txt'), `${report}\n`);
process.exitCode = isMet ? 0 : 1;

/** The calls since the last prompt of the user. */
function callsOfTurn(messages: readonly Readonly<Record<string, unknown>>[]): number {
  const isPrompt = ({ role, content }: Readonly<Record<string, unknown>>): boolean =>
    role === 'user' && !JSON.stringify(content).includes('tool_result');
  const at = messages.findLastIndex(isPrompt);
  return messages.slice(at + 1).filter(({ role }) => role === 'assistant').length;
}

interface Host {
  readonly child: ChildProcess;
  /** Runs one prompt. Returns the milliseconds until its result. */
  readonly turn: (prompt: string) => Promise<number>;
}

function openHost(name: string, settings: object): Host {
  const home = path.join(folder, name);
  const project = path.join(home, 'project');
  mkdirSync(project, { recursive: true });
  const memory = path.join(home, 'config/projects', project.replaceAll(/[^a-zA-Z0-9]/g, '-'), 'memory');
  mkdirSync(memory, { recursive: true });
  writeFileSync(path.join(memory, 'tests.md'), 'Run npm test.\n');
  writeFileSync(path.join(memory, 'MEMORY.md'), '# Memory\n\n- [tests.md](tests.md): How to run tests\n');
  writeFileSync(path.join(home, 'config/settings.json'), JSON.stringify(settings));
  const flags = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--model', MODEL];
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    HEDDLE_CONFIG_DIR: path.join(home, 'config'),
    ANTHROPIC_API_KEY: 'key',
    ANTHROPIC_BASE_URL: api.url,
  };
  const child = spawn(path.join(root, 'bin/heddle'), [...flags, '--allowed-tools', 'Bash'], {
    cwd: project,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let onResult: () => void = () => undefined;
  let onFailure: (reason: Error) => void = () => undefined;
  child.on('exit', (code) => onFailure(new Error(`The program of "${name}" ended with exit code ${code}.`)));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message: unknown = JSON.parse(line);
    if (isRecord(message) && message['type'] === 'result') onResult();
  });
  return {
    child,
    turn: (content) =>
      new Promise((resolve, reject) => {
        const startedAt = performance.now();
        const late = new Error(`"${name}" gave no result for "${content}" within ${TURN_LIMIT_MS} ms.`);
        const timer = setTimeout(() => reject(late), TURN_LIMIT_MS);
        onFailure = (reason) => {
          clearTimeout(timer);
          reject(reason);
        };
        onResult = () => {
          clearTimeout(timer);
          resolve(performance.now() - startedAt);
        };
        child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
      }),
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
