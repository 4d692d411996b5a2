/** A history that exceeds the window is summarised in pieces from the oldest; each begins with the summary of those before. */
import { History } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import type { Spent } from '../../messages/usage.ts';
import { estimateMessages } from '../estimate/message.ts';
import { estimateText } from '../estimate/text.ts';
import type { ToolUseContext } from '../../tools/context.ts';
import { outlineOf } from '../reading/outline.ts';
import { earlierSummary } from './prompt.ts';
import { squeeze } from './squeeze.ts';
import type { Summarise, SummaryAnswer } from './summarise.ts';

export interface SummaryJob {
  readonly messages: History<Message>;
  /** What is kept word for word behind the summary; pieces leave it out. */
  readonly tailFrom: number;
  readonly instruction: string;
  /** Tokens that the messages of a request may have, its instruction not counted. */
  readonly room: number;
  readonly summaryTokens: number;
  readonly summarise: Summarise;
  readonly context: ToolUseContext;
}

export async function summariseHistory(job: SummaryJob): Promise<SummaryAnswer> {
  const room = job.room - estimateText(job.instruction);
  let spent: readonly Spent[] = [];
  if (estimateMessages(job.messages) <= room) {
    const { messages, instruction, summaryTokens: maxTokens, context } = job;
    const whole = await job.summarise({ messages, instruction, maxTokens, context });
    if (whole.ok || whole.class !== 'overflow') return whole;
    // The estimate was wrong about this conversation, so what it says about pieces is halved.
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
    const carried: readonly Message[] = summary === '' ? [] : [carry(summary)];
    const messages = History.of([...carried, ...piece]);
    const answer = await job.summarise({ messages, instruction, maxTokens, context });
    spent.push(...answer.spent);
    if (!answer.ok) return { ...answer, spent };
    summary = answer.text;
  }
  return { ok: true, text: summary, spent };
}

/** The words around a summary that is carried on. */
const CARRY_FRAME = 60;

function carry(summary: string): Message {
  return { type: 'user', uuid: 'carried', at: 0, content: earlierSummary(summary), isMeta: true };
}

/** Cut where no call is torn from its result; what is too long by itself is squeezed. At least one piece. */
function piecesOf(messages: History<Message>, end: number, room: number): readonly (readonly Message[])[] {
  const all = messages.since(0);
  const stops = [...outlineOf(messages).cuts.filter((cut) => cut < end), end];
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
