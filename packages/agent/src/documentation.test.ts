/** Runs every example for embedding, and those of the package READMEs, one after the other in a process of their own. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');

const documents = [
  'packages/agent/README.md',
  'docs/embedding.md',
  ...['core', 'context', 'models', 'tools', 'testing', 'cli'].map((name) => `packages/${name}/README.md`),
];
const examples = documents.flatMap((name) => {
  const text = readFileSync(path.join(root, name), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(({ 1: code = '', index }) => ({
    where: `${name}:${text.slice(0, index).split('\n').length}`,
    code,
  }));
});

/** The output of each example, in order. */
const PRINTS = [
  /success Three files\. null/,
  /choose a real model/,
  /success Three files\. null/,
  /claude-sonnet/,
  /Bash.*rm notes\.txt[\s\S]*tool_use_id: 'c1'/,
  /^Done\.$/m,
  /^Now it is\.$/m,
  /^\{ files: 3 \}$/m,
  /Noted\.\n2\nNoted\.\n4\n/,
  /^stream_request_start\nmessage\nanswer_end\n$/,
  /autoCompact/,
  /^claude-opus-\S+ \d+ \{\}$/m,
  /'Bash'[\s\S]*'ToolSearch'/,
  /^Done\.\n3\n$/,
  /To work on this, choose a real model/,
];

/** Printed to both outputs before each example. */
const MARK = '--- next example ---';

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** Each example is a module of its own. Together they load the packages once. */
async function runExamples(): Promise<Printed[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-examples-'));
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const files = examples.map(({ code }, index) => {
    const file = path.join(folder, `example-${index}.mts`);
    writeFileSync(file, code);
    return file;
  });
  const program = `for (const file of ${JSON.stringify(files)}) {
    for (const stream of [process.stdout, process.stderr]) stream.write(${JSON.stringify(`${MARK}\n`)});
    try { await import(file); } catch (thrown) { console.error(thrown); }
  }`;
  const argv = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
  const cwd = path.join(root, 'packages/agent');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, { cwd });
  const [outputs, errors] = [stdout, stderr].map((text) => text.split(`${MARK}\n`).slice(1));
  return examples.map((_, index) => ({ stdout: outputs?.[index] ?? '', stderr: errors?.[index] ?? '' }));
}

let printed: readonly Printed[] = [];
beforeAll(async () => {
  printed = await runExamples();
});

it('expects an output of every example', () => {
  expect(examples).toHaveLength(PRINTS.length);
});

it.each(examples.map(({ where }, index) => [where, index] as const))(
  'the example at %s runs',
  (_where, index) => {
    expect(printed[index]?.stderr).toBe('');
    expect(printed[index]?.stdout).toMatch(PRINTS[index] ?? /never/);
  },
);
