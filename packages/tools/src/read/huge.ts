/** A page of a file that is too large to be read as a whole: the lines before it are counted, not kept. */
import type { FileHandle } from 'node:fs/promises';
import { stopIfAborted } from '../files/abort.ts';
import { PAGE_CHARS, type Page, pageOf, type Range, splitLines } from './page.ts';

const CHUNK_BYTES = 1024 * 1024;
/** A character takes up to four bytes: more than this can never be shown. */
const WINDOW_BYTES = 4 * PAGE_CHARS;
const LINE_FEED = 10;

/** `totalLines` where the end was seen. Undefined for binary content; lines are read as UTF-8. */
export async function readHugePage(
  handle: FileHandle,
  { offset, limit }: Range,
  signal: AbortSignal,
): Promise<{ readonly page: Page; readonly totalLines: number | undefined } | undefined> {
  const found = await seekLine(handle, offset, signal);
  if (found === 'binary') return undefined;
  if (found.kind === 'end') {
    return { page: { lines: [], next: undefined, cut: 0 }, totalLines: found.lines };
  }
  const window = Buffer.allocUnsafe(WINDOW_BYTES);
  const bytes = window.subarray(0, await readFully(handle, window, found.position));
  if (bytes.includes(0)) return undefined;
  const atEnd = bytes.length < WINDOW_BYTES;
  const lines = splitLines(bytes.toString('utf8'));
  // A page is full before the window ends, but for a line that is longer than both.
  const page = pageOf(lines, { offset: 1, limit });
  const shownAll = page.next === undefined;
  const next = page.next ?? (atEnd ? undefined : page.lines.length + 1);
  return {
    page: { ...page, next: next === undefined ? undefined : offset + next - 1 },
    totalLines: shownAll && atEnd ? offset - 1 + lines.length : undefined,
  };
}

type Found =
  | { readonly kind: 'line'; readonly position: number }
  | { readonly kind: 'end'; readonly lines: number };

/** Where a line begins. */
async function seekLine(handle: FileHandle, line: number, signal: AbortSignal): Promise<Found | 'binary'> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let passed = 0;
  let position = 0;
  let inLine = false;
  while (passed < line - 1) {
    stopIfAborted(signal);
    const bytes = chunk.subarray(0, await readFully(handle, chunk, position));
    if (bytes.includes(0)) return 'binary';
    if (bytes.length === 0) return { kind: 'end', lines: passed + (inLine ? 1 : 0) };
    let end = -1;
    while (passed < line - 1) {
      const next = bytes.indexOf(LINE_FEED, end + 1);
      if (next === -1) break;
      end = next;
      passed += 1;
    }
    inLine = end + 1 < bytes.length;
    position += passed === line - 1 ? end + 1 : bytes.length;
  }
  return { kind: 'line', position };
}

async function readFully(handle: FileHandle, into: Buffer, position: number): Promise<number> {
  let filled = 0;
  while (filled < into.length) {
    const { bytesRead } = await handle.read(into, filled, into.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
