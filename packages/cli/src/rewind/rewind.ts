/** `heddle rewind SESSION MESSAGE [--dry-run]`: puts the files that the agent changed back as they were before a message. */
import { existsSync } from 'node:fs';
import { CheckpointStore } from '@heddle/tools';
import { fileHistory } from '../headless/tools.ts';
import { harmless } from '../terminal/harmless.ts';
import { say } from '../terminal/say.ts';

const USAGE = 'usage: heddle rewind SESSION MESSAGE [--dry-run]';

export async function rewind(argv: readonly string[]): Promise<number> {
  const dryRun = argv.includes('--dry-run');
  const [sessionId, messageId, ...more] = argv.filter((word) => word !== '--dry-run');
  if (sessionId === undefined || messageId === undefined || more.length > 0) return refused(USAGE, 2);
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

function refused(message: string, code = 1): number {
  process.stderr.write(`heddle: ${message}\n`);
  return code;
}
