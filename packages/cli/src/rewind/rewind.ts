/** `heddle rewind SESSION MESSAGE [--dry-run]`: puts the files that the agent changed back as they were before a message. */
import { existsSync } from 'node:fs';
import { CheckpointStore } from '@heddle/tools';
import { fileHistory } from '../headless/tools.ts';
import { harmless } from '../terminal/harmless.ts';
import { say } from '../terminal/say.ts';

export interface RewindCommand {
  readonly name: 'rewind';
  readonly sessionId: string;
  readonly messageId: string;
  readonly dryRun: boolean;
}

export async function rewind({ sessionId, messageId, dryRun }: RewindCommand): Promise<number> {
  const folder = fileHistory(sessionId);
  if (!existsSync(folder)) return refused(`no files were changed in the session ${sessionId}`);
  const rewound = await new CheckpointStore({ folder }).rewind(messageId, { dryRun });
  if (!rewound.canRewind) return refused(rewound.error);
  const { filesChanged, insertions, deletions, skippedLinks, failed, undoId } = rewound;
  for (const file of filesChanged) say(`${harmless(file)}\n`);
  say(
    `${filesChanged.length} files ${dryRun ? 'would go' : 'went'} back, +${insertions} -${deletions} lines\n`,
  );
  for (const link of skippedLinks) say(`left alone, it is a link now: ${harmless(link)}\n`);
  for (const { path, why } of failed) process.stderr.write(`heddle: ${harmless(path)}: ${harmless(why)}\n`);
  if (undoId !== undefined) say(`to take this back: heddle rewind ${sessionId} ${undoId}\n`);
  return failed.length === 0 ? 0 : 1;
}

function refused(message: string): number {
  process.stderr.write(`heddle: ${message}\n`);
  return 1;
}
