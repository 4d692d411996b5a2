/**
 * Another process swaps links in a path while calls are decided and run. No call reads or writes outside the place that was
 * decided on. 1,000 trials for each kind under `npm run prove`.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject, Tool, ToolUseContext } from '@heddle/core';
import { CheckpointStore, createFileTools, createSearchTools } from '@heddle/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { spillFiles } from '../context/context-port.ts';
import { createBlobs } from '../session/files/blobs.ts';
import type { PermissionRule } from '../permission/rules/rule.ts';
import { createReadFileState } from '../attachments/automatic-attachments.ts';
import type { AgentOptions } from './options.ts';
import { deniedFilesOf, permissionOf } from './permission.ts';

const TRIALS = process.env['HEDDLE_PROVE'] === '1' ? 1_000 : 10;
const SECRET = 'the secret, in common';
const NOTEBOOK = JSON.stringify({ cells: [{ cell_type: 'code', id: 'c', source: 'inside', outputs: [] }] });

interface Ground {
  readonly project: string;
  /** The folder that `d` means when the trials begin. */
  readonly inside: string;
  readonly outside: string;
  /** From here on `d` is a link to both in turn, or a folder that becomes a link. */
  start(): Promise<void>;
}

function newWorkspace(kind: 'link' | 'folder'): Ground {
  const root = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'heddle-races-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const project = path.join(root, 'project');
  const outside = path.join(root, 'outside');
  const swapped = path.join(project, 'd');
  const inside = kind === 'link' ? path.join(project, 'in') : swapped;
  for (const folder of [inside, outside]) {
    mkdirSync(folder, { recursive: true });
    const text = folder === inside ? 'inside, in common' : SECRET;
    writeFileSync(path.join(folder, 'x'), text);
    writeFileSync(path.join(folder, 'x.ipynb'), NOTEBOOK);
    writeFileSync(path.join(folder, folder === inside ? 'name-inside' : 'name-outside'), text);
  }
  if (kind === 'link') symlinkSync(inside, swapped);
  const start = async (): Promise<void> => {
    const flips = path.join(import.meta.dirname, 'test/run-flips.ts');
    const names = kind === 'link' ? [swapped, inside, outside] : [swapped, outside];
    const child = spawn(process.execPath, [flips, kind, ...names], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    await once(child.stdout, 'data');
  };
  return { project, inside, outside, start };
}

/** Calls as the executor makes them: decided, its intent described, then run. */
function caller({ project, outside }: Ground) {
  const rule: PermissionRule = { text: `Read(/${outside}/**)`, source: 'user' };
  const options = {
    cwd: project,
    rules: { allow: [], ask: [], deny: [rule] },
    permissionMode: 'acceptEdits',
  } as unknown as AgentOptions;
  const canUseTool = permissionOf(options, { store: () => undefined, denials: { note: () => undefined } });
  const tools = [...createFileTools(), ...createSearchTools()];
  const context: ToolUseContext = {
    tools,
    model: 'm',
    permissionMode: 'acceptEdits',
    signal: new AbortController().signal,
    workingDirectory: project,
    additionalDirectories: [],
    agentId: undefined,
    fileState: createReadFileState(),
    deniedFiles: deniedFilesOf(options, project),
  };
  const toolOf = (name: string): Tool => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`there is not a tool ${name}`);
    return tool;
  };
  return {
    /** The text that the model would see. */
    async call(name: string, input: JsonObject): Promise<string> {
      const tool = toolOf(name);
      try {
        const valid = await tool.validateInput?.(input, context);
        if (valid && !valid.ok) return valid.message;
        const asked = { toolUseId: 't', hookDecision: undefined, signal: context.signal };
        const permission = await canUseTool(tool, input, context, asked);
        if (permission.behavior === 'deny') return permission.message;
        const { places } = permission;
        const own = { ...context, ...(places ? { places } : {}), toolUseId: 't' };
        await tool.describeIntent?.(input, own);
        const { data } = await tool.call(input, own, () => undefined);
        return JSON.stringify(tool.toResult(data).content);
      } catch (thrown) {
        return String(thrown);
      }
    },
    /** As if both had been read before, so that only the place decides. */
    async know(file: string): Promise<void> {
      await toolOf('Read').call({ file_path: file }, { ...context, toolUseId: 't' }, () => undefined);
    },
  };
}

interface Count {
  escapes: number;
  /** Calls that did what they were meant to do: without them the trials prove nothing. */
  done: number;
}

async function trials(trial: (index: number) => Promise<'escape' | 'done' | 'refused'>): Promise<Count> {
  const count: Count = { escapes: 0, done: 0 };
  // On a busy machine a few trials more, until one call has met the right moment.
  for (let index = 0; index < TRIALS || (count.done === 0 && index < 40 * TRIALS); index += 1) {
    const end = await trial(index);
    if (end === 'escape') count.escapes += 1;
    if (end === 'done') count.done += 1;
  }
  process.stdout.write(`${expect.getState().currentTestName}: ${JSON.stringify(count)} of ${TRIALS}\n`);
  return count;
}

describe.each(['link', 'folder'] as const)('while a %s is swapped', (kind) => {
  it.each([
    ['Read', { file_path: 'd/x' }, SECRET, 'inside'],
    ['Grep', { pattern: 'common', path: 'd', output_mode: 'content' }, SECRET, 'inside'],
    ['Grep', { pattern: 'common', output_mode: 'content' }, SECRET, 'inside'],
    ['Grep', { pattern: 'secret', path: 'd/x' }, 'd/x', 'No matches'],
    ['Glob', { pattern: 'name-*', path: 'd' }, 'name-outside', 'name-inside'],
    ['Glob', { pattern: '**/name-*' }, 'name-outside', 'name-inside'],
  ])('%s %j shows nothing of a denied folder', async (tool, input, secret, own) => {
    const there = newWorkspace(kind);
    const calls = caller(there);
    await there.start();
    const { escapes, done } = await trials(async () => {
      const shown = await calls.call(tool, input);
      const isAnswer = shown.startsWith('"');
      if (isAnswer && shown.includes(secret)) return 'escape';
      return isAnswer && shown.includes(own) ? 'done' : 'refused';
    });
    expect(escapes).toBe(0);
    expect(done).toBeGreaterThan(0);
  });

  it.each<[tool: string, inputFor: (index: number) => JsonObject]>([
    ['Write', (index) => ({ file_path: `d/sub/new-${index}`, content: 'new' })],
    ['Write', (index) => ({ file_path: 'd/x', content: `in common ${index}` })],
    ['Edit', () => ({ file_path: 'd/x', old_string: 'common', new_string: 'common!' })],
    ['NotebookEdit', (index) => ({ notebook_path: 'd/x.ipynb', cell_id: 'c', new_source: `${index}` })],
  ])('%s changes nothing outside (%#)', async (tool, inputFor) => {
    const there = newWorkspace(kind);
    const calls = caller(there);
    // All have been read, so that only the place decides.
    for (const folder of [there.inside, there.outside])
      for (const name of ['x', 'x.ipynb']) await calls.know(path.join(folder, name));
    const isChanged = watchOutside(there);
    await there.start();
    const { escapes, done } = await trials(async (index) => {
      const shown = await calls.call(tool, inputFor(index));
      if (isChanged()) return 'escape';
      return shown.startsWith('"') ? 'done' : 'refused';
    });
    expect(escapes).toBe(0);
    expect(done).toBeGreaterThan(0);
  });
});

describe('while a folder is swapped for a link', () => {
  it('going back to a checkpoint changes nothing outside', async () => {
    const there = newWorkspace('folder');
    const store = new CheckpointStore({ folder: path.join(path.dirname(there.project), 'history') });
    const file = path.join(there.inside, 'x');
    const isChanged = watchOutside(there);
    await there.start();
    const { escapes, done } = await trials(async (index) => {
      await store.begin(`m${index}`);
      await store.before(file, 't', 'another hash', kept(`old ${index}`));
      const rewound = await store.rewind(`m${index}`);
      if (isChanged()) return 'escape';
      return rewound.canRewind && rewound.filesChanged.length > 0 ? 'done' : 'refused';
    });
    expect(escapes).toBe(0);
    expect(done).toBeGreaterThan(0);
  });

  it.each(['blobs', 'spills', 'old contents'])('%s are stored nowhere else', async (what) => {
    const there = newWorkspace('folder');
    const folder = path.join(there.inside, 'store');
    const blobs = createBlobs(folder, false);
    const spills = spillFiles(folder);
    const history = new CheckpointStore({ folder });
    const store = async (index: number): Promise<boolean> => {
      const text = `${index} ${'x'.repeat(10_000)}`;
      if (what === 'spills') return spills.write(`c${index}`, text);
      if (what === 'blobs') return Object.keys(blobs.store({ text })).length > 0;
      await history.begin(`m${index}`);
      await history.before('/f', 't', 'another hash', kept(text));
      return true;
    };
    await store(-1);
    const isChanged = watchOutside(there);
    await there.start();
    const { escapes, done } = await trials(async (index) => {
      const isStored = await store(index).catch(() => false);
      return isChanged() ? 'escape' : isStored ? 'done' : 'refused';
    });
    expect(escapes).toBe(0);
    expect(done).toBeGreaterThan(0);
  });
});

/** Whether anything outside has changed since the last time; then it is put back. */
function watchOutside({ outside }: Ground): () => boolean {
  const before = contentsOf(outside);
  return () => {
    if (contentsOf(outside).join('\n') === before.join('\n')) return false;
    for (const name of readdirSync(outside)) {
      const line = before.find((one) => one.startsWith(`${name}: `));
      const file = path.join(outside, name);
      if (line === undefined) rmSync(file, { recursive: true, force: true });
      else writeFileSync(file, line.slice(name.length + 2));
    }
    return true;
  };
}

function contentsOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) =>
      entry.isFile()
        ? `${entry.name}: ${readFileSync(path.join(folder, entry.name), 'utf8')}`
        : `${entry.name}/`,
    )
    .sort();
}

function kept(text: string): { bytes: Buffer; hash: string; mode: number } {
  const bytes = Buffer.from(text);
  return { bytes, hash: createHash('sha256').update(bytes).digest('hex'), mode: 0o100_644 };
}
