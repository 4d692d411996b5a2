// `npm run bench:mcp`: the first request with 20 configured MCP servers, 5 of them dead, and 300 tools in all, against
// the same run without servers. Runs are interleaved, so that the load of the machine hits both.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { misbehavingServer, testServer } from '@heddle/testing/mcp';
import { Bench } from './cli/program.ts';

const RUNS = Number(process.env['RUNS'] ?? 25);
const LIVE = 15;
const TOOLS_EACH = 20;
const OWN_TOOLS = 16;

spawnSync(process.execPath, [path.join(import.meta.dirname, '../scripts/bundle.ts')], { stdio: 'inherit' });

const servers: Record<string, object> = {
  gone: { command: '/no/such/program' },
  exits: misbehavingServer('exits'),
  silent: misbehavingServer('silent'),
  refused: { type: 'http', url: 'http://127.0.0.1:9/mcp' },
  rejects: misbehavingServer('rejects'),
};
for (let at = 0; at < LIVE; at++) servers[`s${at}`] = testServer(`s${at}`, `--extra=${TOOLS_EACH - OWN_TOOLS}`);
const config = path.join(mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-mcp-')), 'mcp.json');
writeFileSync(config, JSON.stringify({ mcpServers: servers }));

const bench = new Bench();
await bench.open();
const kinds = { 'without servers': [], 'with 20 servers': ['--mcp-config', config] };
const runs = Object.entries(kinds).map(([name, flags]) => ({
  name,
  flags,
  measured: [] as Awaited<ReturnType<Bench['firstRequest']>>[],
}));
for (let run = 0; run < RUNS; run++)
  for (const { flags, measured } of run % 2 === 0 ? runs : runs.toReversed())
    measured.push(await bench.firstRequest(flags));
bench.close();

const lines = runs.map(({ name, measured }) => {
  const cpu = measured.map(({ cpuMs }) => cpuMs);
  const times = measured.map(({ toRequest }) => toRequest);
  const bytes = median(measured.map((one) => one.bytes));
  return `${name.padEnd(18)} processor time until the first request ${median(cpu).toFixed(1)} ms (least ${Math.min(...cpu).toFixed(1)}); spawn to request ${median(times).toFixed(1)} ms (fastest ${Math.min(...times).toFixed(1)}); request ${bytes} bytes`;
});
const [none, many] = runs.map(({ measured }) => measured);
const difference = (of: (one: (typeof runs)[number]['measured'][number]) => number): string =>
  median((many ?? []).map((one, at) => of(one) - of((none ?? [])[at] ?? one))).toFixed(1);
const report = [
  `Node ${process.version}; medians of ${RUNS} interleaved pairs; ${LIVE} servers with ${LIVE * TOOLS_EACH} tools, 5 dead`,
  ...lines,
  `median difference of a pair: ${difference(({ cpuMs }) => cpuMs)} ms of processor time, ${difference(({ toRequest }) => toRequest)} ms to the request`,
].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'mcp.txt'), `${report}\n`);

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
