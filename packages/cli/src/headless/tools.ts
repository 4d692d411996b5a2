/** The tools with their doors: where old file contents are kept, what commands may see of the environment. */
import path from 'node:path';
import type { Session } from '@heddle/agent';
import type { Tool } from '@heddle/core';
import { withoutSecrets } from '@heddle/models';
import {
  builtinToolSet,
  CheckpointStore,
  endLeftovers,
  findLeftovers,
  type Leftover,
  TaskRegistry,
} from '@heddle/tools';
import { configDir } from '../config-dir.ts';

export interface SessionTools {
  readonly tools: readonly Tool[];
  /** Commands of an earlier run of this session that were still running; they were ended. */
  readonly ended: readonly Leftover[];
  /** A user message was stored: changes from now on are kept under it. */
  readonly onAccepted: (userMessageId: string) => Promise<void>;
  /** Ends what still runs in the background. */
  readonly dispose: () => Promise<void>;
}

export async function sessionTools({ id, journal }: Session): Promise<SessionTools> {
  const environment = (): Record<string, string> => withoutSecrets(process.env);
  // A session that leaves nothing behind has nowhere to go back to.
  if (journal.path === undefined) {
    const tasks = new TaskRegistry();
    const { active } = builtinToolSet({ shell: { tasks, environment } });
    return { tools: active, ended: [], onAccepted: () => Promise.resolve(), dispose: () => tasks.dispose() };
  }
  const folder = path.join(path.dirname(journal.path), id, 'tasks');
  const ended = findLeftovers(folder);
  if (ended.length > 0) await endLeftovers(folder);
  const tasks = new TaskRegistry({ folder });
  const checkpoints = new CheckpointStore({
    folder: fileHistory(id),
    onCheckpoint: ({ toolUseId, path, hash }) =>
      journal.append({ type: 'checkpoint', toolUseId, path, hash }),
  });
  return {
    tools: builtinToolSet({ checkpoints, shell: { tasks, environment } }).active,
    ended,
    onAccepted: (userMessageId) => checkpoints.begin(userMessageId),
    dispose: () => tasks.dispose(),
  };
}

/** Where the old contents of a session's files lie, outside any repository. */
export function fileHistory(sessionId: string): string {
  return path.join(configDir(process.env), 'file-history', sessionId);
}
