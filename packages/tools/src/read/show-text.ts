/** A page of text and what has to be said about it. Pure. */
import type { Encoding } from '../files/encoding.ts';
import { shownPath } from '../files/errors.ts';
import type { Page } from './page.ts';
import type { ReadInput } from './schema.ts';
import type { ReadData, ShownPart } from './shown.ts';

export function textData(
  file: string,
  page: Page,
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
  { lines, next, cut }: Page,
  offset: number,
  totalLines: number | undefined,
): string {
  if (totalLines === 0) return `${shownPath(file)} is empty.`;
  if (lines.length === 0) return `${shownPath(file)} has only ${totalLines} lines.`;
  const cutNote = cut > 0 ? `(line ${offset + lines.length - 1} is cut: it is longer than a page)` : '';
  if (next === undefined) return cutNote;
  const more = totalLines === undefined ? 'more' : `${totalLines - next + 1} more`;
  return [cutNote, `(${more} lines; go on with offset ${next})`].filter((part) => part !== '').join('\n');
}

export function encodingNote(encoding: Encoding): string {
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
