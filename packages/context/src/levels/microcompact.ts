/** Levels 1 and 3 with their memory: the results that were checked against the budget, and those that were replaced. */
import { History, type Message, type ToolResultBlock, type ToolUseContext } from '@heddle/core';
import { estimateBlock, estimateMessage } from '../estimate/message.ts';
import { type ContextDeps, type LevelResult, untouched } from '../deps.ts';
import { oversized, spillResults } from './result-budget.ts';
import type { ContextOptions, MicrocompactOptions } from '../options.ts';
import type { HistoryReader, PlacedResult } from '../history/history-reader.ts';
import { resultText, withResults } from '../history/decode-message.ts';
import { isRemoved, removedResult } from '../history/result-notes.ts';

/** The most characters of a result of an unknown tool. */
const USUAL_LIMIT = 100_000;

export class Results {
  readonly #options: ContextOptions;
  readonly #deps: Pick<ContextDeps, 'spills' | 'now'>;
  /** Rounds of this history whose results were checked. The last one may still have been growing. */
  #lookedAt = 0;
  #source = History.of<Message>([]);
  readonly #decided = new Map<string, ToolResultBlock>();
  /** The round of the last replacement. The start value never delays the first one. */
  #replacedIn = Number.NEGATIVE_INFINITY;

  constructor(options: ContextOptions, deps: Pick<ContextDeps, 'spills' | 'now'>) {
    this.#options = options;
    this.#deps = deps;
  }

  async budget(
    messages: History<Message>,
    reader: HistoryReader,
    context: ToolUseContext,
  ): Promise<LevelResult> {
    if (!this.#options.levels.resultBudget) return untouched(messages);
    const { resultBudget } = this.#options;
    const limits = new Map(context.tools.map((tool) => [tool.name, tool.maxResultSize]));
    const limitOf = (tool: string | undefined): number => limits.get(tool ?? '') ?? USUAL_LIMIT;
    const fromRound = messages.extends(this.#source) ? this.#lookedAt : 0;
    const spills = oversized(reader, { ...resultBudget, limitOf }, fromRound);
    const stored = new Map<string, string | undefined>();
    for (const { toolUseId, text } of spills) {
      const isStored = await this.#deps.spills.write(toolUseId, text);
      stored.set(toolUseId, isStored ? this.#deps.spills.pathOf(toolUseId) : undefined);
    }
    const result = spillResults(messages, stored, resultBudget);
    this.#lookedAt = reader.rounds.length - 1;
    this.#source = result.messages;
    return result;
  }

  microcompact(
    messages: History<Message>,
    reader: HistoryReader,
    about: {
      readonly tokens: number;
      readonly over: number;
      readonly isCompactable: (tool: string) => boolean;
    },
  ): LevelResult {
    const { levels, microcompact: options } = this.#options;
    if (!levels.microcompact || levels.cachedMicrocompact) return untouched(messages);
    const round = reader.rounds.length;
    const result = microcompact(messages, reader, {
      ...about,
      options,
      decided: this.#decided,
      roundsSince: round - this.#replacedIn,
      isCold: this.#isCold(messages, options.coldAfterMs),
    });
    for (const [id, note] of result.decided) this.#decided.set(id, note);
    if (result.report) this.#replacedIn = round;
    return result;
  }

  /** Restarts the count of rounds after a compaction. */
  forgetRounds(): void {
    this.#replacedIn = Number.NEGATIVE_INFINITY;
    this.#lookedAt = 0;
  }

  #isCold(messages: History<Message>, after: number): boolean {
    // The newest message is the new prompt. The one before it shows the time of the last request.
    const last = messages.at(messages.length - 2)?.at;
    return last !== undefined && this.#deps.now() - last > after;
  }
}

// Level 3: old, bulky results of tools that can be asked again are replaced by a note. Each is decided once and for all, so
// that it is never sent in a third form; and many at a time, because each replacement costs the cached prefix.

export interface MicrocompactRequest {
  readonly tokens: number;
  readonly over: number;
  readonly options: MicrocompactOptions;
  readonly isCompactable: (tool: string) => boolean;
  /** Earlier decisions, by id. */
  readonly decided: ReadonlyMap<string, ToolResultBlock>;
  /** Rounds since the last replacement. `isCold`: the cache has expired. */
  readonly roundsSince: number;
  readonly isCold: boolean;
}

interface MicrocompactResult extends LevelResult {
  /** The decisions of this step, for later steps. */
  readonly decided: ReadonlyMap<string, ToolResultBlock>;
}

export function microcompact(
  messages: History<Message>,
  reader: HistoryReader,
  request: MicrocompactRequest,
): MicrocompactResult {
  const { decided } = request;
  const notes = new Map([...again(reader, decided), ...fresh(reader, request)]);
  if (notes.size === 0) return { ...untouched(messages), decided: NONE };
  const replaced: Message[] = [];
  let freed = 0;
  const next = [...messages].map((message): Message => {
    const noted = withResults(message, (result) => notes.get(result.tool_use_id) ?? result);
    if (noted === message) return message;
    replaced.push(noted);
    freed += estimateMessage(message) - estimateMessage(noted);
    return noted;
  });
  return {
    messages: History.of(next),
    tokensFreed: freed,
    replaced,
    decided: notes,
    report: {
      level: 'microcompact',
      tokensBefore: request.tokens,
      tokensAfter: request.tokens - freed,
      rewrotePrefix: true,
      details: { toolUseIds: [...notes.keys()] },
    },
  };
}

const NONE: ReadonlyMap<string, ToolResultBlock> = new Map();

/** Returns earlier decisions for results that are back in their first form, in a history that was loaded again. */
function again(
  reader: HistoryReader,
  decided: ReadonlyMap<string, ToolResultBlock>,
): [string, ToolResultBlock][] {
  if (decided.size === 0) return [];
  return reader.results.flatMap(({ result }): [string, ToolResultBlock][] => {
    const note = decided.get(result.tool_use_id);
    return note && !isRemoved(resultText(result)) ? [[result.tool_use_id, note]] : [];
  });
}

function fresh(reader: HistoryReader, request: MicrocompactRequest): [string, ToolResultBlock][] {
  const { tokens, over, options, roundsSince, isCold, decided } = request;
  if (tokens < over || !(isCold || roundsSince >= options.everyRounds)) return [];
  const compactable = reader.results.filter(({ call }) => call && request.isCompactable(call.name));
  const old = compactable.slice(0, Math.max(0, compactable.length - options.keepRecent));
  const notes: [string, ToolResultBlock][] = [];
  let freed = 0;
  for (const { result, call } of old) {
    if (result.is_error === true || decided.has(result.tool_use_id) || isRemoved(resultText(result)))
      continue;
    const size = resultTokens(result);
    if (size < options.minResult) continue;
    const note = removedResult(result, call?.name ?? 'a tool');
    notes.push([result.tool_use_id, note]);
    freed += size - estimateBlock(note);
  }
  return freed >= options.minFreed ? notes : [];
}

const sizes = new WeakMap<ToolResultBlock, number>();

function resultTokens(result: PlacedResult['result']): number {
  const known = sizes.get(result);
  if (known !== undefined) return known;
  const size = estimateBlock(result);
  sizes.set(result, size);
  return size;
}
