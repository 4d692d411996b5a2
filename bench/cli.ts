// `npm run bench:cli`: start-up time, memory and own time per turn of the program, against a server in
// another process. Runs are interleaved with a bare Node process, which shows the load of the machine.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Bench, EXTENDED } from './cli/program.ts';

const RUNS = 15;
// The shipped form: the bundle, as `npm ci` makes it.
spawnSync(process.execPath, [path.join(import.meta.dirname, '../scripts/bundle.ts')], { stdio: 'inherit' });

const bench = new Bench();
await bench.open();
const bare: number[] = [];
const version: number[] = [];
const prompt: number[] = [];
const request: number[] = [];
const extended: number[] = [];
const end: number[] = [];
const peaks: number[] = [];
for (let run = 0; run < RUNS; run++) {
  bare.push(await bench.bareNode());
  version.push(await bench.version());
  prompt.push(await bench.prompt());
  const { toRequest, toEnd } = await bench.print();
  request.push(toRequest);
  extended.push((await bench.print([], EXTENDED)).toRequest);
  end.push(toEnd);
  peaks.push((await bench.conversation('claude-short')).peakMB);
}
const long: { readonly peakMB: number; readonly gaps: readonly number[] }[] = [];
for (let run = 0; run < 3; run++) long.push(await bench.conversation('claude-turns'));
bench.close();

const gaps = long.flatMap((run) => run.gaps);
const early = median(long.flatMap((run) => run.gaps.slice(20, 60)));
const late = median(long.flatMap((run) => run.gaps.slice(-40)));
const goals: [string, number, number | undefined, string][] = [
  ['bare node, spawn to exit', median(bare), undefined, 'ms'],
  ['--version, spawn to exit', median(version), 50, 'ms'],
  ['spawn to prompt in a terminal', median(prompt), 110, 'ms'],
  ['spawn to first request', median(request), 100, 'ms'],
  ['   the same, fastest', Math.min(...request), undefined, 'ms'],
  ['   50 skills, 50 commands, 20 hooks', median(extended), undefined, 'ms'],
  ['-p, spawn to exit', median(end), 170, 'ms'],
  ['peak memory, one reply', median(peaks), 85, 'MB'],
  ['peak memory, 200 turns', median(long.map((run) => run.peakMB)), 120, 'MB'],
  ['own time a turn, 200 turns', median(gaps), 3, 'ms'],
  ['   turns 20 to 60', early, undefined, 'ms'],
  ['   last 40 turns', late, undefined, 'ms'],
];
const lines = goals.map(([what, value, goal, unit]) => {
  const verdict = goal === undefined ? '' : `   goal < ${goal}${value < goal ? '' : '  MISSED'}`;
  return `${what.padEnd(36)} ${value.toFixed(1).padStart(8)} ${unit}${verdict}`;
});
const report = [`Node ${process.version}; medians of ${RUNS} starts and 3 long runs`, ...lines].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'cli.txt'), `${report}\n`);
process.exitCode = goals.every(([, value, goal]) => goal === undefined || value < goal) ? 0 : 1;

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
