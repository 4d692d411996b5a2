/** What came of a call, in one line. */
import { textOf, type ToolResultBlock } from '@heddle/core';
import { harmless } from '../../terminal/harmless.ts';
import type { Style } from '../style.ts';
import { counted, shortened } from './amounts.ts';

const LONGEST = 100;
/** Their first line tells nothing: it is what was looked for. */
const COUNTED: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob']);

export function resultLine(tool: string, result: ToolResultBlock, { paint, signs }: Style): string {
  const lines = linesOf(result);
  if (result.is_error) return `${paint('red', signs.failed)} ${firstOf(lines, signs.more)}`;
  const said =
    COUNTED.has(tool) && lines.length > 1 ? counted(lines.length, 'line') : firstOf(lines, signs.more);
  return `${paint('green', signs.ok)} ${said}`;
}

function firstOf(lines: readonly string[], more: string): string {
  const [first = ''] = lines;
  const said = shortened(first, LONGEST, more);
  if (lines.length === 0) return 'done';
  return lines.length === 1 ? said : `${said} (${counted(lines.length - 1, 'more line')})`;
}

/** Without the marks that are meant for the model, and without empty lines. */
function linesOf({ content }: ToolResultBlock): string[] {
  const plain = harmless(textOf(content)).replaceAll(/<\/?tool_use_error>/g, '');
  return plain.split('\n').filter((line) => line.trim() !== '');
}
