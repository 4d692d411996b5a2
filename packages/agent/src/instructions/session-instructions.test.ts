import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ToolUseContext } from '@heddle/core';
import { expect, it } from 'vitest';
import { SessionInstructions } from './session-instructions.ts';

const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-session-instructions-')));
for (const [name, text] of [
  ['.claude/rules/a.md', '---\npaths: "**/*.ts"\n---\nthe rule @../../by-path.txt'],
  ['by-path.txt', 'text by path'],
  ['sub/CLAUDE.md', 'nested @secret.txt @plain.txt'],
  ['sub/secret.txt', 'text of secret'],
  ['sub/plain.txt', 'text of plain'],
] as const) {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), text);
}

/** The texts that join if the model has read a file, by rules that were added after the start. */
async function joining(denied: readonly string[]): Promise<readonly string[]> {
  let now: readonly string[] = [];
  const instructions = new SessionInstructions({
    places: { cwd: root, top: root, configDirs: [], sources: ['project'], isDenied: () => false },
    userContext: () => ({}),
    messages: () => [],
    deniedFiles: () => {
      const files = new Set(now.map((name) => path.join(root, name)));
      return Promise.resolve((file) => files.has(file));
    },
  });
  expect(instructions.found.byPath).toHaveLength(2);
  now = denied;
  const fileState = { paths: () => [path.join(root, 'sub/a.ts')] } as unknown as ToolUseContext['fileState'];
  const added = await instructions.gather({ fileState });
  return added.flatMap((one) => (one.kind === 'instructions' ? [one.text] : []));
}

it('imports what the rules permit when instructions join', async () => {
  const texts = ['text of secret', 'text of plain', 'nested @secret.txt @plain.txt', 'text by path'];
  expect(await joining([])).toEqual([...texts, 'the rule @../../by-path.txt']);
  const fewer = await joining(['sub/secret.txt', 'by-path.txt']);
  expect(fewer).toEqual(['text of plain', 'nested @secret.txt @plain.txt', 'the rule @../../by-path.txt']);
});
