/** Answers the requests of the page. Each answer is a text, which the server redacts and sends. */
import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { TranscriptRow, ViewerInfo } from '../model/api.ts';
import { digestOf, type SessionDigest } from '../model/statistics.ts';
import { type FactPage, withoutRepeatedAnswers } from '../model/facts.ts';
import { parseOwn } from '../model/parse-own.ts';
import { type LoadPrice, pricedPage } from '../read/priced-facts.ts';
import { countRead } from '../read/release-memory.ts';
import { rowOf, searchLines } from '../read/transcript-rows.ts';
import type { SessionIndex } from '../read/session-index.ts';
import type { SessionStore } from './session-store.ts';

export type Answer =
  | { readonly status: 200; readonly body: string }
  | { readonly status: 400 | 404 | 405; readonly message: string };

export interface ApiRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** One answer has at most this number of lines. */
const PAGE_LINES = 4_000;

/** The first answer is short, so that the first picture comes soon. */
const FIRST_PAGE_LINES = 600;
const ROW_LINES = 400;

/** One answer takes about this time at most. The page then asks again, and rows are answered in between. */
const PAGE_MS = 40;

/** A longer text is shown on demand. */
const CUT_TEXT = 4_000;

/** The longest text that the page gets at once. */
const WHOLE_TEXT = 8_000_000;

/** The memory of a parsed fact per character of its JSON, about. */
const FACT_BYTES_PER_CHAR = 4;
const LONG_POLL_MS = 20_000;
const LOOK_AGAIN_MS = 250;

const NOT_FOUND: Answer = { status: 404, message: 'There is no such session.' };

export async function answerApi(request: ApiRequest, store: SessionStore, info: ViewerInfo): Promise<Answer> {
  const [, kind, id = '', question = ''] = request.path.split('/').slice(1);
  if (kind === 'info') return json(info);
  if (kind === 'sessions' && id === '') return json(store.list());
  if (kind !== 'sessions') return { status: 404, message: 'There is no such page.' };
  const index = store.find(id);
  if (!index) return NOT_FOUND;
  switch (question) {
    case 'facts':
      return facts(index, request, store.loadPrice);
    case 'rows':
      return json(rows(index, request.query));
    case 'text':
      return text(index, request.query);
    case 'search':
      return json(await searchLines(index, request.query.get('words') ?? '', () => request.signal.aborted));
    case 'subagents':
      return json(store.subagents(id));
    case 'decisions': {
      const { query, signal } = request;
      const wanted = {
        run: numberIn(query, 'run'),
        from: numberIn(query, 'from'),
        line: numberIn(query, 'line'),
      };
      const body = await store.replays.page(index, wanted, signal);
      return body === undefined ? { status: 404, message: 'There is no such turn.' } : { status: 200, body };
    }
    case 'digest':
      return json(await digest(index, store.loadPrice));
    default:
      return { status: 404, message: 'There is no such page.' };
  }
}

async function digest(index: SessionIndex, loadPrice: LoadPrice | undefined): Promise<SessionDigest> {
  const page = await pricedPage(index.page(0, Number.POSITIVE_INFINITY), loadPrice);
  const found = digestOf(withoutRepeatedAnswers(parseOwn<FactPage>(page).facts));
  countRead(page.length * FACT_BYTES_PER_CHAR);
  return found;
}

async function facts(
  index: SessionIndex,
  { query, signal }: ApiRequest,
  loadPrice: LoadPrice | undefined,
): Promise<Answer> {
  const from = numberIn(query, 'from');
  if (query.has('wait')) await growth(index, from, signal);
  const page = index.page(from, from === 0 ? FIRST_PAGE_LINES : PAGE_LINES, PAGE_MS);
  return { status: 200, body: await pricedPage(page, loadPrice) };
}

/** Waits until there are lines after `from`, or the size of the file has changed. It only looks at the size. */
async function growth(index: SessionIndex, from: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + LONG_POLL_MS;
  while (index.lineCount <= from && Date.now() < deadline && !signal.aborted) {
    const about = statSync(index.file, { throwIfNoEntry: false });
    if (about?.size !== index.seenBytes) return;
    await delay(LOOK_AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

function rows(index: SessionIndex, query: URLSearchParams): TranscriptRow[] {
  const from = numberIn(query, 'from');
  const to = Math.min(numberIn(query, 'to'), from + ROW_LINES);
  const found: TranscriptRow[] = [];
  for (const { line, decoded } of index.lines(from, to)) {
    const row = rowOf(decoded, line, CUT_TEXT);
    if (row) found.push(row);
  }
  return found;
}

function text(index: SessionIndex, query: URLSearchParams): Answer {
  const line = numberIn(query, 'line');
  for (const { decoded } of index.lines(line, line + 1)) {
    const part = rowOf(decoded, line, WHOLE_TEXT)?.parts[numberIn(query, 'part')];
    if (part) return json(part.text);
  }
  return { status: 404, message: 'There is no such text.' };
}

function json(value: unknown): Answer {
  return { status: 200, body: JSON.stringify(value) };
}

function numberIn(query: URLSearchParams, name: string): number {
  const value = Number(query.get(name));
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}
