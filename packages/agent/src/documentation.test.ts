/** Runs every example for embedding, and those of the package READMEs, each in its own process. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

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

it('expects an output of every example', () => {
  expect(examples).toHaveLength(PRINTS.length);
});

it.each(examples.map(({ where, code }, index) => [where, code, PRINTS[index] ?? /never/] as const))(
  'the example at %s runs',
  async (_where, code, prints) => {
    const argv = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', code];
    const { stdout, stderr } = await run(process.execPath, argv, { cwd: path.join(root, 'packages/agent') });
    expect(stderr).toBe('');
    expect(stdout).toMatch(prints);
  },
);
