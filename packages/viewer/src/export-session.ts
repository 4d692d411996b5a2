/** Writes a session as one HTML file that opens from disk. */
import path from 'node:path';
import type { PageFiles } from './build/build-page.ts';
import type { ExportedSession, SessionCard, TranscriptRow } from './model/api.ts';
import type { FactPage } from './model/facts.ts';
import { parseOwn } from './model/parse-own.ts';
import { type Price, pricedFacts } from './read/priced-facts.ts';
import { allDecisions } from './read/run-decisions.ts';
import { SessionIndex } from './read/session-index.ts';
import { openSubagent, subagentsBeside } from './read/subagents.ts';
import { rowOf } from './read/transcript-rows.ts';
import { standaloneHtml } from './build/page-files.ts';

/** Longer texts are cut, because a browser reads the whole file at once. */
const LONGEST_TEXT = 200_000;

interface ExportOptions {
  readonly file: string;
  readonly version: string;
  readonly page: PageFiles;
  /** The prices for logs that have token counts without costs. */
  readonly price?: Price;
  /** Removes known secrets from a value. */
  readonly redact: <T>(value: T) => T;
}

/** Throws an error of the operating system if the session cannot be read. */
export function exportSession({ file, version, page, price, redact }: ExportOptions): string {
  const index = new SessionIndex(file);
  const read = parseOwn<FactPage>(index.page(0, Number.POSITIVE_INFINITY));
  const facts = { ...read, facts: price ? pricedFacts(read.facts, price) : read.facts };
  const rows: TranscriptRow[] = [];
  for (const { line, decoded } of index.lines(0)) {
    const row = rowOf(decoded, line, LONGEST_TEXT);
    if (row) rows.push(row);
  }
  const id = path.basename(file, '.jsonl');
  const data: ExportedSession = {
    info: { version, session: id, canFork: false },
    card: cardOf(id, facts),
    facts: facts.facts,
    rows,
    decisions: allDecisions(index),
    subagents: subagentsBeside(file).map((card) => ({
      card,
      facts: parseOwn<FactPage>(openSubagent(file, card.id).page(0, Number.POSITIVE_INFINITY)).facts,
    })),
    lines: facts.next,
    torn: facts.torn,
  };
  return standaloneHtml(page, redact(data));
}

/** The header of the page computes the other figures from the facts. */
function cardOf(id: string, { facts }: FactPage): SessionCard {
  const session = facts.find((fact) => fact.type === 'session');
  return {
    id,
    title: '',
    cwd: session?.cwd ?? '',
    model: session?.model ?? '',
    startedAt: facts[0]?.at,
    lastAt: facts.at(-1)?.at ?? 0,
    messages: facts.filter(({ type }) => type === 'message').length,
    bytes: 0,
    costUsd: undefined,
    isFork: session?.forkedFrom !== undefined,
  };
}
