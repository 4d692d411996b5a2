/**
 * Runs one compaction. The model writes a summary, which is discarded if it frees too little. If the next request must
 * shrink and no summary is available, the reducer makes the history fit.
 */
import {
  type Compacted,
  type CompactionTrigger,
  type ContextReport,
  History,
  type LevelStep,
  type Message,
  type MessageHistory,
  type OverflowCause,
  type Spent,
  type ToolUseContext,
} from '@heddle/core';
import { estimateMessages } from '../estimate/message.ts';
import { estimateText } from '../estimate/text.ts';
import type { ContextOptions } from '../options.ts';
import type { ContextDeps, RereadFiles } from '../deps.ts';
import { readHistory } from '../history/history-reader.ts';
import { beginning } from '../history/result-notes.ts';
import { extractOf, keptRequests, tailFrom, type WorkExtract } from './extract.ts';
import { assembleHistory, fileText } from './handoff.ts';
import { reduce } from './reduce.ts';
import { squeeze, stripMedia } from './squeeze.ts';
import { earlierSummary, summaryInstruction } from './summarize.ts';
import type { Summarize, SummaryAnswer } from '../deps.ts';

interface CompactionJob {
  /** The messages that the next request would contain. */
  readonly messages: History<Message>;
  readonly trigger: CompactionTrigger;
  readonly cause: OverflowCause | undefined;
  readonly instructions: string | undefined;
  readonly context: ToolUseContext;
  /** The most estimated tokens for the messages of a request. */
  readonly room: number;
  /** The same without the reserve for the answer, because the length of a summary is limited. */
  readonly wholeRoom: number;
  /** The request does not fit as it is, so the compaction must produce a result. */
  readonly mustFit: boolean;
  readonly isCompactable: (tool: string) => boolean;
  readonly options: ContextOptions;
  readonly deps: ContextDeps;
}

export type CompactionOutcome =
  | {
      readonly ok: true;
      readonly id: string;
      readonly by: 'summary' | 'reducer' | 'media notes';
      readonly messages: History<Message>;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly spent: readonly Spent[];
    }
  | {
      readonly ok: false;
      readonly why: string;
      readonly nothingToDo: boolean;
      readonly spent: readonly Spent[];
    };

type Made = Pick<Extract<CompactionOutcome, { ok: true }>, 'by' | 'messages'>;

export async function compactHistory(given: CompactionJob): Promise<CompactionOutcome> {
  const tokensBefore = estimateMessages(given.messages);
  const id = given.deps.uuid();
  const done = (made: Made, spent: readonly Spent[]): CompactionOutcome => ({
    ok: true,
    id,
    ...made,
    tokensBefore,
    tokensAfter: estimateMessages(made.messages),
    spent,
  });
  // The API rejected media, so only media are removed. Text stays.
  const stripped = given.cause === 'media' ? stripMedia(given.messages) : undefined;
  if (stripped && estimateMessages(stripped) <= given.room)
    return done({ by: 'media notes', messages: stripped }, []);
  const job = stripped ? { ...given, messages: stripped } : given;
  const summarized = await bySummary(job, id, tokensBefore);
  if (summarized.made) return done({ by: 'summary', messages: summarized.made }, summarized.spent);
  const { spent, why } = summarized;
  const failed = (reason: string): CompactionOutcome => ({
    ok: false,
    why: reason,
    nothingToDo: reason === NOTHING_LEFT,
    spent,
  });
  if (!job.mustFit || job.context.signal.aborted) return failed(why);
  if (!job.options.levels.reducer) return failed(`${why} The reducer is switched off.`);
  const reduced = await byReducer(job, id);
  if (!reduced) return failed('One message is larger than the window by itself.');
  if (estimateMessages(reduced) >= tokensBefore) return failed(NOTHING_LEFT);
  return done({ by: 'reducer', messages: reduced }, spent);
}

/** The conversation is so short that neither a summary nor the reducer could make it smaller. */
export function isTooShort(messages: MessageHistory): boolean {
  return estimateMessages(messages) * (1 - MOST_TAIL) < LEAST_SUMMARIZED;
}

const NOTHING_LEFT = 'There is nothing to leave out.';

interface Summarized {
  readonly made: History<Message> | undefined;
  readonly why: string;
  readonly spent: readonly Spent[];
}

async function bySummary(job: CompactionJob, id: string, tokensBefore: number): Promise<Summarized> {
  const { messages, deps, options, trigger } = job;
  const { compaction } = options;
  const { signal } = job.context;
  const word = await deps.hooks.before({ trigger, instructions: job.instructions }, signal);
  if (word.forbid !== undefined) return { made: undefined, why: word.forbid, spent: [] };

  // The tail must stay a small part of a conversation that is compacted early.
  const tailTokens = Math.min(job.room * compaction.tail, tokensBefore * MOST_TAIL);
  const beforeTail = tailFrom(messages, readHistory(messages), tailTokens);
  const isShort = estimateMessages(messages.since(0).slice(0, beforeTail)) < LEAST_SUMMARIZED;
  // A short conversation is summarized whole if the user asks for it.
  const isAsked = trigger === 'manual' && messages.since(0).some(({ type }) => type === 'assistant');
  if (isShort && !isAsked) return { made: undefined, why: NOTHING_LEFT, spent: [] };
  const from = isShort ? messages.length : beforeTail;
  const summaryTokens = Math.max(
    LEAST_SUMMARY,
    Math.min(compaction.summaryTokens, Math.floor(job.room * MOST_SUMMARY)),
  );
  const instructions = [job.instructions, word.instructions].filter((text) => text !== undefined).join('\n');
  const answer = await summarizeHistory({
    messages,
    tailFrom: from,
    instruction: summaryInstruction(instructions),
    room: Math.max(LEAST_SUMMARIZED, Math.floor(job.wholeRoom * ESTIMATE_MARGIN) - summaryTokens),
    summaryTokens,
    summarize: deps.summarize,
    context: job.context,
  });
  const { spent } = answer;
  if (!answer.ok) return { made: undefined, why: answer.why, spent };

  const next = await buildHandoff(job, id, from, answer.text, tokensBefore);
  const tokensAfter = estimateMessages(next);
  const isHardlySmaller = !isAsked && tokensAfter > tokensBefore * (1 - compaction.leastFreed);
  if (isHardlySmaller || tokensAfter > job.room)
    return { made: undefined, why: 'The compacted conversation was hardly smaller.', spent };
  await deps.hooks.after({ trigger, handoff: answer.text }, signal);
  return { made: History.of(next), why: '', spent };
}

const MOST_TAIL = 0.25;
/** The largest share of a small window that a summary may take. */
const MOST_SUMMARY = 0.1;
const LEAST_SUMMARY = 100;
/** A summary of fewer tokens than this would not be shorter. */
const LEAST_SUMMARIZED = 400;
/** The estimate may be low by this factor. */
const ESTIMATE_MARGIN = 0.97;

async function buildHandoff(
  job: CompactionJob,
  id: string,
  from: number,
  summary: string,
  tokensBefore: number,
): Promise<Message[]> {
  const { deps, options, room, trigger, isCompactable } = job;
  const all = job.messages.since(0);
  const found = extractOf(all.slice(0, from), isCompactable);
  const extract = { ...found, requests: keptRequests(found.requests, room * options.compaction.requests) };
  const parts = {
    id,
    trigger,
    summary,
    extract,
    instructions: await deps.reread.instructions(),
    standing: await deps.reread.standing(),
    tail: all.slice(from),
    tokensBefore,
    stamp: () => ({ uuid: deps.uuid(), at: deps.now() }),
  };
  const bare = estimateMessages(assembleHistory({ ...parts, files: [] }));
  // Files must not take the tokens that the compaction has to free.
  const left = Math.min(
    room * options.compaction.files,
    tokensBefore * (1 - options.compaction.leastFreed) - bare,
  );
  return assembleHistory({ ...parts, files: await filesWithin(job, extract, left) });
}

/** Returns the files that were used last, each cut to its share. */
async function filesWithin(
  job: CompactionJob,
  extract: WorkExtract,
  tokens: number,
): Promise<readonly RereadFiles[]> {
  const { maxFiles } = job.options.compaction;
  if (tokens < LEAST_FILE || maxFiles <= 0) return [];
  const recent = [...extract.read, ...extract.changed, ...job.context.fileState.paths()];
  const paths = [...new Set(recent.toReversed())].slice(0, maxFiles);
  const files: RereadFiles[] = [];
  let left = tokens;
  for (const file of await job.deps.reread.files(paths)) {
    const share = Math.min(left, tokens / maxFiles);
    const text =
      file.text.length > share * 2 ? `${beginning(file.text, Math.floor(share * 2))}\n[…]` : file.text;
    const cost = estimateText(fileText({ path: file.path, text })) + 8;
    if (cost > left) continue;
    files.push({ path: file.path, text });
    left -= cost;
  }
  return files;
}

/** With fewer tokens than this, no file is attached. */
const LEAST_FILE = 200;

/** Stores outputs first. An output that cannot be stored is shown without a path. */
async function byReducer(job: CompactionJob, id: string): Promise<History<Message> | undefined> {
  const { deps, room, options, trigger, isCompactable } = job;
  const lost = new Set<string>();
  const instructions = await deps.reread.instructions();
  const attempt = () =>
    reduce(job.messages, {
      target: room * options.compaction.reduceTo,
      limit: room,
      trigger,
      isCompactable,
      instructions,
      pathOf: (toolUseId) => (lost.has(toolUseId) ? undefined : deps.spills.pathOf(toolUseId)),
      id,
      stamp: () => ({ uuid: deps.uuid(), at: deps.now() }),
    });
  const reduced = attempt();
  if (!reduced) return undefined;
  for (const { toolUseId, text } of reduced.spills)
    if (!(await deps.spills.write(toolUseId, text))) lost.add(toolUseId);
  return lost.size === 0 ? reduced.messages : attempt()?.messages;
}

interface SummaryJob {
  readonly messages: History<Message>;
  /** The start of the tail that stays word for word after the summary. Pieces leave it out. */
  readonly tailFrom: number;
  readonly instruction: string;
  /** The most tokens for the messages of a request, without the instruction. */
  readonly room: number;
  readonly summaryTokens: number;
  readonly summarize: Summarize;
  readonly context: ToolUseContext;
}

async function summarizeHistory(job: SummaryJob): Promise<SummaryAnswer> {
  const room = job.room - estimateText(job.instruction);
  let spent: readonly Spent[] = [];
  if (estimateMessages(job.messages) <= room) {
    const { messages, instruction, summaryTokens: maxTokens, context } = job;
    const whole = await job.summarize({ messages, instruction, maxTokens, context });
    if (whole.ok || whole.class !== 'overflow') return whole;
    // The estimate was too low for this conversation, so pieces get half of the tokens.
    spent = whole.spent;
    return withSpent(await inPieces(job, room / 2), spent);
  }
  const answer = await inPieces(job, room);
  if (answer.ok || answer.class !== 'overflow') return answer;
  return withSpent(await inPieces(job, room / 2), answer.spent);
}

async function inPieces(job: SummaryJob, room: number): Promise<SummaryAnswer> {
  const { summaryTokens: maxTokens, instruction, context } = job;
  const spent: Spent[] = [];
  let summary = '';
  for (const piece of piecesOf(job.messages, job.tailFrom, room - maxTokens - CARRY_FRAME)) {
    const carried: readonly Message[] = summary === '' ? [] : [summaryMessage(summary)];
    const messages = History.of([...carried, ...piece]);
    const answer = await job.summarize({ messages, instruction, maxTokens, context });
    spent.push(...answer.spent);
    if (!answer.ok) return { ...answer, spent };
    summary = answer.text;
  }
  return { ok: true, text: summary, spent };
}

/** Tokens of the text around a summary that is carried to the next piece. */
const CARRY_FRAME = 60;

function summaryMessage(summary: string): Message {
  return { type: 'user', uuid: 'carried', at: 0, content: earlierSummary(summary), isMeta: true };
}

/** Cuts the messages without separating a call from its result, and squeezes long segments. Returns at least one piece. */
function piecesOf(messages: History<Message>, end: number, room: number): readonly (readonly Message[])[] {
  const all = messages.since(0);
  const stops = [...readHistory(messages).cuts.filter((cut) => cut < end), end];
  const pieces: (readonly Message[])[] = [];
  let piece: Message[] = [];
  let [from, size] = [0, 0];
  for (const stop of stops) {
    const segment = squeeze(all.slice(from, stop), room);
    const tokens = estimateMessages(segment);
    if (piece.length > 0 && size + tokens > room) {
      pieces.push(piece);
      [piece, size] = [[], 0];
    }
    piece.push(...segment);
    size += tokens;
    from = stop;
  }
  return piece.length > 0 || pieces.length === 0 ? [...pieces, piece] : pieces;
}

function withSpent(answer: SummaryAnswer, before: readonly Spent[]): SummaryAnswer {
  return { ...answer, spent: [...before, ...answer.spent] };
}

const LEVELS = {
  auto: 'autocompact',
  manual: 'manual_compact',
  reactive: 'reactive_compact',
} as const satisfies Record<CompactionTrigger, ContextReport['level']>;

/** Counts the tokens of a request with this conversation as exactly as possible. */
export type CountTokens = (messages: MessageHistory) => number;

/** `before` is the size of a request with the conversation before the compaction. */
export function compactionStep(
  outcome: CompactionOutcome,
  trigger: CompactionTrigger,
  before: number,
  count: CountTokens,
): LevelStep {
  const { spent } = outcome;
  const report = reportOf(outcome, trigger, before, count);
  return outcome.ok ? { report, spent, messages: outcome.messages.since(0) } : { report, spent };
}

export function compactedOf(
  outcome: CompactionOutcome,
  trigger: CompactionTrigger,
  before: number,
  count: CountTokens,
): Compacted {
  const { spent } = outcome;
  const report = reportOf(outcome, trigger, before, count);
  if (!outcome.ok) return { ok: false, why: outcome.why, nothingToDo: outcome.nothingToDo, spent, report };
  const { id, messages } = outcome;
  return { ok: true, id, messages, replacedTokens: replacedBy(outcome), report, spent };
}

export function replacedBy({ tokensBefore, tokensAfter }: Extract<CompactionOutcome, { ok: true }>): number {
  return Math.max(0, tokensBefore - tokensAfter);
}

function reportOf(
  outcome: CompactionOutcome,
  trigger: CompactionTrigger,
  before: number,
  count: CountTokens,
): ContextReport {
  const level = LEVELS[trigger];
  if (!outcome.ok) {
    const details = { trigger, failed: outcome.why };
    return { level, tokensBefore: before, tokensAfter: before, rewrotePrefix: false, details };
  }
  const { id, by, spent } = outcome;
  return {
    level,
    tokensBefore: before,
    tokensAfter: count(outcome.messages),
    rewrotePrefix: true,
    details: { trigger, id, by, calls: spent.length },
  };
}
