/** What a file's content shows, by its kind. The rarer kinds are loaded when one comes. */
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Interrupted } from '../files/abort.ts';
import { decodeText, printable } from '../files/encoding.ts';
import { binaryFileError, FileError, reasonOf, shownPath } from '../files/errors.ts';
import { readHugePage } from './huge.ts';
import { prepareImage, type PreparedImage } from './image.ts';
import { imageTypeOf, isPdf, nameOfBinary } from './kinds.ts';
import { pageOf, rangeOf, splitLines } from './page.ts';
import type { ReadInput } from './schema.ts';
import { encodingNote, textData } from './show-text.ts';
import type { ReadData, Shown, ShownPart } from './shown.ts';

export async function showContent(
  file: string,
  bytes: Buffer,
  input: ReadInput,
  signal: AbortSignal,
): Promise<Shown> {
  const imageType = imageTypeOf(bytes);
  if (imageType !== undefined)
    return explained(file, async () => ({
      data: showImage(file, bytes.length, await prepareImage(bytes, imageType, signal)),
    }));
  if (isPdf(bytes))
    return explained(file, async () => (await import('./show-pdf.ts')).showPdf(file, bytes, input, signal));
  const decoded = decodeText(bytes);
  if (decoded === undefined) throw binaryFileError(file, nameOfBinary(bytes));
  if (path.extname(file).toLowerCase() === '.ipynb')
    return explained(file, async () =>
      (await import('./show-notebook.ts')).showNotebook(file, decoded.text, input, signal),
    );
  const lines = splitLines(printable(decoded));
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

async function explained(file: string, show: () => Promise<Shown>): Promise<Shown> {
  try {
    return await show();
  } catch (thrown) {
    if (thrown instanceof Interrupted) throw thrown;
    throw new FileError(`${shownPath(file)} cannot be shown: ${reasonOf(thrown)}`);
  }
}
