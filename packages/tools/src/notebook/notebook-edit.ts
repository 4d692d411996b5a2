/** NotebookEdit: changes one cell of a Jupyter notebook that was read. */
import type { Tool } from '@heddle/core';
import type { FileChange } from '../files/change.ts';
import { changeFile } from '../files/change-file.ts';
import { hashOf } from '../files/content.ts';
import type { FileTools } from '../files/deps.ts';
import { decodeText, encodeText, lineEndingOf } from '../files/encoding.ts';
import { binaryFileError, FileError, fileErrorReason, shownPath } from '../files/errors.ts';
import { recordedText } from '../files/recorded-change.ts';
import { inputSchemas } from '../generated/schemas.ts';
import { editNotebook } from './cells.ts';
import type { NotebookEditInput } from './schema.ts';

interface NotebookEditData {
  readonly path: string;
  readonly mode: 'replace' | 'insert' | 'delete';
  readonly cellId: string;
  readonly cellType: string;
  readonly language: string;
  readonly oldSource: string | undefined;
  /** The notebook before and after; null if it is too long to record. */
  readonly original: string | null;
  readonly updated: string | null;
}

export function createNotebookEditTool(tools: FileTools): Tool<NotebookEditInput, NotebookEditData> {
  const { traits, perform } = changeFile(
    tools,
    ({ notebook_path }: NotebookEditInput) => notebook_path,
    changeOf,
  );
  return {
    name: 'NotebookEdit',
    description: 'Replaces, inserts or deletes one cell of a Jupyter notebook (.ipynb) that was read before.',
    inputJSONSchema: inputSchemas.NotebookEdit,
    inputSchema: async () => (await import('./schema.ts')).notebookEditInput,
    ...traits,

    async call(input, context) {
      const { file, current, bytes, about } = await perform(input, context);
      const recorded = { original: recordedBytes(current?.bytes), updated: recordedBytes(bytes) };
      return { data: { path: file, mode: modeOf(input), ...about, ...recorded } };
    },

    toResult: ({ path, mode, cellId }) => ({
      content: `${DONE[mode]} cell ${cellId} of ${shownPath(path)}.`,
    }),
  };
}

const DONE = { replace: 'Replaced', insert: 'Inserted', delete: 'Deleted' } as const;

function modeOf({ edit_mode }: NotebookEditInput): NotebookEditData['mode'] {
  return edit_mode ?? 'replace';
}

function recordedBytes(bytes: Buffer | undefined): string | null {
  return bytes === undefined ? null : recordedText(decodeText(bytes)?.text ?? '');
}

function changeOf(
  input: NotebookEditInput,
): FileChange<Pick<NotebookEditData, 'cellId' | 'cellType' | 'language' | 'oldSource'>> {
  return (current) => {
    const name = shownPath(input.notebook_path);
    if (!/\.ipynb$/i.test(input.notebook_path))
      throw new FileError(`${name} is not a notebook (.ipynb). Use Edit for other files.`);
    if (current === undefined) throw new FileError(`There is no notebook ${name}.`);
    if (modeOf(input) === 'insert' && input.cell_type === undefined)
      throw new FileError('cell_type is needed to insert a cell: code or markdown.');
    const decoded = decodeText(current.bytes);
    if (decoded === undefined) throw binaryFileError(input.notebook_path);
    try {
      // Raw line breaks occur only between values, so they can be restored.
      const windows = lineEndingOf(decoded.text) === '\r\n';
      const { json, id, ...cell } = editNotebook(
        windows ? decoded.text.replaceAll('\r\n', '\n') : decoded.text,
        {
          mode: modeOf(input),
          id: input.cell_id,
          source: input.new_source,
          type: input.cell_type,
          // Derived from the content instead of chance: the intent contains the hash of the future file.
          newId: hashOf(Buffer.from(`${current.hash} ${input.cell_id} ${input.new_source}`)).slice(0, 8),
        },
      );
      const text = windows ? json.replaceAll('\n', '\r\n') : json;
      return { bytes: encodeText({ ...decoded, text }), about: { cellId: id, ...cell } };
    } catch (thrown) {
      throw new FileError(`${name} was not changed: ${fileErrorReason(thrown)}.`);
    }
  };
}
