/** Stages, commits and projects collapses for one conversation. Staged collapses are in memory, committed ones are stored. */
import { type ContextReport, History, type Message, type ToolUseBlock } from '@heddle/core';
import { estimateMessage } from '../estimate/message.ts';
import { estimateText } from '../estimate/text.ts';
import type { CollapseOptions } from '../options.ts';
import type { HistoryReader, PlacedResult } from '../history/history-reader.ts';
import { decodeMessage, requestText, resultText } from '../history/decode-message.ts';
import { beginning } from '../history/result-notes.ts';
import { CollapseProjector } from './collapse.ts';
import type { Collapse, CollapseStore } from '../deps.ts';

interface CollapserSetup {
  readonly store: CollapseStore;
  readonly options: CollapseOptions;
  readonly stamp: () => { readonly uuid: string; readonly at: number };
}

export class Collapser {
  readonly #setup: CollapserSetup;
  readonly #projector = new CollapseProjector();
  #staged: readonly Collapse[] = [];
  /** The rounds of this history that were already examined for staging. */
  #nextRound = 0;
  #seenRounds = 0;
  #source = History.of<Message>([]);

  constructor(setup: CollapserSetup) {
    this.#setup = setup;
  }

  get staged(): number {
    return this.#staged.length;
  }

  view(messages: History<Message>): History<Message> {
    return this.#projector.view(messages, this.#setup.store.committed());
  }

  /** Follows the history. Stages finished stretches of work only if `mayStage`: the loop decides when that is. */
  stage(
    messages: History<Message>,
    reader: HistoryReader,
    isCompactable: (tool: string) => boolean,
    mayStage: boolean,
  ): void {
    if (!messages.extends(this.#source)) this.forgetStaged();
    this.#source = messages;
    if (!mayStage) return;
    const { options, stamp, store } = this.#setup;
    const known = new Set([...this.#staged, ...store.committed()].map(({ from }) => from));
    const found = stageCollapse(messages, reader, {
      options,
      stamp,
      isCompactable,
      known,
      fromRound: this.#nextRound,
      seenRounds: this.#seenRounds,
    });
    this.#nextRound = found.nextRound;
    this.#seenRounds = found.seenRounds;
    if (found.staged.length > 0) this.#staged = [...this.#staged, ...found.staged];
  }

  /**
   * Commits the oldest staged collapses, at most `count`. They are stored before they are used and reported, so a resumed
   * session has the same view. If they cannot be stored, they stay staged.
   */
  async commit(
    count: number,
    level: 'collapse' | 'drain',
    tokens: number,
  ): Promise<{ readonly committed: number; readonly report: ContextReport | undefined }> {
    const chosen = this.#staged.slice(0, count);
    if (chosen.length === 0) return { committed: 0, report: undefined };
    if (!(await this.#setup.store.save([...this.#inUse(), ...chosen])))
      return { committed: 0, report: undefined };
    const isCommitted = new Set(chosen);
    this.#staged = this.#staged.filter((collapse) => !isCommitted.has(collapse));
    const freed = chosen.reduce((sum, { tokensBefore, tokensAfter }) => sum + tokensBefore - tokensAfter, 0);
    const report: ContextReport = {
      level,
      tokensBefore: tokens,
      tokensAfter: tokens - freed,
      rewrotePrefix: true,
      details: { collapses: chosen.map(({ id }) => id) },
    };
    return { committed: chosen.length, report };
  }

  /**
   * Committed collapses whose messages exist. A compaction or a rewind removes messages. Their collapses stay until the
   * next commit, because the change may be aborted or undone.
   */
  #inUse(): readonly Collapse[] {
    const known = new Set<string>();
    for (let index = 0; index < this.#source.length; index++) known.add(this.#source.at(index)?.uuid ?? '');
    return this.#setup.store.committed().filter(({ from, to }) => known.has(from) && known.has(to));
  }

  /** Staged collapses are computed again when the loop allows it. */
  forgetStaged(): void {
    this.#staged = [];
    this.#nextRound = 0;
    this.#seenRounds = 0;
  }
}

// Staging finds finished stretches of work. A stretch is a series of rounds in which the model only looked at things: reads,
// listings, searches, successful commands. It ends with a round that used the findings, or with the user's next message.
// The summary lists the calls and the beginnings of their results; no model is called.

interface StageRequest {
  readonly options: CollapseOptions;
  readonly isCompactable: (tool: string) => boolean;
  readonly stamp: () => { readonly uuid: string; readonly at: number };
  /** The first messages of stretches that are already staged or committed. */
  readonly known: ReadonlySet<string>;
  /** The round at which the open stretch begins, and the first round that was not examined yet. */
  readonly fromRound: number;
  readonly seenRounds: number;
}

interface StagedCollapse {
  readonly staged: readonly Collapse[];
  /** The next staging starts here: stretches before `nextRound` are settled. */
  readonly nextRound: number;
  readonly seenRounds: number;
}

export function stageCollapse(
  messages: History<Message>,
  reader: HistoryReader,
  request: StageRequest,
): StagedCollapse {
  const end = reader.rounds.length - request.options.keepRounds;
  const staged: Collapse[] = [];
  let start = Math.max(1, request.fromRound);
  let nextRound = start;
  for (let round = Math.max(start, request.seenRounds); round < end; round++) {
    if (isLooking(messages, reader, round, request)) continue;
    addStretch(staged, messages, reader, start, round, request);
    start = round + 1;
    nextRound = start;
  }
  return { staged, nextRound, seenRounds: Math.max(request.seenRounds, end) };
}

function addStretch(
  staged: Collapse[],
  messages: History<Message>,
  reader: HistoryReader,
  start: number,
  end: number,
  { options, stamp, known }: StageRequest,
): void {
  if (end - start < options.minRounds) return;
  const [first, last] = [reader.rounds[start]?.from ?? 0, (reader.rounds[end]?.from ?? 0) - 1];
  const from = messages.at(first)?.uuid;
  const to = messages.at(last)?.uuid;
  if (from === undefined || to === undefined || known.has(from)) return;
  let tokensBefore = 0;
  for (let index = first; index <= last; index++) tokensBefore += tokensAt(messages, index);
  if (tokensBefore < options.minTokens) return;
  const summary = summaryOf(messages, reader, first, last, end - start);
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
  { rounds }: HistoryReader,
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
    for (const call of decodeMessage(message).calls) {
      calls++;
      if (!isCompactable(call.name)) return false;
    }
    if (
      decodeMessage(message).blocks.some((block) => block.type === 'tool_result' && block.is_error === true)
    )
      return false;
  }
  return calls > 0;
}

/** The characters that a summary keeps of a text of the model, of an input and of an output. */
const SAID = 300;
const ASKED = 120;
const CAME = 100;

function summaryOf(
  messages: History<Message>,
  reader: HistoryReader,
  first: number,
  last: number,
  rounds: number,
): string {
  const results = new Map<string, PlacedResult['result']>();
  for (const { result, message } of reader.results)
    if (message >= first && message <= last) results.set(result.tool_use_id, result);
  const lines: string[] = [];
  for (let index = first; index <= last; index++) {
    const message = messages.at(index);
    if (message?.type !== 'assistant') continue;
    for (const block of decodeMessage(message).blocks) {
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
