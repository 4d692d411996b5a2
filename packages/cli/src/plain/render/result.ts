/** What came of a call, as the rows below its line. */
import { textOf, type ToolResultBlock } from '@heddle/core';
import { harmless } from '../../terminal/harmless.ts';
import type { Style } from '../style.ts';
import { shortened } from './amounts.ts';
import { toldOf } from './results/told.ts';

const LONGEST = 160;

/** The first row has the sign before it, the others hang below it. */
export function resultRows(tool: string, result: ToolResultBlock, { paint, signs }: Style): string[] {
  const isError = result.is_error === true;
  const { lines, note, isRefused } = toldOf(tool, linesOf(result), isError);
  const sign = isError
    ? paint('red', signs.failed)
    : isRefused
      ? paint('yellow', signs.failed)
      : paint('green', signs.ok);
  const [first = 'done', second, ...others] = lines.map((line) => shortened(line, LONGEST, signs.more));
  // How it ended and what it said about that are one sentence.
  const isSentence = second !== undefined && /^(Exit code \d+|Interrupted)$/.test(first);
  const said = isSentence
    ? [`${first}: ${second}`, ...others]
    : [first, ...(second === undefined ? [] : [second]), ...others];
  return said.map((line, index) => {
    const lead = index === 0 ? `${sign} ` : '  ';
    const more = note !== undefined && index === said.length - 1 ? ` ${paint('dim', `(${note})`)}` : '';
    return `${lead}${line}${more}`;
  });
}

/** Without the marks that are meant for the model, and without empty lines. */
function linesOf({ content }: ToolResultBlock): string[] {
  const plain = harmless(textOf(content)).replaceAll(/<\/?tool_use_error>/g, '');
  return plain.split('\n').filter((line) => line.trim() !== '');
}
