/** Runs a command that writes a gigabyte, and prints the effect on this process. Argument: folder. */
import { TaskRegistry } from '../registry.ts';

const [folder = ''] = process.argv.slice(2);
const tasks = new TaskRegistry({ folder });
const spec = {
  command: 'head -c 1000000000 /dev/zero',
  directory: '/',
  environment: { PATH: process.env['PATH'] ?? '' },
};
const before = process.memoryUsage().rss;
let peak = before;
let last = process.threadCpuUsage();
const pauses: number[] = [];
const watch = setInterval(() => {
  // Processor time of this thread, because a busy machine delays every process.
  const { user, system } = process.threadCpuUsage(last);
  pauses.push((user + system) / 1_000);
  last = process.threadCpuUsage();
  peak = Math.max(peak, process.memoryUsage().rss);
}, 5);
const task = await tasks.start(spec);
const end = await task.ended;
clearInterval(watch);
// The 99th percentile of the pauses, so that garbage collection is not measured.
const longPauseMs = pauses.sort((left, right) => left - right).at(Math.floor(pauses.length * 0.99) - 1);
console.log(JSON.stringify({ end, bytes: task.output.bytes, grownMB: (peak - before) / 1e6, longPauseMs }));
