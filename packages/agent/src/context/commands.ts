/** `/compact` and its undoing, as the engine will offer them. Between two prompts, never while one runs. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  type ContextPipeline,
  type ContextReport,
  type EntryBody,
  historyBeforeCompaction,
  type ToolUseContext,
} from '@heddle/core';
import { createBlobs } from '../session/files/blobs.ts';
import { decode } from '../session/codec/decode.ts';
import type { MemoryJournal } from '../session/journal/journal.ts';
import { LineFile, wholeLines } from '../session/files/lines.ts';
import type { Session } from '../session/open/open.ts';

export interface CommandSetup {
  readonly session: Session;
  /** Stores an entry and applies it to the session's projection. */
  readonly store: (body: EntryBody) => void;
}

export type CommandOutcome<T> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly message: string };

/** Replaces the conversation by a hand-over on the user's word. One record: a crash leaves the old one in force. */
export async function compactSession(
  { session, store }: CommandSetup,
  door: ContextPipeline,
  context: ToolUseContext,
  instructions?: string,
): Promise<CommandOutcome<{ readonly report: ContextReport }>> {
  const { messages } = session.projection;
  const asked = instructions?.trim() ? { instructions: instructions.trim() } : {};
  const compacted = await door.compactNow({ messages, context, ...asked });
  for (const { model, usage } of compacted.spent ?? []) store({ type: 'spent', model, usage });
  if (!compacted.ok) return { ok: false, message: `The conversation was not compacted: ${compacted.why}` };
  store({ type: 'context', report: compacted.report, messages: compacted.messages.since(0) });
  return { ok: true, report: compacted.report };
}

/** Puts back what the last compaction replaced; what came after it stays. */
export function undoCompaction({
  session,
  store,
}: CommandSetup): CommandOutcome<{ readonly messages: number }> {
  const messages = historyBeforeCompaction(entriesOf(session));
  const last = messages?.at(-1);
  if (!messages || !last) return { ok: false, message: 'There is no compaction to take back.' };
  store({ type: 'rewind', to: last.uuid, messages });
  return { ok: true, messages: messages.length };
}

/** All that the log holds, from its first line. */
function entriesOf({ journal }: Session): readonly EntryBody[] {
  if (journal.path === undefined) return isMemory(journal) ? journal.entries : [];
  if (!existsSync(journal.path)) return [];
  const blobs = createBlobs(path.join(path.dirname(journal.path), 'blobs'), false);
  const file = new LineFile(journal.path);
  try {
    return [...wholeLines(file.read(0, file.size))].flatMap((line) => {
      const decoded = decode(line, blobs);
      return decoded.kind === 'entry' ? [decoded.entry] : [];
    });
  } finally {
    file.close();
  }
}

function isMemory(journal: Session['journal']): journal is MemoryJournal {
  return 'entries' in journal;
}
