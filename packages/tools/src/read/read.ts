/** Read: text with line numbers, images, PDF pages, notebooks. */
import { realpath } from 'node:fs/promises';
import type { CallContext, Tool } from '@heddle/core';
import { contentOf, MAX_WHOLE_BYTES, withFile } from '../files/content.ts';
import { type FileTools, openDoors } from '../files/doors.ts';
import { codeOf, FileError, fileError } from '../files/errors.ts';
import { resolvePath } from '../files/path.ts';
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
  const file = await realFile(resolvePath(input.file_path, context.workingDirectory), context);
  return withFile(file, async (handle, about) => {
    if (about.size > MAX_WHOLE_BYTES) return showHuge(file, handle, input, context.signal);
    const content = await contentOf(handle, about, context.signal);
    const { data, text } = await showContent(file, content.bytes, input, context.signal);
    const { hash, mtimeMs: readAt } = content;
    context.fileState.set(file, {
      hash,
      readAt,
      ...(data.range === undefined ? {} : { range: data.range }),
    });
    if (text !== undefined) tools.knownTexts.keep(hash, text);
    return data;
  });
}

/** Links are followed first: two names of one file share what is known of it. */
async function realFile(file: string, { workingDirectory }: CallContext): Promise<string> {
  try {
    return await realpath(file);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') throw await missingFile(file, workingDirectory);
    throw thrown instanceof FileError ? thrown : fileError('cannot be read', file, thrown);
  }
}
