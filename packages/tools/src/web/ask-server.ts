/**
 * Sends the request in which the model's server searches. It shares neither prompt nor cache with the
 * conversation.
 */
import {
  AnswerReader,
  buildRequest,
  type ContentBlock,
  History,
  isRecord,
  type Message,
  type ModelPort,
  type ModelRequest,
  requestSpec,
  type ServerToolSpec,
  textOf,
  type Usage,
} from '@heddle/core';
import type { WebSearchInput } from './schema.ts';

export interface SearchPort {
  /** A model whose server searches the web. */
  readonly model: ModelPort;
  /** Its name. The conversation may have switched to a model whose server cannot search. */
  readonly modelName: string;
  readonly timeoutMs?: number;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** The model's text about the results. */
  readonly text: string;
  /** The reason why results are missing. */
  readonly problem?: string | undefined;
  readonly spent: readonly { readonly model: string; readonly usage: Usage }[];
}

const TIMEOUT_MS = 90_000;
/** Searches in one call: a second and third may follow up the first. */
const MAX_SEARCHES = 3;
const MAX_TOKENS = 4_096;
/** The server pauses long turns. Each pause is another request. */
const MAX_REQUESTS = 3;

const PROMPT =
  'You search the web for another program. Search for what is asked, then say in a few plain sentences what the results say about it, facts and figures first. If they say nothing about it, say so. Do not ask anything back.';

/** Throws only for an abort: the usage is part of the result. */
export async function askServer(
  { model: port, modelName: model, timeoutMs = TIMEOUT_MS }: SearchPort,
  input: WebSearchInput,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, deadline]);
  const blocks: ContentBlock[] = [];
  const spent: { model: string; usage: Usage }[] = [];
  let problem: string | undefined;
  for (let requests = 0; requests < MAX_REQUESTS; requests++) {
    const asked = await ask(port, requestFor(input, model, blocks), either);
    blocks.push(...asked.blocks);
    spent.push({ model, usage: asked.usage });
    signal.throwIfAborted();
    problem = deadline.aborted ? `it took longer than ${timeoutMs} ms` : asked.problem;
    if (problem !== undefined || !asked.isPaused) break;
  }
  const { hits, problem: refused } = searchResultsIn(blocks);
  return { hits, text: textOf(blocks).trim(), problem: problem ?? refused, spent };
}

function requestFor(input: WebSearchInput, model: string, sofar: readonly ContentBlock[]): ModelRequest {
  const { query, allowed_domains, blocked_domains } = input;
  const search: ServerToolSpec = {
    type: 'web_search_20250305',
    name: 'web_search',
    max_uses: MAX_SEARCHES,
    ...(allowed_domains ? { allowed_domains } : {}),
    ...(blocked_domains ? { blocked_domains } : {}),
  };
  const messages: Message[] = [
    { type: 'user', uuid: 'query', at: 0, content: `Search the web for: ${query}` },
  ];
  if (sofar.length > 0)
    messages.push({ type: 'assistant', uuid: 'sofar', at: 0, responseId: 'sofar', model, content: sofar });
  const { request } = buildRequest(
    requestSpec({
      model,
      maxOutputTokens: MAX_TOKENS,
      systemPrompt: [PROMPT],
      systemContext: {},
      userContext: {},
      tools: [],
      skipCacheWrite: true,
      continuesAnswer: sofar.length > 0,
      options: { serverTools: [search] },
    }),
    History.of(messages),
  );
  return request;
}

interface Asked {
  readonly blocks: readonly ContentBlock[];
  readonly usage: Usage;
  readonly isPaused: boolean;
  readonly problem: string | undefined;
}

async function ask(port: ModelPort, request: ModelRequest, signal: AbortSignal): Promise<Asked> {
  const reader = new AnswerReader();
  const blocks: ContentBlock[] = [];
  let problem: string | undefined;
  for await (const record of port(request, signal)) {
    if (record.type === 'model_error') problem = record.message;
    else if (record.type !== 'done') {
      const finished = reader.push(record);
      if (finished) blocks.push(finished.block);
    }
  }
  return { blocks, usage: reader.usage, isPaused: reader.stopReason === 'pause_turn', problem };
}

interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly age?: string;
}

/**
 * Returns each address once, in the order of the searches. `problem`: the reason of the last failed
 * search.
 */
function searchResultsIn(blocks: readonly ContentBlock[]): {
  readonly hits: readonly SearchHit[];
  readonly problem: string | undefined;
} {
  const hits = new Map<string, SearchHit>();
  let problem: string | undefined;
  for (const block of blocks) {
    const fields: unknown = block;
    if (!isRecord(fields) || fields['type'] !== 'web_search_tool_result') continue;
    const { content } = fields;
    if (isRecord(content)) problem = PROBLEMS[String(content['error_code'])] ?? String(content['error_code']);
    if (!Array.isArray(content)) continue;
    for (const hit of content.flatMap(hitOf)) if (!hits.has(hit.url)) hits.set(hit.url, hit);
  }
  return { hits: [...hits.values()], problem };
}

const PROBLEMS: Readonly<Record<string, string>> = {
  invalid_tool_input: 'the server could not read the query or the domains',
  unavailable: 'the search is not available now',
  max_uses_exceeded: 'more searches were wanted than one call may make',
  too_many_requests: 'there were too many searches in a short time',
  query_too_long: 'the query is too long',
  request_too_large: 'the request is too large',
};

function hitOf(value: unknown): SearchHit[] {
  if (!isRecord(value) || value['type'] !== 'web_search_result') return [];
  const { title, url, page_age: age } = value;
  if (typeof url !== 'string') return [];
  const named = { title: plain(typeof title === 'string' ? title : url), url: plain(url) };
  return [typeof age === 'string' ? { ...named, age: plain(age) } : named];
}

/** Removes line breaks, so that a title cannot look like further results. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
