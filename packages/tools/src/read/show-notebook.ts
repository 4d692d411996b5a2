/** Formats a page of a notebook: cells, outputs, images. */
import { isRecord } from '@heddle/core';
import { Interrupted } from '../files/abort.ts';
import { fileErrorReason, shownPath } from '../files/errors.ts';
import { type Cell, joinSource, type Notebook, readNotebook } from '../notebook/cells.ts';
import { prepareImage } from './image.ts';
import {
  imageTypeOf,
  PAGE_CHARS,
  type Range,
  rangeOf,
  type ShownCell,
  type ShownContent,
  type ShownPart,
} from './page.ts';
import type { ReadInput } from './schema.ts';

export async function showNotebook(
  file: string,
  json: string,
  input: ReadInput,
  signal: AbortSignal,
): Promise<ShownContent> {
  const notebook = readNotebook(json);
  const page = notebookPage(notebook, rangeOf(input));
  const parts: ShownPart[] = [];
  for (const part of page.parts) {
    parts.push(part.kind === 'text' ? part : await outputImage(part.bytes, signal));
  }
  if (notebook.cells.length === 0) parts.push({ kind: 'text', text: `${shownPath(file)} has no cells.` });
  else if (parts.length === 0)
    parts.push({ kind: 'text', text: `${shownPath(file)} has only ${notebook.cells.length} cells.` });
  if (page.next !== undefined) {
    const left = notebook.cells.length - page.next + 1;
    parts.push({ kind: 'text', text: `(${left} more cells; continue with offset ${page.next})` });
  }
  return { data: { path: file, kind: 'notebook', parts, cells: page.cells }, text: json };
}

/** One invalid image in an output does not hide the rest of the notebook. */
async function outputImage(bytes: Buffer, signal: AbortSignal): Promise<ShownPart> {
  const type = imageTypeOf(bytes);
  try {
    if (type === undefined) return { kind: 'text', text: '[an output in a form that cannot be shown]' };
    return { kind: 'image', ...(await prepareImage(bytes, type, signal)) };
  } catch (thrown) {
    if (thrown instanceof Interrupted) throw thrown;
    return { kind: 'text', text: `[an image that cannot be shown: ${fileErrorReason(thrown)}]` };
  }
}

type NotebookPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly bytes: Buffer };

export interface NotebookPage {
  readonly parts: readonly NotebookPart[];
  readonly cells: readonly ShownCell[];
  /** Position of the cell after the page, from 1. Undefined at the end. */
  readonly next: number | undefined;
}

/** Characters of one output. Training logs and tables would fill the context. */
const MAX_OUTPUT = 4_000;
const MAX_IMAGES = 8;

export function notebookPage({ cells, language }: Notebook, { offset, limit }: Range): NotebookPage {
  const parts: NotebookPart[] = [];
  const shown: ShownCell[] = [];
  let room = PAGE_CHARS;
  let images = MAX_IMAGES;
  for (const [index, cell] of cells.entries()) {
    if (index < offset - 1) continue;
    const cellParts = partsOf(cell, language, images);
    const cost = cellParts.reduce((sum, part) => sum + (part.kind === 'text' ? part.text.length : 0), 0);
    if (index - offset + 1 >= limit || (cost > room && parts.length > 0))
      return { parts, cells: shown, next: index + 1 };
    const { id, type, source } = cell;
    shown.push({ id, type, source: source.slice(0, PAGE_CHARS), language });
    parts.push(...cellParts.map((part) => shortened(part, PAGE_CHARS)));
    images -= cellParts.filter(({ kind }) => kind === 'image').length;
    room -= cost;
  }
  return { parts, cells: shown, next: undefined };
}

function partsOf(cell: Cell, language: string, images: number): NotebookPart[] {
  const kind = cell.type === 'code' ? language : cell.type;
  const texts: NotebookPart[] = [text(`<cell id="${cell.id}" type="${kind}">\n${cell.source}\n</cell>`)];
  for (const output of cell.outputs) texts.push(...outputParts(output));
  let left = images;
  return texts.map((part) => {
    if (part.kind === 'text') return part;
    left -= 1;
    return left >= 0 ? part : text('[an image, left out: too many]');
  });
}

function outputParts(output: Readonly<Record<string, unknown>>): NotebookPart[] {
  const data = isRecord(output['data']) ? output['data'] : {};
  const image = joinSource(data['image/png'] ?? data['image/jpeg']);
  const words =
    output['output_type'] === 'error'
      ? `${joinSource(output['ename'])}: ${joinSource(output['evalue'])}`
      : joinSource(output['text']) || joinSource(data['text/plain']);
  const parts: NotebookPart[] = [];
  if (words !== '') parts.push(shortened(text(`<output>\n${withoutColors(words)}\n</output>`), MAX_OUTPUT));
  if (image !== '') parts.push({ kind: 'image', bytes: Buffer.from(image, 'base64') });
  return parts;
}

function shortened(part: NotebookPart, limit: number): NotebookPart {
  if (part.kind === 'image' || part.text.length <= limit) return part;
  return text(`${part.text.slice(0, limit)}\n… ${part.text.length - limit} characters left out`);
}

function withoutColors(words: string): string {
  // oxlint-disable-next-line no-control-regex -- terminal colors begin with a control character
  return words.replaceAll(/\u001b\[[0-9;]*m/g, '');
}

function text(value: string): NotebookPart {
  return { kind: 'text', text: value };
}
