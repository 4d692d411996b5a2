/** Edit: replaces exact text in a file that was read. */
import type { Tool } from '@heddle/core';
import type { FileChange } from '../files/change.ts';
import { changeFile } from '../files/change-file.ts';
import type { FileTools } from '../files/deps.ts';
import { decodeText, encodeText } from '../files/encoding.ts';
import { binaryFileError, FileError, shownPath } from '../files/errors.ts';
import { type RecordedChange, createChangeRecord } from '../files/recorded-change.ts';
import { inputSchemas } from '../generated/schemas.ts';
import { type AppliedStep, applyEdits, type EditStep } from './apply.ts';
import { describeLines } from './near-miss.ts';
import type { EditInput } from './schema.ts';

const MAX_LISTED = 20;

interface EditData extends RecordedChange {
  readonly path: string;
  readonly created: boolean;
  readonly steps: readonly AppliedStep[];
}

export function createEditTool(tools: FileTools): Tool<EditInput, EditData> {
  const { traits, perform } = changeFile(tools, ({ file_path }: EditInput) => file_path, changeOf);
  return {
    name: 'Edit',
    description:
      'Replaces text in a file that was read before. old_string must match exactly, indentation included, and occur once unless replace_all is set. An empty old_string creates a file.',
    inputJSONSchema: inputSchemas.Edit,
    inputSchema: async () => (await import('./schema.ts')).editInput,
    ...traits,

    async call(input, context) {
      const change = await perform(input, context);
      const { file, current, about } = change;
      const recorded = await createChangeRecord(change);
      return { data: { path: file, created: current === undefined, steps: about, ...recorded } };
    },

    toResult({ path, created, steps }) {
      if (created) return { content: `Created ${shownPath(path)}.` };
      const lines = steps.flatMap((step) => step.lines);
      const kept = steps.some(({ folded }) => folded)
        ? ' The file’s own quotes and accents were matched and kept.'
        : '';
      const moved = steps.some(({ shifted }) => shifted)
        ? ' old_string was indented differently; new_string was moved to the indentation of the file.'
        : '';
      const note = kept + moved;
      return {
        content: `Edited ${shownPath(path)}: ${lines.length} ${lines.length === 1 ? 'replacement' : 'replacements'}, ${describeLines(lines, MAX_LISTED)}.${note}`,
      };
    },
  };
}

function changeOf(input: EditInput): FileChange<readonly AppliedStep[]> {
  return (current) => {
    const edits = editsOf(input);
    if (current === undefined && !(edits.length === 1 && edits[0]?.old_string === '')) {
      throw new FileError(`There is no file ${shownPath(input.file_path)} to edit. Create it with Write.`);
    }
    const decoded =
      current === undefined
        ? { text: '', encoding: 'utf-8' as const, bom: false }
        : decodeText(current.bytes);
    if (decoded === undefined) throw binaryFileError(input.file_path);
    const applied = applyEdits(decoded.text, edits);
    if (!applied.ok) throw new FileError(applied.message);
    return { bytes: encodeText({ ...decoded, text: applied.text }), about: applied.steps };
  };
}

function editsOf({ edits, old_string, new_string, replace_all }: EditInput): readonly EditStep[] {
  if (edits !== undefined) return edits;
  return [{ old_string: old_string ?? '', new_string: new_string ?? '', replace_all }];
}
