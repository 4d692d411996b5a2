/** The production `QueryDeps`: the real clock and ids, and the ports of the host. */
import {
  type Attachment,
  type ContextPort,
  type FileState,
  type FileStateCache,
  type QueryDeps,
  type QueuedCommand,
  type Redact,
  type ToolHooks,
} from '@heddle/core';
import { systemClock } from '@heddle/models';
import { createHash, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { AgentOptions } from './options.ts';
import type { SessionBackground } from './session-background.ts';
import { turnEndPort } from './turn-end.ts';

interface DepsSetup {
  readonly background: SessionBackground;
  readonly takeRestored: (agentId: string | undefined) => readonly QueuedCommand[];
}

export function productionDeps(
  options: AgentOptions,
  context: ContextPort,
  { background, takeRestored }: DepsSetup,
): QueryDeps {
  const redact: Redact = options.redact ?? ((value) => value);
  return {
    redact,
    model: options.model,
    clock: options.clock ?? systemClock,
    ids: { uuid: options.uuid ?? randomUUID },
    random: options.random ?? Math.random,
    context,
    toolHooks: { ...noToolHooks, ...options.hooks?.tools },
    turnEnd: turnEndPort({ hooks: options.hooks ?? {}, redact, background }),
    requestSent: (params) => background.fork.saveSent(params),
    attachments: {
      begin: (scope, messages, { agentId }) => {
        if (scope === 'run' && agentId === undefined) background.prefetch(messages);
      },
      takeQueued: ({ agentId }) => [...takeRestored(agentId), ...(options.takeQueued?.(agentId) ?? [])],
      gather: async (_messages, context) => {
        const [files, others] = await Promise.all([
          changedFiles(context.fileState),
          options.gather?.(context),
        ]);
        const memories = context.agentId === undefined ? background.takeMemories() : [];
        return redact([...files, ...memories, ...(options.news?.() ?? []), ...(others ?? [])]);
      },
    },
    askToGoOn: options.askToGoOn ?? (() => Promise.resolve(false)),
    summariseTools: options.summariseTools ?? background.describeCalls,
  };
}

const noToolHooks: ToolHooks = {
  before: () => Promise.resolve({}),
  after: () => Promise.resolve({}),
  afterFailure: () => Promise.resolve({}),
};

async function changedFiles(fileState: FileStateCache): Promise<Attachment[]> {
  const found = await Promise.all(fileState.paths().map((path) => changeOf(path, fileState)));
  return found.filter((attachment) => attachment !== undefined);
}

/** Larger files are not read at every turn. */
const MAX_BYTES = 32 * 1024 * 1024;

async function changeOf(path: string, fileState: FileStateCache): Promise<Attachment | undefined> {
  const known = fileState.get(path);
  if (!known) return undefined;
  try {
    // Synchronous, because a thread per file and turn would cost far more than the call.
    const { mtimeMs, size } = statSync(path);
    if (mtimeMs === known.readAt || size > MAX_BYTES) return undefined;
    const hash = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    // The hash stays that of the text the model saw, so that an edit of a newer text is rejected.
    fileState.set(path, { ...known, readAt: mtimeMs });
    if (hash === known.hash) return undefined;
    return {
      kind: 'changed_file',
      path,
      note: `${path} changed on disk since it was read. Read it again before relying on it.`,
    };
  } catch {
    // Removed or unreadable. The next Read reports it.
    return undefined;
  }
}

const MAX_FILES = 1_000;

export function createReadFileState(): FileStateCache {
  const files = new Map<string, FileState>();
  return {
    get(path) {
      const state = files.get(path);
      if (state) {
        files.delete(path);
        files.set(path, state);
      }
      return state;
    },
    set(path, state) {
      files.delete(path);
      files.set(path, state);
      const [oldest] = files.keys();
      if (files.size > MAX_FILES && oldest !== undefined) files.delete(oldest);
    },
    paths: () => [...files.keys()],
  };
}
