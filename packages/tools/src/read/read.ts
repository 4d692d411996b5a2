/** Read: shows text with line numbers, images, PDF pages and notebooks. */
import {
  type CallContext,
  errorCode,
  type ResultContent,
  type Tool,
  type ToolResult,
  omitUndefined,
} from '@heddle/core';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Content, withContent } from '../files/content.ts';
import { fileToolDeps, type FileTools } from '../files/deps.ts';
import { FileError, shownPath } from '../files/errors.ts';
import { permittedPlace } from '../files/path.ts';
import { PinnedFolder } from '../files/pinned.ts';
import { inputSchemas } from '../generated/schemas.ts';
import { numbered, type ReadData, type ShownPart } from './page.ts';
import type { ReadInput } from './schema.ts';
import { showContent, showHuge } from './show.ts';

export function createReadTool(tools: FileTools): Tool<ReadInput, ReadData> {
  return {
    name: 'Read',
    description:
      'Reads a file: text with line numbers, images, PDF pages, Jupyter notebooks. Shows it whole unless it is very long; then the first page, and the offset to continue with.',
    inputJSONSchema: inputSchemas.Read,
    inputSchema: async () => (await import('./schema.ts')).readInput,
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    maxResultSize: 100_000,
    compactable: true,
    interruptBehavior: 'cancel',
    call: async (input, context) => ({ data: await readFile(input, context, tools) }),
    toResult: readResult,
  };
}

/** For hosts that assemble their own set of tools. */
export const readTool = createReadTool(fileToolDeps());

async function readFile(input: ReadInput, context: CallContext, tools: FileTools): Promise<ReadData> {
  // Links are followed first, so that two names of one file share one state.
  const file = permittedPlace(input.file_path, context);
  try {
    return await withContent(
      file,
      context.signal,
      (content) => readContent(file, content, input, context, tools),
      (handle) => showHuge(file, handle, input, context.signal),
    );
  } catch (thrown) {
    const isMissing = thrown instanceof FileError && errorCode(thrown.cause) === 'ENOENT';
    throw isMissing ? await missingFile(file, context.workingDirectory) : thrown;
  }
}

/** Longer texts are not compared later. In characters. */
const MAX_KEPT_TEXT = 1024 * 1024;

async function readContent(
  file: string,
  { bytes, hash, mtimeMs: readAt }: Content,
  input: ReadInput,
  context: CallContext,
  tools: FileTools,
): Promise<ReadData> {
  const { data, text } = await showContent(file, bytes, input, context.signal);
  context.fileState.set(file, {
    hash,
    readAt,
    ...omitUndefined({ range: data.range }),
    ...(text === undefined || text.length > MAX_KEPT_TEXT ? {} : { text }),
  });
  if (text !== undefined) tools.knownTexts.keep(hash, text);
  return data;
}

const MAX_NAMES = 3;

async function missingFile(file: string, workingDirectory: string): Promise<FileError> {
  const name = shownPath(file);
  if (!(await exists(workingDirectory)))
    return new FileError(
      `${name} cannot be read: the working directory ${shownPath(workingDirectory)} no longer exists.`,
    );
  const folder = path.dirname(file);
  const names = await namesIn(folder);
  if (names === undefined)
    return new FileError(`${name} cannot be read: there is no such folder as ${shownPath(folder)}.`);
  const alike = names.filter((other) => resembles(other, path.basename(file))).slice(0, MAX_NAMES);
  const meant = alike.length === 0 ? '' : ` Did you mean ${alike.map(shownPath).join(' or ')}?`;
  return new FileError(`${name} cannot be read: there is no such file.${meant}`);
}

/** `folder` is a real path. */
async function namesIn(folder: string): Promise<string[] | undefined> {
  try {
    const pinned = PinnedFolder.open(folder);
    try {
      return await readdir(pinned.at('.'));
    } finally {
      pinned.close();
    }
  } catch {
    return undefined;
  }
}

/**
 * Returns true for the same letters in another case, form or spacing, or the same name with another
 * extension.
 */
function resembles(a: string, b: string): boolean {
  const letters = (name: string): string =>
    name
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[\s_-]/g, '');
  const stem = (name: string): string => letters(path.parse(name).name);
  return letters(a) === letters(b) || (stem(a) !== '' && stem(a) === stem(b));
}

async function exists(folder: string): Promise<boolean> {
  try {
    return (await stat(folder)).isDirectory();
  } catch {
    return false;
  }
}

function readResult({ parts }: ReadData): ToolResult {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && only.kind !== 'image') return { content: textOfPart(only) };
  return { content: parts.map(blockOf) };
}

function blockOf(part: ShownPart): ResultContent {
  if (part.kind !== 'image') return { type: 'text', text: textOfPart(part) };
  const { mediaType, base64 } = part;
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } };
}

function textOfPart(part: Exclude<ShownPart, { readonly kind: 'image' }>): string {
  if (part.kind === 'text') return part.text;
  return [numbered(part.lines, part.first), part.note].filter((text) => text !== '').join('\n');
}
