// Loaded into the program by the benchmark. At SIGUSR2 it adds a line to the file in HEDDLE_BENCH_INSIDE: the longest
// stretch of processor time without reading keys since the last signal, and the memory in use after a collection of garbage.
// The load of the machine does not change these figures, unlike the time from a key to its echo.
import { appendFileSync } from 'node:fs';
import v8 from 'node:v8';
import vm from 'node:vm';

const file = process.env['HEDDLE_BENCH_INSIDE'];
let longest = 0;
let last = process.threadCpuUsage();
process.on('SIGUSR2', () => {
  const stretchMs = longest;
  v8.setFlagsFromString('--expose-gc');
  const collect: unknown = vm.runInNewContext('gc');
  if (typeof collect === 'function') collect();
  const { heapUsed, external } = process.memoryUsage();
  const usedMB = (heapUsed + external) / 2 ** 20;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ stretchMs, usedMB })}\n`);
  last = process.threadCpuUsage();
  longest = 0;
});
setInterval(() => {
  const now = process.threadCpuUsage();
  longest = Math.max(longest, (now.user + now.system - last.user - last.system) / 1_000);
  last = now;
}, 1).unref();
