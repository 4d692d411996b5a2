/** Formats a file's content by its type. Rare types are loaded on demand. */
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Interrupted, stopIfAborted } from '../files/abort.ts';
import { decodeText, type Encoding, toPrintableText } from '../files/encoding.ts';
import { binaryFileError, FileError, fileErrorReason, shownPath } from '../files/errors.ts';
import { type PreparedImage, prepareImage } from './image.ts';
import {
  imageTypeOf,
  isPdf,
  nameOfBinary,
  PAGE_CHARS,
  pageOf,
  type Range,
  rangeOf,
  type ReadData,
  type ShownContent,
  type ShownPart,
  splitLines,
  type TextPage,
} from './page.ts';
import type { ReadInput } from './schema.ts';

export async function showContent(
  file: string,
  bytes: Buffer,
  input: ReadInput,
  signal: AbortSignal,
): Promise<ShownContent> {
  const imageType = imageTypeOf(bytes);
  if (imageType !== undefined)
    return explained(file, async () => ({
      data: showImage(file, bytes.length, await prepareImage(bytes, imageType, signal)),
    }));
  if (isPdf(bytes))
    return explained(file, async () => (await import('./pdf.ts')).showPdf(file, bytes, input, signal));
  const decoded = decodeText(bytes);
  if (decoded === undefined) throw binaryFileError(file, nameOfBinary(bytes));
  if (path.extname(file).toLowerCase() === '.ipynb')
    return explained(file, async () =>
      (await import('./show-notebook.ts')).showNotebook(file, decoded.text, input, signal),
    );
  const lines = splitLines(toPrintableText(decoded));
  const page = pageOf(lines, rangeOf(input));
  return {
    data: textData(file, page, input, { totalLines: lines.length, note: encodingNote(decoded.encoding) }),
    text: decoded.text,
  };
}

export async function showHuge(
  file: string,
  handle: FileHandle,
  input: ReadInput,
  signal: AbortSignal,
): Promise<ReadData> {
  const read = await readHugePage(handle, rangeOf(input), signal);
  if (read === undefined) throw binaryFileError(file);
  return textData(file, read.page, input, { totalLines: read.totalLines, note: '' });
}

function showImage(file: string, bytes: number, image: PreparedImage): ReadData {
  const { size, original } = image;
  const parts: ShownPart[] = [{ kind: 'image', ...image }];
  if (original !== undefined) {
    const scale = (original.width / size.width).toFixed(2);
    const text = `(shown with ${size.width} × ${size.height} pixels; the original has ${original.width} × ${original.height}, ${scale} times as many each way)`;
    parts.push({ kind: 'text', text });
  }
  return { path: file, kind: 'image', size: bytes, parts };
}

async function explained(file: string, show: () => Promise<ShownContent>): Promise<ShownContent> {
  try {
    return await show();
  } catch (thrown) {
    if (thrown instanceof Interrupted) throw thrown;
    throw new FileError(`${shownPath(file)} cannot be shown: ${fileErrorReason(thrown)}`);
  }
}

function textData(
  file: string,
  page: TextPage,
  { offset = 1 }: ReadInput,
  { totalLines, note }: { readonly totalLines: number | undefined; readonly note: string },
): ReadData {
  const notes = [note, notice(file, page, offset, totalLines)].filter((part) => part !== '').join('\n');
  const parts: ShownPart[] = [
    { kind: 'lines', lines: page.lines, first: offset, total: totalLines, note: notes },
  ];
  if (offset === 1 && page.next === undefined) return { path: file, kind: 'text', parts };
  return { path: file, kind: 'text', parts, range: { offset, limit: page.lines.length } };
}

function notice(
  file: string,
  { lines, next, cut }: TextPage,
  offset: number,
  totalLines: number | undefined,
): string {
  if (totalLines === 0) return `${shownPath(file)} is empty.`;
  if (lines.length === 0) return `${shownPath(file)} has only ${totalLines} lines.`;
  const cutNote = cut > 0 ? `(line ${offset + lines.length - 1} is cut: it is longer than a page)` : '';
  if (next === undefined) return cutNote;
  const more = totalLines === undefined ? 'more' : `${totalLines - next + 1} more`;
  return [cutNote, `(${more} lines; continue with offset ${next})`].filter((part) => part !== '').join('\n');
}

function encodingNote(encoding: Encoding): string {
  switch (encoding) {
    case 'utf-8':
      return '';
    case 'utf-8 escaped':
      return '(some bytes are not valid UTF-8 and shown as \ufffd)';
    case 'utf-16le':
    case 'utf-16be':
    case 'latin1':
      return `(the file is encoded in ${encoding})`;
  }
}

const CHUNK_BYTES = 1024 * 1024;
/** A character takes up to four bytes, so a page never needs more. */
const WINDOW_BYTES = 4 * PAGE_CHARS;
const LINE_FEED = 10;

/**
 * Returns `totalLines` if the end was reached. Undefined for binary content. Lines are decoded as UTF-8.
 */
async function readHugePage(
  handle: FileHandle,
  { offset, limit }: Range,
  signal: AbortSignal,
): Promise<{ readonly page: TextPage; readonly totalLines: number | undefined } | undefined> {
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
  // A page is full before the window ends, except for a line that is longer than both.
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

/** Finds the start of a line. */
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
