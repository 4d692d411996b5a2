/**
 * The conversation. Only the blocks near the visible part exist as elements, so that 10,000 messages scroll smoothly. A
 * block is a fixed number of items.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SearchPage, TranscriptRow, ViewerSource } from '../../model/api.ts';
import type { LogFact } from '../../model/facts.ts';
import { countText } from '../data/format.ts';
import { isLive, type SessionData } from '../data/use-session.ts';
import { SearchBar } from '../parts/search-bar.tsx';
import { type EventFact, EventRow, isEventFact, Row } from '../parts/row.tsx';
import type { RowContext } from '../parts/row-part.tsx';
import { useVisibleBlocks } from '../parts/use-visible-blocks.ts';

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

const BLOCK_ITEMS = 8;

/** A message or an event that has a row of its own. */
type Item = EventFact | Extract<LogFact, { type: 'message' }>;

interface ItemBlock {
  /** The line of its first item. */
  readonly first: number;
  readonly items: readonly Item[];
  /** The height in pixels before the block was shown. */
  readonly estimate: number;
}

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
  const choose = useRef(onSelect);
  choose.current = onSelect;
  const select = useCallback((selected: number) => choose.current(selected), []);
  const { from, to, before, after, measure, reveal } = useVisibleBlocks(scroller, blocks);
  // A long log is read in pages. Before the page of the line, its block is unknown.
  const isRead = line !== undefined && (data.isComplete || (facts.at(-1)?.line ?? -1) >= line);
  useSelectedLine(scroller, blocks, isRead ? line : undefined, reveal);
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
        <div style={{ height: `${before}px` }} />
        {blocks.slice(from, to).map((block) => (
          <Block
            key={block.first}
            block={block}
            line={line}
            context={context}
            onSelect={select}
            onHeight={measure}
          />
        ))}
        <div style={{ height: `${after}px` }} />
        {data.isComplete && blocks.length === 0 ? <p class="dim">The log has no message.</p> : null}
        {data.torn ? <p class="dim">The log ends with an unfinished line.</p> : null}
        {data.isComplete ? null : <p class="dim">Reading… {countText(facts.length)} lines so far.</p>}
      </div>
    </section>
  );
}

interface BlockProps {
  readonly block: ItemBlock;
  readonly line: number | undefined;
  readonly context: RowContext;
  readonly onSelect: (line: number) => void;
  readonly onHeight: (block: ItemBlock, height: number) => void;
}

function Block({ block, line, context, onSelect, onHeight }: BlockProps) {
  const { items, first, estimate } = block;
  const element = useRef<HTMLDivElement>(null);
  const [rows, setRows] = useState<ReadonlyMap<number, TranscriptRow>>();
  const last = items.at(-1)?.line ?? 0;
  const { source, id } = context;
  useEffect(() => {
    const stop = new AbortController();
    source.rows(id, first, last + 1, stop.signal).then(
      (list) => setRows(new Map(list.map((row) => [row.line, row]))),
      () => undefined,
    );
    return () => stop.abort();
  }, [source, id, first, last]);
  const report = useRef(onHeight);
  report.current = onHeight;
  useEffect(() => {
    const shown = element.current;
    if (!shown) return;
    // A part that is opened changes the height, too.
    const size = new ResizeObserver(() => report.current(block, shown.offsetHeight));
    size.observe(shown);
    return () => size.disconnect();
  }, [block, rows]);
  const selected = items.some((item) => item.line === line) ? line : undefined;
  // The same element again lets preact leave the block as it is while the list scrolls.
  return useMemo(
    () =>
      rows ? (
        <div class="block" ref={element}>
          {items.map((item, index) => {
            const row = rows.get(item.line);
            const before = rows.get(items[index - 1]?.line ?? -1);
            const isSelected = item.line === selected;
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
      ) : (
        <div style={{ height: `${estimate}px` }} />
      ),
    [block, rows, selected, context, onSelect],
  );
}

function blocksOf(facts: readonly LogFact[]): ItemBlock[] {
  const items = facts.filter((fact): fact is Item => fact.type === 'message' || isEventFact(fact));
  return Array.from({ length: Math.ceil(items.length / BLOCK_ITEMS) }, (_, index) => {
    const own = items.slice(index * BLOCK_ITEMS, (index + 1) * BLOCK_ITEMS);
    return { first: own[0]?.line ?? 0, items: own, estimate: heightOf(own) };
  });
}

/** Estimates the height of a block, so that the scroll bar is about right before the block was shown. */
function heightOf(items: readonly Item[]): number {
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
  blocks: readonly ItemBlock[],
  line: number | undefined,
  reveal: (index: number) => void,
): void {
  const reached = useRef<number | undefined>(undefined);
  useEffect(() => {
    const root = scroller.current;
    if (line === undefined || !root || reached.current === line || blocks.length === 0) return;
    const index = Math.max(
      0,
      blocks.findLastIndex(({ first }) => first <= line),
    );
    const items = blocks[index]?.items ?? [];
    const target = (items.findLast((item) => item.line <= line) ?? items[0])?.line ?? line;
    reveal(index);
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
