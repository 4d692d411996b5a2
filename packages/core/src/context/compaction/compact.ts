/**
 * One compaction, whoever asked for it: the summary by the model, checked against the extract; thrown away if it frees too
 * little; and where the conversation could not go on without one, the reducer.
 */
import type { CompactionTrigger } from '../report.ts';
import type { ToolUseContext } from '../../tools/context.ts';
import type { OverflowCause } from '../../machine/effect.ts';
import { History } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import type { Spent } from '../../messages/usage.ts';
import type { ContextDoors, ReadAgain } from '../outside.ts';
import { estimateMessages } from '../estimate/message.ts';
import { estimateText } from '../estimate/text.ts';
import type { ContextOptions } from '../options.ts';
import { outlineOf } from '../reading/outline.ts';
import { beginning } from '../reading/shorten.ts';
import { assemble, fileText } from './assemble.ts';
import { extractOf, type WorkExtract } from './extract.ts';
import { keptRequests } from './requests.ts';
import { summariseHistory } from './pieces.ts';
import { summaryInstruction } from './prompt.ts';
import { reduce } from './reduce.ts';
import { stripMedia } from './squeeze.ts';
import { tailFrom } from './tail.ts';

export interface CompactionJob {
  /** What would be sent. */
  readonly messages: History<Message>;
  readonly trigger: CompactionTrigger;
  readonly cause: OverflowCause | undefined;
  readonly instructions: string | undefined;
  readonly context: ToolUseContext;
  /** Tokens, in units of the estimate, that the messages of a request may have. */
  readonly room: number;
  /** The same with nothing reserved: a summary is short, and knows how long it may be. */
  readonly wholeRoom: number;
  /** The request would not fit as it is: there must be an outcome. */
  readonly mustFit: boolean;
  readonly isCompactable: (tool: string) => boolean;
  readonly options: ContextOptions;
  readonly doors: ContextDoors;
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

export async function compact(given: CompactionJob): Promise<CompactionOutcome> {
  const tokensBefore = estimateMessages(given.messages);
  const id = given.doors.uuid();
  const done = (made: Made, spent: readonly Spent[]): CompactionOutcome => ({
    ok: true,
    id,
    ...made,
    tokensBefore,
    tokensAfter: estimateMessages(made.messages),
    spent,
  });
  // What the API could not take are the media: words are not to blame, and stay.
  const stripped = given.cause === 'media' ? stripMedia(given.messages) : undefined;
  if (stripped && estimateMessages(stripped) <= given.room)
    return done({ by: 'media notes', messages: stripped }, []);
  const job = stripped ? { ...given, messages: stripped } : given;
  const summarised = await bySummary(job, id, tokensBefore);
  if (summarised.made) return done({ by: 'summary', messages: summarised.made }, summarised.spent);
  const { spent, why } = summarised;
  const failed = (said: string): CompactionOutcome => ({
    ok: false,
    why: said,
    nothingToDo: said === NOTHING_LEFT,
    spent,
  });
  if (!job.mustFit || job.context.signal.aborted) return failed(why);
  if (!job.options.levels.reducer) return failed(`${why} The reducer is switched off.`);
  const reduced = await byReducer(job, id);
  if (!reduced) return failed('One message is larger than the window by itself.');
  if (estimateMessages(reduced) >= tokensBefore) return failed(NOTHING_LEFT);
  return done({ by: 'reducer', messages: reduced }, spent);
}

const NOTHING_LEFT = 'There is nothing to leave out.';

interface Summarised {
  readonly made: History<Message> | undefined;
  readonly why: string;
  readonly spent: readonly Spent[];
}

async function bySummary(job: CompactionJob, id: string, tokensBefore: number): Promise<Summarised> {
  const { messages, doors, options, trigger } = job;
  const { compaction } = options;
  const { signal } = job.context;
  const word = await doors.hooks.before({ trigger, instructions: job.instructions }, signal);
  if (word.forbid !== undefined) return { made: undefined, why: word.forbid, spent: [] };

  // A conversation that is compacted early must not be all tail.
  const tailTokens = Math.min(job.room * compaction.tail, tokensBefore * MOST_TAIL);
  const beforeTail = tailFrom(messages, outlineOf(messages), tailTokens);
  const isShort = estimateMessages(messages.since(0).slice(0, beforeTail)) < LEAST_SUMMARISED;
  // A user who asks for it gets it: a short conversation is summarised whole.
  const isAsked = trigger === 'manual' && messages.since(0).some(({ type }) => type === 'assistant');
  if (isShort && !isAsked) return { made: undefined, why: NOTHING_LEFT, spent: [] };
  const from = isShort ? messages.length : beforeTail;
  const summaryTokens = Math.max(
    LEAST_SUMMARY,
    Math.min(compaction.summaryTokens, Math.floor(job.room * MOST_SUMMARY)),
  );
  const instructions = [job.instructions, word.instructions].filter((text) => text !== undefined).join('\n');
  const answer = await summariseHistory({
    messages,
    tailFrom: from,
    instruction: summaryInstruction(instructions),
    room: Math.max(LEAST_SUMMARISED, Math.floor(job.wholeRoom * ESTIMATE_MARGIN) - summaryTokens),
    summaryTokens,
    summarise: doors.summarise,
    context: job.context,
  });
  const { spent } = answer;
  if (!answer.ok) return { made: undefined, why: answer.why, spent };

  const next = await handOver(job, id, from, answer.text, tokensBefore);
  const tokensAfter = estimateMessages(next);
  const isHardlySmaller = !isAsked && tokensAfter > tokensBefore * (1 - compaction.leastFreed);
  if (isHardlySmaller || tokensAfter > job.room)
    return { made: undefined, why: 'The compacted conversation was hardly smaller.', spent };
  await doors.hooks.after({ trigger, handOver: answer.text }, signal);
  return { made: History.of(next), why: '', spent };
}

const MOST_TAIL = 0.25;
/** Of a small window, the summary may take no more than this share. */
const MOST_SUMMARY = 0.1;
const LEAST_SUMMARY = 100;
/** Tokens of which a summary would not be shorter. */
const LEAST_SUMMARISED = 400;
/** The estimate may be low by so much. */
const ESTIMATE_MARGIN = 0.97;

async function handOver(
  job: CompactionJob,
  id: string,
  from: number,
  summary: string,
  tokensBefore: number,
): Promise<Message[]> {
  const { doors, options, room, trigger, isCompactable } = job;
  const all = job.messages.since(0);
  const found = extractOf(all.slice(0, from), isCompactable);
  const extract = { ...found, requests: keptRequests(found.requests, room * options.compaction.requests) };
  const parts = {
    id,
    trigger,
    summary,
    extract,
    instructions: await doors.reread.instructions(),
    standing: await doors.reread.standing(),
    tail: all.slice(from),
    tokensBefore,
    stamp: () => ({ uuid: doors.uuid(), at: doors.now() }),
  };
  const bare = estimateMessages(assemble({ ...parts, files: [] }));
  // Files may take what they are allowed, but not what the compaction has to free.
  const left = Math.min(
    room * options.compaction.files,
    tokensBefore * (1 - options.compaction.leastFreed) - bare,
  );
  return assemble({ ...parts, files: await filesWithin(job, extract, left) });
}

/** Those that were read last, each cut to its share. */
async function filesWithin(
  job: CompactionJob,
  extract: WorkExtract,
  tokens: number,
): Promise<readonly ReadAgain[]> {
  const { maxFiles } = job.options.compaction;
  if (tokens < LEAST_FILE || maxFiles <= 0) return [];
  const recent = [...extract.read, ...extract.changed, ...job.context.fileState.paths()];
  const paths = [...new Set(recent.toReversed())].slice(0, maxFiles);
  const files: ReadAgain[] = [];
  let left = tokens;
  for (const file of await job.doors.reread.files(paths)) {
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

/** Below this, a file is not worth its frame. */
const LEAST_FILE = 200;

/** Outputs are stored first; one that cannot be stored is shown without a place. */
async function byReducer(job: CompactionJob, id: string): Promise<History<Message> | undefined> {
  const { doors, room, options, trigger, isCompactable } = job;
  const lost = new Set<string>();
  const instructions = await doors.reread.instructions();
  const attempt = () =>
    reduce(job.messages, {
      target: room * options.compaction.reduceTo,
      limit: room,
      trigger,
      isCompactable,
      instructions,
      pathOf: (toolUseId) => (lost.has(toolUseId) ? undefined : doors.spills.pathOf(toolUseId)),
      id,
      stamp: () => ({ uuid: doors.uuid(), at: doors.now() }),
    });
  const reduced = attempt();
  if (!reduced) return undefined;
  for (const { toolUseId, text } of reduced.spills)
    if (!(await doors.spills.write(toolUseId, text))) lost.add(toolUseId);
  return lost.size === 0 ? reduced.messages : attempt()?.messages;
}
