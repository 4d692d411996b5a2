/** A notebook as the model reads it: cells with their ids and outputs. Pure, but for the images, which are prepared later. */
import { type Cell, isFields, joined, type Notebook } from '../notebook/cells.ts';
import type { Range } from './page.ts';
import { PAGE_CHARS } from './page.ts';
import type { ShownCell } from './shown.ts';

type NotebookPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly bytes: Buffer };

export interface NotebookPage {
  readonly parts: readonly NotebookPart[];
  readonly cells: readonly ShownCell[];
  /** Position of the cell after the page, from 1; undefined at the end. */
  readonly next: number | undefined;
}

/** Characters of one output. Training logs and tables fill a context otherwise. */
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
  const data = isFields(output['data']) ? output['data'] : {};
  const image = joined(data['image/png'] ?? data['image/jpeg']);
  const words =
    output['output_type'] === 'error'
      ? `${joined(output['ename'])}: ${joined(output['evalue'])}`
      : joined(output['text']) || joined(data['text/plain']);
  const parts: NotebookPart[] = [];
  if (words !== '') parts.push(shortened(text(`<output>\n${withoutColours(words)}\n</output>`), MAX_OUTPUT));
  if (image !== '') parts.push({ kind: 'image', bytes: Buffer.from(image, 'base64') });
  return parts;
}

function shortened(part: NotebookPart, limit: number): NotebookPart {
  if (part.kind === 'image' || part.text.length <= limit) return part;
  return text(`${part.text.slice(0, limit)}\n… ${part.text.length - limit} characters left out`);
}

function withoutColours(words: string): string {
  // oxlint-disable-next-line no-control-regex -- terminal colours begin with a control character
  return words.replaceAll(/\u001b\[[0-9;]*m/g, '');
}

function text(value: string): NotebookPart {
  return { kind: 'text', text: value };
}
