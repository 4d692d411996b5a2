/** Runs a command that writes a gigabyte, and prints what that did to this process. Argument: folder. */
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
let lastAt = performance.now();
const pauses: number[] = [];
const watch = setInterval(() => {
  const now = performance.now();
  pauses.push(now - lastAt);
  lastAt = now;
  peak = Math.max(peak, process.memoryUsage().rss);
}, 5);
const task = await tasks.start(spec);
const end = await task.ended;
clearInterval(watch);
// Of a hundred pauses the longest but one: a busy machine holds up every process now and then.
const longPauseMs = pauses.sort((left, right) => left - right).at(Math.floor(pauses.length * 0.99) - 1);
console.log(JSON.stringify({ end, bytes: task.output.bytes, grownMB: (peak - before) / 1e6, longPauseMs }));
