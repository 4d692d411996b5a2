/** Read: text with line numbers, images, PDF pages, notebooks. */
import type { CallContext, Tool } from '@heddle/core';
import { type Content, withContent } from '../files/content.ts';
import { type FileTools, openDoors } from '../files/doors.ts';
import { codeOf, FileError } from '../files/errors.ts';
import { permittedPlace } from '../files/path.ts';
import { inputSchemas } from '../generated/schemas.ts';
import { missingFile } from './missing.ts';
import type { ReadInput } from './schema.ts';
import { resultOf } from './result.ts';
import { showContent, showHuge } from './show.ts';
import type { ReadData } from './shown.ts';

export function createReadTool(tools: FileTools): Tool<ReadInput, ReadData> {
  return {
    name: 'Read',
    description:
      'Reads a file: text with line numbers, images, PDF pages, Jupyter notebooks. Shows it whole unless it is very long; then the first page, and offset to go on with.',
    inputJSONSchema: inputSchemas.Read,
    inputSchema: async () => (await import('./schema.ts')).readInput,
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    maxResultSize: 100_000,
    compactable: true,
    interruptBehavior: 'cancel',
    call: async (input, context) => ({ data: await readFile(input, context, tools) }),
    toResult: resultOf,
  };
}

/** For hosts that put their own set of tools together. */
export const readTool = createReadTool(openDoors());

async function readFile(input: ReadInput, context: CallContext, tools: FileTools): Promise<ReadData> {
  // Links are followed first: two names of one file share what is known of it.
  const file = permittedPlace(input.file_path, context);
  try {
    return await withContent(
      file,
      context.signal,
      (content) => readContent(file, content, input, context, tools),
      (handle) => showHuge(file, handle, input, context.signal),
    );
  } catch (thrown) {
    const isMissing = thrown instanceof FileError && codeOf(thrown.cause) === 'ENOENT';
    throw isMissing ? await missingFile(file, context.workingDirectory) : thrown;
  }
}

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
    ...(data.range === undefined ? {} : { range: data.range }),
  });
  if (text !== undefined) tools.knownTexts.keep(hash, text);
  return data;
}
