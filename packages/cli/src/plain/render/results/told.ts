/** What came of a call, in the words of the person who looks on: what is meant for the model is not shown to people. Pure. */
import { counted } from '../amounts.ts';
import { commandTold, type Told } from './command.ts';

/** It did not go as the model wanted, though nothing failed. */
export type Verdict = Told & { readonly isRefused?: true };

/** `lines`: the text of the result, without empty lines. */
export function toldOf(tool: string, lines: readonly string[], isError: boolean): Verdict {
  if (tool === 'Bash') return commandTold(lines, isError);
  if (isError || lines.length === 0) return firstOf(lines);
  switch (tool) {
    case 'Read':
      return lines.length > 1 ? { lines: [counted(lines.length, 'line')] } : firstOf(lines);
    case 'Grep':
    case 'Glob':
      return { lines: [foundIn(tool, lines)] };
    case 'AskUserQuestion':
      return { lines: [answersIn(lines)] };
    case 'TodoWrite':
      return { lines: [lines[0]?.replace('The list is kept: ', '').replace(/\.$/, '') ?? ''] };
    case 'EnterPlanMode':
      return { lines: ['planning: nothing is changed until you approve a plan'] };
    case 'ExitPlanMode':
      return planTold(lines);
    case 'Edit':
    case 'Write':
      return { lines: [changeTold(lines)] };
    default:
      return firstOf(lines);
  }
}

function firstOf(lines: readonly string[]): Told {
  const [first = 'done', ...others] = lines;
  return others.length === 0
    ? { lines: [first] }
    : { lines: [first], note: counted(others.length, 'more line') };
}

const NOTICE = /^\((?:lines|files) \d+-(\d+) of (\d+)|^\(the newest (\d+) of (\d+)|^\(not all files/;

function foundIn(tool: string, lines: readonly string[]): string {
  const [last = ''] = lines.slice(-1);
  const notice = NOTICE.exec(last);
  const found = notice ? lines.slice(0, -1) : lines;
  const [only = ''] = found;
  if (/^No (matches|files found)$|^There are only/.test(only)) return only;
  // Lines that matched are shown with their number behind the name.
  const isLines = tool === 'Grep' && found.some((line) => /^.*[:-]\d+[:-]/.test(line));
  if (found.length === 1) return only;
  const all = notice?.[2] ?? notice?.[4];
  const count = counted(found.length, isLines ? 'line' : 'file');
  return all === undefined ? `${count}${notice ? ' and more' : ''}` : `${count} of ${all}`;
}

const ANSWER = '→ ';

function answersIn(lines: readonly string[]): string {
  const answers = lines.filter((line) => line.startsWith(ANSWER)).map((line) => line.slice(ANSWER.length));
  return answers.length > 0 ? answers.join('; ') : (lines[0] ?? '');
}

function planTold([first = '']: readonly string[]): Verdict {
  const [, why = ''] = /^The user did not approve the plan(?:: (.*))?/.exec(first) ?? [];
  if (first.startsWith('The user approved')) return { lines: ['approved'] };
  return { lines: [why === '' || why === '.' ? 'sent back' : `sent back: ${why}`], isRefused: true };
}

/** The file is named by the call already. */
function changeTold([first = '']: readonly string[]): string {
  const [, count] = /^Edited .*: (\d+ replacements?)/.exec(first) ?? [];
  if (count !== undefined) return count;
  const [, how] = /^(Created|Wrote) /.exec(first) ?? [];
  return how?.toLowerCase() ?? first;
}
