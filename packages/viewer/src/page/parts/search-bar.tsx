/** Searches the transcript, and steps through the matches. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SearchPage } from '../../model/api.ts';
import { visibleText } from '../data/format.ts';

interface SearchBarProps {
  readonly search: (words: string, signal: AbortSignal) => Promise<SearchPage>;
  readonly found: SearchPage | undefined;
  readonly onFound: (words: string, found: SearchPage | undefined) => void;
  readonly line: number | undefined;
  readonly onSelect: (line: number) => void;
}

/** The pause after the last key, before the search starts. */
const PAUSE_MS = 250;

export function SearchBar({ search, found, onFound, line, onSelect }: SearchBarProps) {
  const [words, setWords] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  useEffect(() => {
    if (words.trim() === '') {
      onFound('', undefined);
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      search(words, stop.signal).then(
        (page) => onFound(words, page),
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [words]);
  const hits = found?.hits ?? [];
  const at = hits.findIndex((hit) => hit.line === line);
  const step = (by: number): void => {
    const next = hits[(at + by + hits.length) % hits.length];
    if (next) onSelect(next.line);
  };
  return (
    <div class="search">
      <input
        ref={field}
        type="search"
        placeholder="Search (press /)"
        aria-label="Search the transcript"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          if (event.key === 'Escape') setWords('');
        }}
      />
      {found ? (
        <>
          <span class="dim" role="status">
            {hits.length === 0
              ? 'no match'
              : `${at < 0 ? '' : `${at + 1} of `}${hits.length}${found.more ? '+' : ''}`}
          </span>
          <button type="button" onClick={() => step(-1)} aria-label="Previous match">
            ↑
          </button>
          <button type="button" onClick={() => step(1)} aria-label="Next match">
            ↓
          </button>
        </>
      ) : null}
      {hits.length > 0 && at < 0 ? (
        <ul class="hits">
          {hits.slice(0, 8).map((hit) => (
            <li key={hit.line}>
              <button type="button" onClick={() => onSelect(hit.line)}>
                {visibleText(hit.excerpt.slice(0, hit.start))}
                <mark>{visibleText(hit.excerpt.slice(hit.start, hit.end))}</mark>
                {visibleText(hit.excerpt.slice(hit.end))}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
