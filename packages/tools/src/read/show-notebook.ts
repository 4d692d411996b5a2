/** A page of a notebook: cells, outputs, pictures. */
import { Interrupted } from '../files/abort.ts';
import { reasonOf, shownPath } from '../files/errors.ts';
import { readNotebook } from '../notebook/cells.ts';
import { prepareImage } from './image.ts';
import { imageTypeOf } from './kinds.ts';
import { notebookPage } from './notebook.ts';
import { rangeOf } from './page.ts';
import type { ReadInput } from './schema.ts';
import type { Shown, ShownPart } from './shown.ts';

export async function showNotebook(
  file: string,
  json: string,
  input: ReadInput,
  signal: AbortSignal,
): Promise<Shown> {
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
    parts.push({ kind: 'text', text: `(${left} more cells; go on with offset ${page.next})` });
  }
  return { data: { path: file, kind: 'notebook', parts, cells: page.cells }, text: json };
}

/** One bad picture in an output does not hide the rest of the notebook. */
async function outputImage(bytes: Buffer, signal: AbortSignal): Promise<ShownPart> {
  const type = imageTypeOf(bytes);
  try {
    if (type === undefined) return { kind: 'text', text: '[an output in a form that cannot be shown]' };
    return { kind: 'image', ...(await prepareImage(bytes, type, signal)) };
  } catch (thrown) {
    if (thrown instanceof Interrupted) throw thrown;
    return { kind: 'text', text: `[an image that cannot be shown: ${reasonOf(thrown)}]` };
  }
}
