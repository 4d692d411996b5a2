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
const OWN_TOOLS = 12;

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
const runs = Object.entries(kinds).map(([name, flags]) => ({ name, flags, times: [] as number[], bytes: [] as number[] }));
for (let run = 0; run < RUNS; run++)
  for (const { flags, times, bytes } of run % 2 === 0 ? runs : runs.toReversed()) {
    const measured = await bench.print(flags);
    times.push(measured.toRequest);
    bytes.push(measured.bytes);
  }
bench.close();

const lines = runs.map(
  ({ name, times, bytes }) =>
    `${name.padEnd(18)} spawn to first request ${median(times).toFixed(1)} ms (fastest ${Math.min(...times).toFixed(1)}), request ${median(bytes)} bytes`,
);
const [none, many] = runs.map(({ times }) => median(times));
const report = [
  `Node ${process.version}; medians of ${RUNS} interleaved starts; ${LIVE} servers with ${LIVE * TOOLS_EACH} tools, 5 dead`,
  ...lines,
  `difference of the medians: ${((many ?? 0) - (none ?? 0)).toFixed(1)} ms`,
].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'mcp.txt'), `${report}\n`);

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
