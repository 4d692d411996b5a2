/**
 * Level 3: old, bulky results of tools that can be asked again are replaced by a note. Each is decided once and for all, so
 * that it is never sent in a third form; and many at a time, because each replacement costs the cached prefix.
 */
import type { ToolResultBlock } from '../../messages/blocks.ts';
import { History } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import { estimateBlock, estimateMessage } from '../estimate/message.ts';
import { type LevelResult, untouched } from '../level.ts';
import type { MicrocompactOptions } from '../options.ts';
import type { Outline, PlacedResult } from '../reading/outline.ts';
import { resultText, withResults } from '../reading/read.ts';
import { isRemoved, removedResult } from '../reading/shorten.ts';

export interface MicrocompactRequest {
  readonly tokens: number;
  readonly over: number;
  readonly options: MicrocompactOptions;
  readonly isCompactable: (tool: string) => boolean;
  /** What was decided before, by id. */
  readonly decided: ReadonlyMap<string, ToolResultBlock>;
  /** Rounds since the last time, and whether the cache has gone cold. */
  readonly roundsSince: number;
  readonly isCold: boolean;
}

export interface MicrocompactResult extends LevelResult {
  /** What is decided now, to be remembered. */
  readonly decided: ReadonlyMap<string, ToolResultBlock>;
}

export function microcompact(
  messages: History<Message>,
  outline: Outline,
  request: MicrocompactRequest,
): MicrocompactResult {
  const { decided } = request;
  const notes = new Map([...again(outline, decided), ...fresh(outline, request)]);
  if (notes.size === 0) return { ...untouched(messages), decided: NONE };
  const replaced: Message[] = [];
  let freed = 0;
  const next = [...messages].map((message): Message => {
    if (message?.type !== 'user') return message;
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

/** Decided before, but back in its first form: a history that was read anew. */
function again(outline: Outline, decided: ReadonlyMap<string, ToolResultBlock>): [string, ToolResultBlock][] {
  if (decided.size === 0) return [];
  return outline.results.flatMap(({ result }): [string, ToolResultBlock][] => {
    const note = decided.get(result.tool_use_id);
    return note && !isRemoved(resultText(result)) ? [[result.tool_use_id, note]] : [];
  });
}

function fresh(outline: Outline, request: MicrocompactRequest): [string, ToolResultBlock][] {
  const { tokens, over, options, roundsSince, isCold, decided } = request;
  if (tokens < over || !(isCold || roundsSince >= options.everyRounds)) return [];
  const compactable = outline.results.filter(({ call }) => call && request.isCompactable(call.name));
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
