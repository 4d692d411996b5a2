/** Instruction files as text for the model, and the list of files that such a text contains. */
import type { InstructionFile } from './instruction-files.ts';

/** The key of the text among the facts before the conversation. */
export const INSTRUCTIONS = 'Instructions';

const INTRODUCTION =
  'The user and the project ask you to work like this. If two of these disagree, follow the later one.';

/** Undefined if there are no files. */
export function instructionText(files: readonly InstructionFile[]): string | undefined {
  if (files.length === 0) return undefined;
  const parts = files.map(({ file, reason, text }) => `## ${file} (${reason})\n\n${text}`);
  return [INTRODUCTION, ...parts].join('\n\n');
}

export interface AppliedInstructions {
  readonly file: string;
  readonly reason: string;
}

/** The files of a stored text, found by their headings: a resumed session keeps the text that it began with. */
export function appliedInstructions(
  userContext: Readonly<Record<string, string>>,
): readonly AppliedInstructions[] {
  const headings = (userContext[INSTRUCTIONS] ?? '').matchAll(HEADING);
  return Array.from(headings, ([, file = '', reason = '']) => ({ file, reason }));
}

/** A heading in the text of a file has another ending. */
const HEADING =
  /^## (.+) \((of the organization|the project's|the user's, for (?:all projects|this project)|imported by .+)\)$/gm;
