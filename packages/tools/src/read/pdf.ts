/** Pages of a PDF: their text, or a picture of a page that has none. */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { Interrupted, stopIfAborted } from '../files/abort.ts';
import type { PageRange } from './pdf-pages.ts';
import { pdfThreadSource, type PdfPage, type PdfReply, type PdfRequest } from './pdf-worker.ts';

const MAX_DRAWN = 5;
/** Enough to read small print; larger images are scaled down by the API anyway. */
const DRAWN_SIDE = 1_568;
const TIME_LIMIT_MS = 30_000;

export interface PdfPages {
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
  };
  const worker = new Worker(pdfThreadSource, { eval: true, workerData: request });
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
  try {
    return createRequire(import.meta.url).resolve('@hyzyla/pdfium');
  } catch {
    throw new Error('“@hyzyla/pdfium”, which reads PDF files, is not installed');
  }
}
