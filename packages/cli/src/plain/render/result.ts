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
  if (result.is_error) return `${paint('red', signs.failed)} ${failureOf(lines, signs.more)}`;
  const said =
    COUNTED.has(tool) && lines.length > 1 ? counted(lines.length, 'line') : firstOf(lines, signs.more);
  return `${paint('green', signs.ok)} ${said}`;
}

/** Of a command that failed, the code and what stands beside it: the beginning of its output seldom tells why. */
function failureOf(lines: readonly string[], more: string): string {
  const at = lines.findLastIndex((line) => /^Exit code \d/.test(line));
  const code = lines[at];
  const why = lines[at + 1] ?? lines[at - 1];
  if (code === undefined || why === undefined) return firstOf(lines, more);
  return counting(`${code}: ${shortened(why, LONGEST, more)}`, lines.length - 2);
}

function firstOf(lines: readonly string[], more: string): string {
  const [first = ''] = lines;
  return lines.length === 0 ? 'done' : counting(shortened(first, LONGEST, more), lines.length - 1);
}

function counting(said: string, others: number): string {
  return others === 0 ? said : `${said} (${counted(others, 'more line')})`;
}

/** Without the marks that are meant for the model, and without empty lines. */
function linesOf({ content }: ToolResultBlock): string[] {
  const plain = harmless(textOf(content)).replaceAll(/<\/?tool_use_error>/g, '');
  return plain.split('\n').filter((line) => line.trim() !== '');
}
