/** Read: a file's text with line numbers. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Tool } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import type { ReadInput } from './schema.ts';

interface ReadData {
  readonly path: string;
  readonly text: string;
  readonly firstLine: number;
  readonly shownLines: number;
  readonly totalLines: number;
}

/** Lines a call shows unless it asks for a range: enough for most files, far below what fills a context. */
const PAGE_LINES = 2_000;

/** Larger files are read by range, with a tool made for it. */
const MAX_BYTES = 32 * 1024 * 1024;

export const readTool: Tool<ReadInput, ReadData> = {
  name: 'Read',
  description:
    'Reads a text file and shows it with line numbers. Reads the first 2,000 lines unless offset and limit say otherwise.',
  inputJSONSchema: inputSchemas.Read,
  inputSchema: async () => (await import('./schema.ts')).readInput,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  maxResultSize: 100_000,
  compactable: true,
  interruptBehavior: 'cancel',

  async call(input, context) {
    const file = path.resolve(context.workingDirectory, input.file_path);
    const about = await stat(file).catch((thrown: unknown) => {
      throw new Error(`${file} cannot be read: ${reasonOf(thrown)}`);
    });
    if (about.isDirectory()) throw new Error(`${file} is a directory. List it with a shell command instead.`);
    if (!about.isFile()) throw new Error(`${file} is not a regular file, so reading it could wait for ever.`);
    if (about.size > MAX_BYTES)
      throw new Error(`${file} has ${about.size} bytes; show a part of it with a shell command.`);
    const bytes = await readFile(file, { signal: context.signal });
    if (bytes.includes(0)) throw new Error(`${file} looks like a binary file.`);
    context.fileState.set(file, {
      hash: createHash('sha256').update(bytes).digest('hex'),
      readAt: about.mtimeMs,
    });
    return { data: page(file, bytes.toString('utf8'), input) };
  },

  toResult(data) {
    if (data.totalLines === 0) return { content: `${data.path} is empty.` };
    if (data.shownLines === 0) return { content: `${data.path} has only ${data.totalLines} lines.` };
    const last = data.firstLine + data.shownLines - 1;
    const more =
      last < data.totalLines ? `\n(${data.totalLines - last} more lines; go on with offset ${last + 1})` : '';
    return { content: data.text + more };
  },
};

function page(file: string, text: string, { offset = 1, limit = PAGE_LINES }: ReadInput): ReadData {
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  const numbered = shown.map((line, index) => `${String(offset + index).padStart(6)}\t${line}`);
  return {
    path: file,
    text: numbered.join('\n'),
    firstLine: offset,
    shownLines: shown.length,
    totalLines: lines.length,
  };
}

function reasonOf(thrown: unknown): string {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  switch ('code' in error ? error.code : undefined) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EACCES':
      return 'permission denied';
    case 'ELOOP':
      return 'its symbolic links go in a circle';
    default:
      return error.message;
  }
}
