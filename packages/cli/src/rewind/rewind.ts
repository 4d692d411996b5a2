/** `heddle rewind SESSION [MESSAGE] [--dry-run]`: puts the files that the agent changed back as they were before a message. */
import { existsSync } from 'node:fs';
import { piecesOf, readTranscript, type SessionSummary } from '@heddle/agent/sessions';
import { isInterruption } from '@heddle/core';
import { CheckpointStore } from '@heddle/tools';
import { fileHistory } from '../headless/tools.ts';
import { counted } from '../plain/render/amounts.ts';
import { pick } from '../sessions/pick.ts';
import { oneLine } from '../sessions/text/columns.ts';
import { harmless } from '../terminal/harmless.ts';
import { say } from '../terminal/say.ts';

const USAGE = 'usage: heddle rewind SESSION [MESSAGE] [--dry-run]; without MESSAGE it lists them';

export async function rewind(argv: readonly string[]): Promise<number> {
  const dryRun = argv.includes('--dry-run');
  const [name, messageId, ...more] = argv.filter((word) => word !== '--dry-run');
  if (name === undefined || name.startsWith('-') || more.length > 0) return refused(USAGE, 2);
  const picked = pick(name);
  if (!picked.ok) return refused(picked.message);
  return messageId === undefined ? listPrompts(picked.session) : goBack(picked.session.id, messageId, dryRun);
}

async function goBack(sessionId: string, messageId: string, dryRun: boolean): Promise<number> {
  const folder = fileHistory(sessionId);
  if (!existsSync(folder)) return refused(`no files were changed in the session ${sessionId}`);
  const rewound = await new CheckpointStore({ folder }).rewind(messageId, { dryRun });
  if (!rewound.canRewind) return refused(rewound.error);
  const { filesChanged, insertions, deletions, skippedLinks, failed, undoId } = rewound;
  for (const file of filesChanged) say(`${harmless(file)}\n`);
  say(
    `${counted(filesChanged.length, 'file')} ${dryRun ? 'would go' : 'went'} back, +${insertions} -${deletions} lines\n`,
  );
  for (const link of skippedLinks) say(`left alone, it is a link now: ${harmless(link)}\n`);
  for (const { path, why } of failed) process.stderr.write(`heddle: ${harmless(path)}: ${harmless(why)}\n`);
  if (undoId !== undefined) say(`to take this back: heddle rewind ${sessionId} ${undoId}\n`);
  return failed.length === 0 ? 0 : 1;
}

/** The messages one can go back to, the newest last. */
function listPrompts({ path }: SessionSummary): number {
  for (const item of readTranscript(path).items) {
    if (item.kind !== 'message' || item.message.type !== 'user') continue;
    const text = piecesOf(item.message).flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []));
    if (text.length === 0 || isInterruption(text.join(' '))) continue;
    say(`${item.message.uuid}  ${oneLine(text.join(' ')).slice(0, LONGEST)}\n`);
  }
  return 0;
}

const LONGEST = 60;

function refused(message: string, code = 1): number {
  process.stderr.write(`heddle: ${harmless(message)}\n`);
  return code;
}
