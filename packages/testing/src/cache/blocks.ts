/**
 * A request as the cache sees it: blocks in order (tools, system, messages), each with its size and its
 * mark.
 */
import { createHash } from 'node:crypto';
import { isRecord } from '@heddle/core';
import type { RequestBody } from '../request-body.ts';
import { type JsonFields, placedFieldsOf, jsonListOf } from '../validator/json.ts';

export interface CacheBlock {
  /** Identifies the whole prefix up to and including this block. */
  readonly prefix: string;
  readonly tokens: number;
  readonly marked: boolean;
}

/** The size of a block from its JSON. */
export type TokensOf = (json: string) => number;

/** Four bytes per token: an estimate, not a tokenizer. */
export const quarterBytes: TokensOf = (json) => Math.ceil(Buffer.byteLength(json) / 4);

export function cacheBlocksOf(body: RequestBody, tokensOf: TokensOf = quarterBytes): CacheBlock[] {
  // Another model or speed shares nothing. Another thinking mode shares no messages.
  const chain = new Chain(JSON.stringify([body['model'], body['speed'] ?? null]), tokensOf);
  // A deferred tool is not part of the prefix. Its definition stands where a result refers to it.
  const deferred = new Map<unknown, JsonFields>();
  for (const { fields } of placedFieldsOf(body['tools'])) {
    if (fields['defer_loading'] === true) deferred.set(fields['name'], fields);
    else chain.add('tools', fields);
  }
  for (const layer of blocksIn(body['system'])) chain.add('system', layer);
  chain.mix(JSON.stringify([body['thinking'] ?? null, body['tool_choice'] ?? null]));
  for (const { fields } of placedFieldsOf(body['messages'])) {
    for (const block of blocksIn(fields['content']))
      chain.add(String(fields['role']), withDefinitions(block, deferred));
  }
  return chain.blocks;
}

/** Builds blocks from sizes alone, to test marks without requests. Equal names mean equal blocks. */
export function cacheBlocks(
  blocks: readonly { readonly name: string; readonly tokens: number; readonly marked?: boolean }[],
): CacheBlock[] {
  let prefix = '';
  return blocks.map(({ name, tokens, marked = false }) => {
    prefix += `/${name}`;
    return { prefix, tokens, marked };
  });
}

class Chain {
  readonly blocks: CacheBlock[] = [];
  readonly #tokensOf: TokensOf;
  #prefix: string;

  constructor(seed: string, tokensOf: TokensOf) {
    this.#prefix = seed;
    this.#tokensOf = tokensOf;
  }

  add(place: string, block: JsonFields): void {
    const bare = withoutMarks(block);
    const json = JSON.stringify(bare.value);
    this.mix(place + json);
    this.blocks.push({ prefix: this.#prefix, tokens: this.#tokensOf(json), marked: bare.marked });
  }

  mix(text: string): void {
    this.#prefix = createHash('sha256').update(this.#prefix).update('\0').update(text).digest('base64');
  }
}

function withDefinitions(block: JsonFields, deferred: ReadonlyMap<unknown, JsonFields>): JsonFields {
  if (deferred.size === 0 || !Array.isArray(block['content'])) return block;
  const content = jsonListOf(block['content']).map((item) =>
    isRecord(item) && item['type'] === 'tool_reference' ? (deferred.get(item['tool_name']) ?? item) : item,
  );
  return { ...block, content };
}

function blocksIn(content: unknown): readonly JsonFields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return jsonListOf(content).filter(isRecord);
}

/** Marks are not compared. One inside a result counts for the result. */
function withoutMarks(block: JsonFields): { readonly value: JsonFields; readonly marked: boolean } {
  const { cache_control, ...value } = block;
  const marked = cache_control !== undefined && cache_control !== null;
  const { content } = block;
  if (!Array.isArray(content)) return { value, marked };
  const inner = jsonListOf(content).map((item) =>
    isRecord(item) ? withoutMarks(item) : { value: item, marked: false },
  );
  return {
    value: { ...value, content: inner.map((item) => item.value) },
    marked: marked || inner.some((item) => item.marked),
  };
}
