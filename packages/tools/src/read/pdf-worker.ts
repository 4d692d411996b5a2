/** Runs in a thread of its own: a PDF can keep a reader busy for minutes, and a thread can be ended. */
import type { PDFiumLibrary } from '@hyzyla/pdfium';

export interface PdfRequest {
  /** The library's file, resolved by whoever starts the thread. */
  readonly library: string;
  readonly bytes: Uint8Array;
  readonly first: number;
  readonly last: number;
  /** Pages without text that are drawn instead, and the longest side of a drawing in pixels. */
  readonly maxDrawn: number;
  readonly side: number;
}

export interface PdfPage {
  readonly number: number;
  readonly text: string;
  readonly drawn?: { readonly width: number; readonly height: number; readonly data: Uint8Array };
}

export type PdfReply =
  | { readonly ok: true; readonly pageCount: number; readonly pages: readonly PdfPage[] }
  | { readonly ok: false; readonly why: string };

/**
 * Its source text is what the thread runs, so that it works unbundled and bundled alike: it must refer to nothing outside
 * itself.
 */
async function pdfThread(
  request: PdfRequest,
  load: (file: string) => { readonly PDFiumLibrary: typeof PDFiumLibrary },
  reply: (answer: PdfReply) => void,
): Promise<void> {
  try {
    const library = await load(request.library).PDFiumLibrary.init();
    const document = await library.loadDocument(request.bytes);
    const pageCount = document.getPageCount();
    const pages: PdfPage[] = [];
    let drawn = 0;
    for (let number = request.first; number <= Math.min(request.last, pageCount); number += 1) {
      const page = document.getPage(number - 1);
      const text = page.getText();
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
    reply({ ok: true, pageCount, pages });
  } catch (thrown) {
    reply({ ok: false, why: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

export const pdfThreadSource = `const { parentPort, workerData } = require('node:worker_threads');
(${pdfThread.toString()})(workerData, require, (answer) => parentPort.postMessage(answer));`;
