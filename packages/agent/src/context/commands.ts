/** `/compact` and its undo. They run between two prompts, never during one. */
import { existsSync } from 'node:fs';
import type { ContextPipeline } from '@heddle/context';
import {
  type Clock,
  type CompactionLineage,
  type ContentBlock,
  type ContextReport,
  type EntryBody,
  type History,
  historyBeforeCompaction,
  type LoopEvent,
  type Message,
  text,
  type ToolUseContext,
  untilAborted,
  withLineage,
} from '@heddle/core';
import { decodedLines } from '../session/codec/read-lines.ts';
import { createBlobs } from '../session/files/blobs.ts';
import { blobsBeside } from '../session/files/session-files.ts';
import type { MemoryJournal } from '../session/journal/journal.ts';
import type { Session } from '../session/open/open.ts';

export type CommandOutcome<T> = ({ readonly ok: true } & T) | CommandFailure;

export interface CommandFailure {
  readonly ok: false;
  readonly reason: 'nothing to do' | 'busy' | 'aborted' | 'failed';
  readonly message: string;
}

export type CompactOutcome = CommandOutcome<{ readonly report: ContextReport }>;

export interface CompactSetup {
  readonly messages: History<Message>;
  readonly port: ContextPipeline;
  readonly context: ToolUseContext;
  readonly clock: Clock;
  /** The compactions before this one. */
  readonly lineage: CompactionLineage;
  /** Why the user may not compact now. */
  readonly forbidden: string | undefined;
}

/** Returns the user's text after `/compact`, if the prompt is that command. */
export function compactCommand(content: string | readonly ContentBlock[]): string | undefined {
  const command = /^\/compact(?<words>$|\s[^]*)/.exec(onlyText(content) ?? '');
  return command?.groups?.['words']?.trim();
}

/** `/continue` continues the prompt that was cut off. */
export function isContinueCommand(content: string | readonly ContentBlock[]): boolean {
  return onlyText(content) === '/continue';
}

function onlyText(content: string | readonly ContentBlock[]): string | undefined {
  const [only, ...others] = typeof content === 'string' ? [text(content)] : content;
  return only?.type === 'text' && others.length === 0 ? only.text.trim() : undefined;
}

/**
 * Replaces the conversation by a summary when the user asks for it. It is one record, so the old history stays valid
 * after a crash.
 */
export async function* compactOnDemand(
  { messages, port, context, clock, lineage, forbidden }: CompactSetup,
  instructions = '',
): AsyncGenerator<LoopEvent, CompactOutcome> {
  if (forbidden !== undefined) return { ok: false, reason: 'failed', message: forbidden };
  yield { type: 'compacting', trigger: 'manual' };
  const asked = instructions.trim() === '' ? {} : { instructions: instructions.trim() };
  const compacted = await untilAborted(
    port.compactNow({ messages, context, ...asked }),
    context.signal,
    async (over) => {
      await clock.sleep(GRACE_MS, over);
      return undefined;
    },
  );
  for (const { model, usage } of compacted?.spent ?? []) yield { type: 'spent', model, usage };
  // An abort during the last tokens still counts, because nothing was replaced yet.
  if (!compacted || context.signal.aborted)
    return {
      ok: false,
      reason: 'aborted',
      message: 'The compaction was interrupted; the conversation is as it was.',
    };
  const report = compacted.report && withLineage(compacted.report, lineage);
  if (!compacted.ok) {
    if (report) yield { type: 'context', report };
    const reason = compacted.nothingToDo === true ? 'nothing to do' : 'failed';
    return { ok: false, reason, message: `The conversation was not compacted: ${compacted.why}` };
  }
  const traced = withLineage(compacted.report, lineage);
  yield { type: 'context', report: traced, messages: compacted.messages.since(0) };
  return { ok: true, report: traced };
}

export const COMPACTION_FORBIDDEN = 'Compaction is switched off. Unset DISABLE_COMPACT to use it.';

/** The time for a hook or a slow port to settle after an abort. */
const GRACE_MS = 500;

/** Restores the messages that the last compaction replaced. Later messages stay. */
export function undoCompaction(
  session: Session,
  store: (body: EntryBody) => void,
): CommandOutcome<{ readonly messages: number }> {
  const messages = historyBeforeCompaction(entriesOf(session));
  const last = messages?.at(-1);
  if (!messages || !last)
    return { ok: false, reason: 'nothing to do', message: 'There is no compaction to undo.' };
  store({ type: 'rewind', to: last.uuid, messages });
  return { ok: true, messages: messages.length };
}

/** Returns all entries of the log, from its first line. */
function entriesOf({ journal }: Session): readonly EntryBody[] {
  if (journal.path === undefined) return isMemory(journal) ? journal.entries : [];
  if (!existsSync(journal.path)) return [];
  const blobs = createBlobs(blobsBeside(journal.path), false);
  return [...decodedLines(journal.path, blobs)].flatMap((decoded) =>
    decoded.kind === 'entry' ? [decoded.entry] : [],
  );
}

function isMemory(journal: Session['journal']): journal is MemoryJournal {
  return 'entries' in journal;
}
