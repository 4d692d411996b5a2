/**
 * Which stretches of work are finished, and what is left to say of each. A stretch is a row of rounds in which the model only
 * looked at things (reads, listings, searches, commands that went well), followed by a round in which it did something with
 * what it had seen, or by the user's next words. No model is asked: the summary names what was looked at and what came of it.
 */
import type { ToolUseBlock } from '../../messages/blocks.ts';
import type { History } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import { estimateMessage } from '../estimate/message.ts';
import { estimateText } from '../estimate/text.ts';
import type { CollapseOptions } from '../options.ts';
import type { Outline, PlacedResult } from '../reading/outline.ts';
import { blocksOf, callsIn, requestText, resultText } from '../reading/read.ts';
import { beginning } from '../reading/shorten.ts';
import type { Collapse } from './collapse.ts';

export interface StageRequest {
  readonly options: CollapseOptions;
  readonly isCompactable: (tool: string) => boolean;
  readonly stamp: () => { readonly uuid: string; readonly at: number };
  /** First messages of stretches that are staged or committed already. */
  readonly known: ReadonlySet<string>;
  /** Where the open stretch begins, and the first round that was not looked at yet. */
  readonly fromRound: number;
  readonly seenRounds: number;
}

export interface Staging {
  readonly staged: readonly Collapse[];
  /** Where the next staging goes on: stretches before `nextRound` are settled. */
  readonly nextRound: number;
  readonly seenRounds: number;
}

export function stage(messages: History<Message>, outline: Outline, request: StageRequest): Staging {
  const end = outline.rounds.length - request.options.keepRounds;
  const staged: Collapse[] = [];
  let start = Math.max(1, request.fromRound);
  let nextRound = start;
  for (let round = Math.max(start, request.seenRounds); round < end; round++) {
    if (isLooking(messages, outline, round, request)) continue;
    addStretch(staged, messages, outline, start, round, request);
    start = round + 1;
    nextRound = start;
  }
  return { staged, nextRound, seenRounds: Math.max(request.seenRounds, end) };
}

function addStretch(
  staged: Collapse[],
  messages: History<Message>,
  outline: Outline,
  start: number,
  end: number,
  { options, stamp, known }: StageRequest,
): void {
  if (end - start < options.minRounds) return;
  const [first, last] = [outline.rounds[start]?.from ?? 0, (outline.rounds[end]?.from ?? 0) - 1];
  const from = messages.at(first)?.uuid;
  const to = messages.at(last)?.uuid;
  if (from === undefined || to === undefined || known.has(from)) return;
  let tokensBefore = 0;
  for (let index = first; index <= last; index++) tokensBefore += tokensAt(messages, index);
  if (tokensBefore < options.minTokens) return;
  const summary = summaryOf(messages, outline, first, last, end - start);
  const tokensAfter = estimateText(summary) + 4;
  if (tokensAfter * 2 > tokensBefore) return;
  const { uuid, at } = stamp();
  staged.push({ id: uuid, from, to, summary, tokensBefore, tokensAfter, at });
}

function tokensAt(messages: History<Message>, index: number): number {
  const message = messages.at(index);
  return message ? estimateMessage(message) : 0;
}

/** Every call of the round looked, went well, and the user said nothing. */
function isLooking(
  messages: History<Message>,
  { rounds }: Outline,
  round: number,
  { isCompactable }: StageRequest,
): boolean {
  const [from, to] = [rounds[round]?.from ?? 0, rounds[round + 1]?.from ?? messages.length];
  if (!rounds[round] || rounds[round].open.size > 0) return false;
  let calls = 0;
  for (let index = from; index < to; index++) {
    const message = messages.at(index);
    if (!message) continue;
    if (requestText(message) !== undefined) return false;
    for (const call of callsIn(message)) {
      calls++;
      if (!isCompactable(call.name)) return false;
    }
    if (blocksOf(message).some((block) => block.type === 'tool_result' && block.is_error === true))
      return false;
  }
  return calls > 0;
}

/** Characters of what the model said, of an input and of an output that are kept. */
const SAID = 300;
const ASKED = 120;
const CAME = 100;

function summaryOf(
  messages: History<Message>,
  outline: Outline,
  first: number,
  last: number,
  rounds: number,
): string {
  const results = new Map<string, PlacedResult['result']>();
  for (const { result, message } of outline.results)
    if (message >= first && message <= last) results.set(result.tool_use_id, result);
  const lines: string[] = [];
  for (let index = first; index <= last; index++) {
    const message = messages.at(index);
    if (message?.type !== 'assistant') continue;
    for (const block of blocksOf(message)) {
      if (block.type === 'text') lines.push(`- You said: ${oneLine(block.text, SAID)}`);
      else if (block.type === 'tool_use') lines.push(`- ${callLine(block, results.get(block.id))}`);
    }
  }
  return `[${rounds} finished steps are shown in short. Call the tools again if you need their output.]\n${lines.join('\n')}`;
}

function callLine(call: ToolUseBlock, result: PlacedResult['result'] | undefined): string {
  const output = result ? resultText(result) : '';
  return `${call.name} ${oneLine(JSON.stringify(call.input), ASKED)} → ${output.length} characters: ${oneLine(output, CAME)}`;
}

function oneLine(words: string, length: number): string {
  const line = words.replaceAll(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${beginning(line, length)}…`;
}
