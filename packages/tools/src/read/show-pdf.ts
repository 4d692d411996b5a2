/** Formats pages of a PDF as text, with images of those without text. */
import { encodePixels } from './image.ts';
import { PAGE_CHARS, type ShownContent, type ShownPart } from './page.ts';
import { parsePages } from './pdf-pages.ts';
import { readPdf } from './pdf.ts';
import type { ReadInput } from './schema.ts';

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
