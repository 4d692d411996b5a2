/** Write: writes a whole file, new or in place of one that was read. */
import type { Tool } from '@heddle/core';
import type { FileChange } from '../files/change.ts';
import { changeFile } from '../files/change-file.ts';
import type { FileTools } from '../files/deps.ts';
import { decodeText, encodeText, lineEndingOf } from '../files/encoding.ts';
import { FileError, shownPath } from '../files/errors.ts';
import { type RecordedChange, createChangeRecord } from '../files/recorded-change.ts';
import { inputSchemas } from '../generated/schemas.ts';
import type { WriteInput } from './schema.ts';

interface WriteData extends RecordedChange {
  readonly path: string;
  readonly created: boolean;
  readonly changed: boolean;
}

export function createWriteTool(tools: FileTools): Tool<WriteInput, WriteData> {
  const { traits, perform } = changeFile(tools, ({ file_path }: WriteInput) => file_path, changeOf);
  return {
    name: 'Write',
    description:
      'Writes a whole file and creates its folders. An existing file must have been read before; prefer Edit for changing a part of it.',
    inputJSONSchema: inputSchemas.Write,
    inputSchema: async () => (await import('./schema.ts')).writeInput,
    ...traits,

    async call(input, context) {
      const planned = await perform(input, context);
      const { file, current, hash } = planned;
      const recorded = await createChangeRecord(planned);
      const created = current === undefined;
      return { data: { path: file, created, changed: current?.hash !== hash, ...recorded } };
    },

    toResult({ path, created, changed }) {
      const name = shownPath(path);
      if (!changed) return { content: `${name} already has this content.` };
      return { content: `${created ? 'Created' : 'Wrote'} ${name}.` };
    },
  };
}

/** Keeps the file's encoding, byte-order mark and line endings. Everything else comes from the model. */
function changeOf({ content }: WriteInput): FileChange<undefined> {
  return (current) => {
    if (!content.isWellFormed())
      throw new FileError(
        'The content contains half a character (a lone surrogate). Write whole characters.',
      );
    const old = current === undefined ? undefined : decodeText(current.bytes);
    if (old === undefined) return { bytes: Buffer.from(content), about: undefined };
    const bare = old.bom && content.startsWith('\ufeff') ? content.slice(1) : content;
    const text = lineEndingOf(old.text) === '\r\n' ? bare.replaceAll(/\r?\n/g, '\r\n') : bare;
    const encoding = old.encoding === 'utf-8 escaped' ? 'utf-8' : old.encoding;
    return { bytes: encodeText({ text, encoding, bom: old.bom }), about: undefined };
  };
}
