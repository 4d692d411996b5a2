/**
 * The conversation. Only the blocks near the visible part exist as elements, so that 10,000 messages scroll smoothly. A
 * block is a fixed number of items; a hidden block is an empty element of the same height.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SearchPage, TranscriptRow, ViewerSource } from '../../model/api.ts';
import type { LogFact } from '../../model/facts.ts';
import { countText } from '../data/format.ts';
import { isLive, type SessionData } from '../data/use-session.ts';
import { EventRow, type EventFact, isEventFact } from '../parts/event-row.tsx';
import { SearchBar } from '../parts/search-bar.tsx';
import { Row, type RowContext } from '../parts/row.tsx';

interface TranscriptViewProps {
  readonly source: ViewerSource;
  readonly id: string;
  /** The server may start a session. */
  readonly canFork: boolean;
  readonly data: SessionData;
  /** The selected line. */
  readonly line: number | undefined;
  readonly onSelect: (line: number) => void;
}

const BLOCK_ITEMS = 16;
/** Blocks within this distance of the visible part are shown. */
const MARGIN_PX = 1_200;

/** A message or an event that has a row of its own. */
type Item = EventFact | Extract<LogFact, { type: 'message' }>;

export function TranscriptView({ source, id, canFork, data, line, onSelect }: TranscriptViewProps) {
  const { facts } = data;
  const [words, setWords] = useState('');
  const [found, setFound] = useState<SearchPage>();
  const scroller = useRef<HTMLDivElement>(null);
  const blocks = useMemo(() => blocksOf(facts), [facts]);
  const tools = useMemo(() => toolNames(facts), [facts]);
  const context = useMemo((): RowContext => {
    const session = facts.find((fact) => fact.type === 'session');
    const toolOf = (callId: string): string => tools.get(callId) ?? '';
    return { source, id, words, canFork, cwd: session?.cwd ?? '', toolOf };
  }, [source, id, words, canFork, tools]);
  useSelectedLine(scroller, blocks, line);
  useBottom(scroller, isLive(data, Date.now()) && line === undefined, facts.length);
  return (
    <section class="transcript" aria-label="Transcript">
      <SearchBar
        search={(text, signal) => source.search(id, text, signal)}
        found={found}
        onFound={(text, page) => {
          setWords(text);
          setFound(page);
        }}
        line={line}
        onSelect={onSelect}
      />
      <div class="scroller" ref={scroller} tabIndex={0}>
        {blocks.map((items, index) => (
          <Block key={index} items={items} line={line} context={context} onSelect={onSelect} />
        ))}
        {data.torn ? <p class="dim">The log ends with an unfinished line.</p> : null}
        {data.isComplete ? null : <p class="dim">Reading… {countText(facts.length)} lines so far.</p>}
      </div>
    </section>
  );
}

interface BlockProps {
  readonly items: readonly Item[];
  readonly line: number | undefined;
  readonly context: RowContext;
  readonly onSelect: (line: number) => void;
}

function Block({ items, line, context, onSelect }: BlockProps) {
  const element = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(false);
  const [rows, setRows] = useState<ReadonlyMap<number, TranscriptRow>>();
  const height = useRef(estimate(items));
  const first = items[0]?.line ?? 0;
  const last = items.at(-1)?.line ?? 0;
  const { source, id } = context;
  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver(
      (entries) => setIsNear(entries.some((entry) => entry.isIntersecting)),
      { root: element.current.closest('.scroller'), rootMargin: `${MARGIN_PX}px 0px` },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!isNear) return;
    const stop = new AbortController();
    source.rows(id, first, last + 1, stop.signal).then(
      (list) => setRows(new Map(list.map((row) => [row.line, row]))),
      () => undefined,
    );
    return () => stop.abort();
  }, [source, id, isNear, first, last]);
  useEffect(() => {
    if (isNear && rows && element.current) height.current = element.current.offsetHeight;
  });
  if (!isNear || !rows)
    return <div class="block" ref={element} style={{ height: `${height.current}px` }} data-first={first} />;
  return (
    <div class="block" ref={element} style={{ height: '' }} data-first={first}>
      {items.map((item, index) => {
        const row = rows.get(item.line);
        const before = rows.get(items[index - 1]?.line ?? -1);
        const isSelected = item.line === line;
        return (
          <div key={item.line}>
            {item.type === 'message' ? null : <EventRow fact={item} isSelected={isSelected} />}
            {row && row.parts.length > 0 ? (
              <Row
                row={row}
                context={context}
                isSelected={isSelected}
                isContinued={before?.role === row.role && row.role !== 'user'}
                onSelect={onSelect}
              />
            ) : null}
          </div>
        );
      })}
    </div>
  );
}

function blocksOf(facts: readonly LogFact[]): Item[][] {
  const blocks: Item[][] = [];
  for (const fact of facts) {
    if (fact.type !== 'message' && !isEventFact(fact)) continue;
    const last = blocks.at(-1);
    if (!last || last.length >= BLOCK_ITEMS) blocks.push([fact]);
    else last.push(fact);
  }
  return blocks;
}

/** Estimates the height of a block, so that the scroll bar is about right before the block was shown. */
function estimate(items: readonly Item[]): number {
  return items.reduce((sum, item) => {
    if (item.type !== 'message') return sum + 36;
    const texts = item.parts.reduce((size, part) => size + (part.kind === 'text' ? part.size : 0), 0);
    return sum + 72 + Math.min(600, texts / 4);
  }, 0);
}

function toolNames(facts: readonly LogFact[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const fact of facts) {
    if (fact.type !== 'message') continue;
    for (const part of fact.parts) if (part.kind === 'call') names.set(part.id, part.tool);
  }
  return names;
}

/** Scrolls to the selected line: first to its block, then to its row when the row is there. */
function useSelectedLine(
  scroller: { readonly current: HTMLDivElement | null },
  blocks: readonly (readonly Item[])[],
  line: number | undefined,
): void {
  const reached = useRef<number | undefined>(undefined);
  useEffect(() => {
    const root = scroller.current;
    if (line === undefined || !root || reached.current === line || blocks.length === 0) return;
    const block = blocks.findLast((items) => (items[0]?.line ?? 0) <= line) ?? blocks[0];
    const element = root.querySelector(`[data-first="${block?.[0]?.line ?? 0}"]`);
    if (!block || !element) return;
    const target = (block.findLast((item) => item.line <= line) ?? block[0])?.line ?? line;
    element.scrollIntoView({ block: 'start' });
    const observer = new MutationObserver(show);
    observer.observe(root, { childList: true, subtree: true });
    show();
    const timer = setTimeout(() => observer.disconnect(), 5_000);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };

    function show(): void {
      const row = root?.querySelector(`[data-line="${target}"]`);
      if (!row) return;
      observer.disconnect();
      reached.current = line;
      row.scrollIntoView({ block: 'center' });
    }
  }, [line, blocks, scroller]);
}

/** Follows the end of a live session while the user is at the end. */
function useBottom(
  scroller: { readonly current: HTMLDivElement | null },
  follows: boolean,
  length: number,
): void {
  useEffect(() => {
    const root = scroller.current;
    if (!root || !follows) return;
    const distance = root.scrollHeight - root.scrollTop - root.clientHeight;
    if (distance < root.clientHeight) root.scrollTo({ top: root.scrollHeight });
  }, [scroller, follows, length]);
}
