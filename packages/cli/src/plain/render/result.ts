/** What came of a command, in the few lines that tell it: how a success ended, and why a failure failed. Pure. */
import { textOf, type ToolResultBlock } from '@heddle/core';
import { escapeControls } from '../../terminal/escape-controls.ts';
import type { Style } from '../../terminal/style.ts';
import { pluralize, shortened } from '../../terminal/amounts.ts';

interface ResultSummary {
  readonly lines: readonly string[];
  /** A word about the whole: how much more there was, where it is kept. */
  readonly note?: string;
}

/** So many lines of an output are shown. */
const SHOWN = 3;
/** Where the end of an output is looked at for what tells how it went. */
const END = 8;

/** `lines`: the result without empty ones. */
function summarizeCommand(lines: readonly string[], isError: boolean): ResultSummary {
  const { output, ending, notes, kept } = parted(lines);
  const background = /in the background as task (\w+)/.exec(ending ?? '')?.[1];
  if (background !== undefined) return { lines: [`runs in the background: /tasks ${background}`] };
  if (ending?.startsWith('Interrupted')) {
    const last = output.slice(-1);
    return withRest({ head: ['Interrupted'], shown: last, all: output, kept });
  }
  const head = ending === undefined ? [] : [ending];
  if (!isError) return withRest({ head, shown: endOf(output), all: output, kept, notes });
  return withRest({ head, shown: causeOf(output), all: output, kept, notes });
}

interface Parts {
  /** What the command itself wrote. */
  readonly output: readonly string[];
  /** How it ended, where that is worth a word. */
  readonly ending: string | undefined;
  /** What is said about it besides. */
  readonly notes: readonly string[];
  /** How much it was and where it is, where not all of it is here. */
  readonly kept: string | undefined;
}

const ENDING = /^(Exit code \d|Ended by |Ended because |Interrupted; |Nothing was run|The shell could not)/;
const IN_BACKGROUND = /in the background as task \w+/;
const GAP = /^… (.+) in all, the middle left out(?:; the whole is in (.+))? …$/;

function parted(lines: readonly string[]): Parts {
  const at = lines.findLastIndex((line) => ENDING.test(line) || IN_BACKGROUND.test(line));
  const written = at < 0 ? lines : lines.slice(0, at);
  const [, size, file] = written.map((line) => GAP.exec(line)).find((match) => match !== null) ?? [];
  return {
    output: written.filter((line) => !GAP.test(line) && line !== '(no output)'),
    ending: lines[at],
    notes: at < 0 ? [] : lines.slice(at + 1),
    kept: size === undefined ? undefined : file === undefined ? size : `${size}, kept in ${file}`,
  };
}

interface Choice {
  readonly head: readonly string[];
  readonly shown: readonly string[];
  readonly all: readonly string[];
  readonly kept: string | undefined;
  readonly notes?: readonly string[];
}

function withRest({ head, shown, all, kept, notes = [] }: Choice): ResultSummary {
  const lines = [...head, ...notes, ...shown];
  const others = all.length - shown.length;
  const note = kept ?? (others > 0 ? pluralize(others, 'more line') : undefined);
  return { lines: lines.length === 0 ? ['no output'] : lines, ...(note === undefined ? {} : { note }) };
}

const RESULT =
  /\b(pass(ed|ing|es)?|fail(ed|ures?|ing|s)?|errors?|warnings?|tests?|success(ful)?|built|compiled|added|created|found)\b/i;

/** Of a success the last line, and what near it sums up. */
function endOf(output: readonly string[]): readonly string[] {
  if (output.length <= SHOWN) return output;
  const end = output.slice(-END);
  const telling = end.slice(0, -1).filter((line) => RESULT.test(line));
  return [...telling.slice(1 - SHOWN), ...end.slice(-1)];
}

const CAUSE =
  /^\s*(\S*(Error|Exception)\b|\S*: error\b|error\b|fatal\b|panic\b|npm (error|ERR!)|FAIL\b|[✗×✖] |not ok\b|AssertionError)/i;
const COMPLAINT =
  /\b(error|fail(ed|ure)?|cannot|can't|could not|not found|no such|denied|missing|undefined|expected|refused|unknown|invalid)\b/i;
/** True of every failure of its kind, so it tells nothing. */
const NOISE =
  /^(Node\.js v\d|node:internal|\s+at |npm (error|ERR!) *(\w*\s*$|code |errno |syscall |path |\w+ This is related|A complete log)|.*complete log of this run)/;

/** Of a failure the first lines that name a cause; where none does, the last ones. */
function causeOf(output: readonly string[]): readonly string[] {
  if (output.length <= SHOWN) return output;
  const said = output.filter((line) => !NOISE.test(line));
  const causes = said.filter((line) => CAUSE.test(line));
  if (causes.length > 0) return causes.slice(0, SHOWN);
  const complaints = said.filter((line) => COMPLAINT.test(line));
  return complaints.length > 0 ? complaints.slice(0, SHOWN) : said.slice(-SHOWN);
}

/** It did not go as the model wanted, though nothing failed. */
type ResultState = ResultSummary & { readonly isRefused?: true };

/** `lines`: the text of the result, without empty lines. */
function summarizeResult(tool: string, lines: readonly string[], isError: boolean): ResultState {
  if (tool === 'Bash') return summarizeCommand(lines, isError);
  if (isError || lines.length === 0) return firstOf(lines);
  switch (tool) {
    case 'Read':
      return lines.length > 1 ? { lines: [pluralize(lines.length, 'line')] } : firstOf(lines);
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

function firstOf(lines: readonly string[]): ResultSummary {
  const [first = 'done', ...others] = lines;
  return others.length === 0
    ? { lines: [first] }
    : { lines: [first], note: pluralize(others.length, 'more line') };
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
  const count = pluralize(found.length, isLines ? 'line' : 'file');
  return all === undefined ? `${count}${notice ? ' and more' : ''}` : `${count} of ${all}`;
}

const ANSWER = '→ ';

function answersIn(lines: readonly string[]): string {
  const answers = lines.filter((line) => line.startsWith(ANSWER)).map((line) => line.slice(ANSWER.length));
  return answers.length > 0 ? answers.join('; ') : (lines[0] ?? '');
}

function planTold([first = '']: readonly string[]): ResultState {
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

const LONGEST = 160;

/** The first row has the sign before it, the others hang below it. */
export function resultRows(tool: string, result: ToolResultBlock, { paint, signs }: Style): string[] {
  const isError = result.is_error === true;
  const { lines, note, isRefused } = summarizeResult(tool, linesOf(result), isError);
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
  const plain = escapeControls(textOf(content)).replaceAll(/<\/?tool_use_error>/g, '');
  return plain.split('\n').filter((line) => line.trim() !== '');
}
