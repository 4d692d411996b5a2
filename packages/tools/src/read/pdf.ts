/** Reads pages of a PDF: their text, or an image of a page without text. */
import { Worker } from 'node:worker_threads';
import type { PDFiumLibrary } from '@hyzyla/pdfium';
import { Interrupted, stopIfAborted } from '../files/abort.ts';
import { findPackage } from '../packages.ts';
import { encodePixels } from './image.ts';
import { PAGE_CHARS, type ShownContent, type ShownPart } from './page.ts';
import type { ReadInput } from './schema.ts';

const MAX_DRAWN = 5;
/** Enough to read small print. The API scales larger images down anyway. */
const DRAWN_SIDE = 1_568;
const TIME_LIMIT_MS = 15_000;
/** The memory of the library. A file of some kilobytes can unpack to gigabytes. */
const MAX_MEMORY_BYTES = 384 * 1024 * 1024;

interface PdfPages {
  readonly pageCount: number;
  readonly pages: readonly PdfPage[];
}

/** Throws with a reason that completes “… cannot be shown: ”. */
export async function readPdf(bytes: Buffer, range: PageRange, signal: AbortSignal): Promise<PdfPages> {
  stopIfAborted(signal);
  const request: PdfRequest = {
    library: findLibrary(),
    bytes,
    ...range,
    maxDrawn: MAX_DRAWN,
    side: DRAWN_SIDE,
    maxText: PAGE_CHARS,
    maxMemory: MAX_MEMORY_BYTES,
  };
  // Variables such as NODE_PATH and NODE_OPTIONS would lead it to other code.
  const options = { eval: true, workerData: request, env: {}, stdout: true, stderr: true };
  const worker = new Worker(pdfThreadSource, options);
  // The library prints its warnings.
  for (const stream of [worker.stdout, worker.stderr]) stream.resume();
  const reply = Promise.withResolvers<PdfReply>();
  const stop = (): void => reply.reject(new Interrupted());
  const timer = setTimeout(
    () => reply.resolve({ ok: false, why: `reading it took longer than ${TIME_LIMIT_MS / 1000} seconds` }),
    TIME_LIMIT_MS,
  );
  signal.addEventListener('abort', stop, { once: true });
  worker.once('message', (message: PdfReply) => reply.resolve(message));
  worker.once('error', reply.reject);
  worker.once('exit', () => reply.resolve({ ok: false, why: 'its reader ended without an answer' }));
  try {
    const answer = await reply.promise;
    if (!answer.ok) throw new Error(answer.why);
    return answer;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

/** An optional package, not bundled: it finds its own binary beside itself. */
function findLibrary(): string {
  const file = findPackage('@hyzyla/pdfium', { code: import.meta.dirname });
  if (file === undefined) throw new Error('“@hyzyla/pdfium”, which reads PDF files, is not installed');
  return file;
}

interface PdfRequest {
  /** The library's file, resolved by the thread that starts the worker. */
  readonly library: string;
  readonly bytes: Uint8Array;
  readonly first: number;
  readonly last: number;
  /** The number of pages without text to draw, and the longest side of a drawing in pixels. */
  readonly maxDrawn: number;
  readonly side: number;
  /** Characters of a page. */
  readonly maxText: number;
  readonly maxMemory: number;
}

interface PdfPage {
  readonly number: number;
  readonly text: string;
  readonly drawn?: { readonly width: number; readonly height: number; readonly data: Uint8Array };
}

type PdfReply =
  | { readonly ok: true; readonly pageCount: number; readonly pages: readonly PdfPage[] }
  | { readonly ok: false; readonly why: string };

interface LibraryMemory {
  readonly buffer: ArrayBuffer;
  grow: (this: LibraryMemory, pages: number) => number;
}

/** The types of this program do not contain it. */
declare const WebAssembly: { readonly Memory: { readonly prototype: LibraryMemory } };

/**
 * The worker runs its source text, so that it works bundled and unbundled: it must not refer to anything
 * outside itself.
 */
async function pdfThread(
  request: PdfRequest,
  load: (file: string) => { readonly PDFiumLibrary: typeof PDFiumLibrary },
  reply: (answer: PdfReply) => void,
): Promise<void> {
  let isFull = false;
  // The options of a thread limit only the memory of JavaScript.
  const { prototype } = WebAssembly.Memory;
  const grow = prototype.grow;
  prototype.grow = function (pages) {
    // After a rejection, the library tries to grow by less.
    isFull = this.buffer.byteLength + pages * 65_536 > request.maxMemory;
    if (isFull) throw new RangeError('The memory is full.');
    return grow.call(this, pages);
  };
  try {
    const library = await load(request.library).PDFiumLibrary.init();
    const document = await library.loadDocument(request.bytes);
    const pageCount = document.getPageCount();
    const pages: PdfPage[] = [];
    let drawn = 0;
    for (let number = request.first; number <= Math.min(request.last, pageCount); number += 1) {
      const page = document.getPage(number - 1);
      const text = page.getText().slice(0, request.maxText);
      if (text.trim() !== '' || drawn >= request.maxDrawn) {
        pages.push({ number, text });
        continue;
      }
      const { originalWidth, originalHeight } = page.getOriginalSize();
      const scale = Math.min(request.side / Math.max(originalWidth, originalHeight, 1), 3);
      const { width, height, data } = await page.render({ scale, render: 'bitmap' });
      pages.push({ number, text, drawn: { width, height, data } });
      drawn += 1;
    }
    // Without memory, the library can leave out a part.
    if (isFull) throw new Error();
    reply({ ok: true, pageCount, pages });
  } catch (thrown) {
    // Not `errorMessage`: the worker knows only what is in this function.
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const megabytes = request.maxMemory / 1_048_576;
    reply({ ok: false, why: isFull ? `reading it takes more than ${megabytes} MB of memory` : why });
  }
}

const pdfThreadSource = `const { parentPort, workerData } = require('node:worker_threads');
(${pdfThread.toString()})(workerData, require, (answer) => parentPort.postMessage(answer));`;

interface PageRange {
  /** From 1, both included. */
  readonly first: number;
  readonly last: number;
}

/** The most pages of a call. */
const MAX_PAGES = 20;

/** Parses `3`, `1-5` or `7-`; all pages by default. Throws with the expected format. */
function parsePages(pages: string | undefined): PageRange {
  if (pages === undefined) return { first: 1, last: MAX_PAGES };
  const [, from, dash, to] = /^(\d+)(?:\s*(-)(?:\s*(\d+))?)?$/.exec(pages.trim()) ?? [];
  const first = Number(from);
  const last = dash === undefined ? first : to === undefined ? Number.MAX_SAFE_INTEGER : Number(to);
  if (from === undefined || first < 1 || last < first) {
    throw new Error(`pages is “${pages}”; expected a page or a range such as "3" or "1-5".`);
  }
  return { first, last: Math.min(last, first + MAX_PAGES - 1) };
}

/** Formats pages of a PDF as text, with images of those without text. */
export async function showPdf(
  file: string,
  bytes: Buffer,
  input: ReadInput,
  signal: AbortSignal,
): Promise<ShownContent> {
  const range = parsePages(input.pages);
  const { pageCount, pages } = await readPdf(bytes, range, signal);
  if (pages.length === 0)
    throw new Error(`it has ${pageCount} pages, and page ${range.first} is none of them`);
  const parts: ShownPart[] = [];
  let room = PAGE_CHARS;
  let last = 0;
  for (const { number, text, drawn } of pages) {
    if (text.length > room && parts.length > 0) break;
    const body =
      text.trim() === '' ? (drawn ? '(no text; a picture of it follows)' : '(no text)') : text.trim();
    parts.push({
      kind: 'text',
      text: `--- page ${number} of ${pageCount} ---\n${body.slice(0, PAGE_CHARS)}`,
    });
    if (drawn) parts.push({ kind: 'image', ...(await encodePixels(drawn.data, drawn)) });
    room -= text.length;
    last = number;
  }
  if (last < pageCount && (input.pages === undefined || last < range.last))
    parts.push({
      kind: 'text',
      text: `(${pageCount - last} more pages; continue with pages "${last + 1}-")`,
    });
  return { data: { path: file, kind: 'pdf', size: bytes.length, parts } };
}
