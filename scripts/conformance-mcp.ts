// `npm run conformance:mcp [REVISION]`: runs the client scenarios of the public conformance suite against Heddle's MCP
// client, one after another, and prints a table. The suite is fetched by `npx`; it is not a dependency.
import { spawn } from 'node:child_process';
import path from 'node:path';

/** The suite that knows both revisions. */
const SUITE = process.env['MCP_CONFORMANCE_SUITE'] ?? '@modelcontextprotocol/conformance@0.2.0-alpha.12';

/** The default revision is the one that most servers have today. */
const [revision = '2025-11-25', only] = process.argv.slice(2);

const LIMIT_MS = 90_000;

const client = path.join(
  path.dirname(import.meta.dirname),
  'packages/mcp/src/test/run-conformance-client.ts',
);

interface Run {
  readonly code: number | null;
  readonly output: string;
}

function runSuite(args: readonly string[]): Promise<Run> {
  // A folder contains an installed suite.
  const [program = '', ...first] = SUITE.startsWith('/')
    ? [process.execPath, path.join(SUITE, 'dist/index.js')]
    : ['npx', '-y', SUITE];
  return new Promise((resolve) => {
    const child = spawn(program, [...first, ...args], { timeout: LIMIT_MS });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('close', (code) => resolve({ code, output }));
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
  });
}

const { output: list } = await runSuite(['list', '--client']);
const [, scenarios = ''] = list.split('Client scenarios');
const names = Array.from(scenarios.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm))
  .filter(
    ([, name = '', revisions = '']) => revisions.split(',').includes(revision) && (only ?? name) === name,
  )
  .map(([, name = '']) => name);

let passed = 0;
const failed: string[] = [];
for (const scenario of names) {
  const command = `${process.execPath} ${client}`;
  const { output } = await runSuite([
    'client',
    '--command',
    command,
    '--scenario',
    scenario,
    '--spec-version',
    revision,
  ]);
  const [checks = 'no result'] = /Passed: .*/.exec(output) ?? [];
  const isPassed = output.includes('OVERALL: PASSED');
  if (isPassed) passed++;
  else failed.push(...reasonsIn(output).map((reason) => `${scenario}: ${reason}`));
  console.log(`${isPassed ? 'pass' : 'FAIL'}  ${scenario}  ${checks}`);
  if (only !== undefined) console.log(output);
}
console.log(
  `\n${revision}: ${passed} of ${names.length} client scenarios pass (${SUITE.split('/').slice(-2).join('/')}).`,
);
for (const reason of failed) console.log(`  ${reason}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** The checks that failed. */
function reasonsIn(output: string): string[] {
  // oxlint-disable-next-line no-control-regex -- the suite prints colors
  const plain = output.replaceAll(/\u001b\[\d+m/g, '');
  const found = Array.from(
    plain.matchAll(/\[(\S+)\s*\] FAILURE (.*)/g),
    ([, check = '', text = '']) => `${check}: ${text}`,
  );
  return found.length > 0 ? found : [plain.trim().split('\n').at(-1) ?? ''];
}
