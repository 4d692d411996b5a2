/** The tools with their doors: where old file contents are kept, what commands may see of the environment. */
import path from 'node:path';
import type { Session } from '@heddle/agent';
import type { Tool } from '@heddle/core';
import { withoutSecrets } from '@heddle/models';
import { builtinTools, CheckpointStore } from '@heddle/tools';
import { configDir } from '../config-dir.ts';

export interface SessionTools {
  readonly tools: readonly Tool[];
  /** A user message was stored: changes from now on are kept under it. */
  readonly onAccepted: (userMessageId: string) => Promise<void>;
}

export function sessionTools({ id, journal }: Session): SessionTools {
  const environment = (): Record<string, string> => withoutSecrets(process.env);
  // A session that leaves nothing behind has nowhere to go back to.
  if (journal.path === undefined) {
    return { tools: builtinTools({ shell: { environment } }), onAccepted: () => Promise.resolve() };
  }
  const checkpoints = new CheckpointStore({
    folder: fileHistory(id),
    onCheckpoint: ({ toolUseId, path, hash }) =>
      journal.append({ type: 'checkpoint', toolUseId, path, hash }),
  });
  return {
    tools: builtinTools({ checkpoints, shell: { environment } }),
    onAccepted: (userMessageId) => checkpoints.begin(userMessageId),
  };
}

/** Where the old contents of a session's files lie, outside any repository. */
export function fileHistory(sessionId: string): string {
  return path.join(configDir(process.env), 'file-history', sessionId);
}
