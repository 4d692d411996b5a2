/** Summarizes a tool result in a few lines: the end of a success, or the cause of a failure. Pure. */
import { textOf, type ToolResultBlock, omitUndefined } from '@heddle/core';
import { escapeControls } from '../../terminal/escape-controls.ts';
import type { Style } from '../../terminal/style.ts';
import { pluralize, shortened } from '../../terminal/amounts.ts';

interface ResultSummary {
  readonly lines: readonly string[];
  /** The number of omitted lines, or the file with the whole output. */
  readonly note?: string;
}

/** `summary`: one line, or a few for a command. `preview`: the first or last lines, and how to see all of them. */
export type ResultDetail = 'summary' | 'preview';

/** The number of lines of an output that are shown. */
const MAX_LINES: Readonly<Record<ResultDetail, number>> = { summary: 3, preview: 5 };
/** The number of last lines that are searched for a summary. */
const END_LINES = 8;

/** `lines`: the lines of the result that are not empty. */
function summarizeCommand(lines: readonly string[], isError: boolean, detail: ResultDetail): ResultSummary {
  const most = MAX_LINES[detail];
  const { output, ending, notes, kept } = parted(lines);
  const background = /in the background as task (\w+)/.exec(ending ?? '')?.[1];
  if (background !== undefined) return { lines: [`runs in the background: /tasks ${background}`] };
  if (ending?.startsWith('Interrupted')) {
    const last = output.slice(-1);
    return withRest({ head: ['Interrupted'], shown: last, all: output, kept });
  }
  const head = ending === undefined ? [] : [ending];
  if (!isError) return withRest({ head, shown: endOf(output, detail), all: output, kept, notes });
  return withRest({ head, shown: causeOf(output, most), all: output, kept, notes });
}

interface Parts {
  /** The output of the command itself. */
  readonly output: readonly string[];
  /** The line that describes how the command ended, if there is one. */
  readonly ending: string | undefined;
  /** The other notes about the command. */
  readonly notes: readonly string[];
  /** The size and the file of the whole output, if it was cut. */
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
  return { lines: lines.length === 0 ? ['no output'] : lines, ...omitUndefined({ note }) };
}

const RESULT =
  /\b(pass(ed|ing|es)?|fail(ed|ures?|ing|s)?|errors?|warnings?|tests?|success(ful)?|built|compiled|added|created|found)\b/i;

/** Returns the last line of a success, and the lines near it that summarize it. A preview has the lines before them, too. */
function endOf(output: readonly string[], detail: ResultDetail): readonly string[] {
  const most = MAX_LINES[detail];
  if (output.length <= most) return output;
  const end = [...output.slice(-END_LINES).entries()];
  const before = end.slice(0, -1);
  const summaries = before.filter(([, line]) => RESULT.test(line)).slice(1 - most);
  const left = detail === 'preview' ? most - 1 - summaries.length : 0;
  const others = before.filter((entry) => !summaries.includes(entry));
  const shown = [...summaries, ...(left > 0 ? others.slice(-left) : []), ...end.slice(-1)];
  return shown.sort(([left], [right]) => left - right).map(([, line]) => line);
}

const CAUSE =
  /^\s*(\S*(Error|Exception)\b|\S*: error\b|error\b|fatal\b|panic\b|npm (error|ERR!)|FAIL\b|[✗×✖] |not ok\b|AssertionError)/i;
const COMPLAINT =
  /\b(error|fail(ed|ure)?|cannot|can't|could not|not found|no such|denied|missing|undefined|expected|refused|unknown|invalid)\b/i;
/** Lines that appear in every failure of a kind, so they do not explain it. */
const NOISE =
  /^(Node\.js v\d|node:internal|\s+at |npm (error|ERR!) *(\w*\s*$|code |errno |syscall |path |\w+ This is related|A complete log)|.*complete log of this run)/;

/** Returns the first lines of a failure that name a cause, or else the last lines. */
function causeOf(output: readonly string[], most: number): readonly string[] {
  if (output.length <= most) return output;
  const relevant = output.filter((line) => !NOISE.test(line));
  const causes = relevant.filter((line) => CAUSE.test(line));
  if (causes.length > 0) return causes.slice(0, most);
  const complaints = relevant.filter((line) => COMPLAINT.test(line));
  return complaints.length > 0 ? complaints.slice(0, most) : relevant.slice(-most);
}

/** `isRefused`: the user rejected the request, but the call did not fail. */
type ResultState = ResultSummary & { readonly isRefused?: true };

/** `lines`: the lines of the result that are not empty. */
function summarizeResult(
  tool: string,
  lines: readonly string[],
  isError: boolean,
  detail: ResultDetail,
): ResultState {
  if (tool === 'Bash') return summarizeCommand(lines, isError, detail);
  const first = detail === 'summary' ? 1 : MAX_LINES.preview;
  if (isError || lines.length === 0) return firstOf(lines, first);
  switch (tool) {
    case 'Read':
      return lines.length > 1 ? { lines: [pluralize(lines.length, 'line')] } : firstOf(lines, first);
    case 'Grep':
    case 'Glob':
      return foundIn(tool, lines, detail);
    case 'AskUserQuestion':
      return { lines: [answersIn(lines)] };
    case 'TodoWrite':
      return { lines: [lines[0]?.replace('The list is kept: ', '').replace(/\.$/, '') ?? ''] };
    case 'EnterPlanMode':
      return { lines: ['planning: nothing is changed until you approve a plan'] };
    case 'ExitPlanMode':
      return planResult(lines);
    case 'Edit':
    case 'Write':
      return { lines: [changeResult(lines)] };
    default:
      return firstOf(lines, first);
  }
}

function firstOf(lines: readonly string[], most: number): ResultSummary {
  const shown = lines.slice(0, most);
  const left = lines.length - shown.length;
  return {
    lines: shown.length === 0 ? ['done'] : shown,
    ...(left > 0 ? { note: pluralize(left, 'more line') } : {}),
  };
}

const NOTICE = /^\((?:lines|files) \d+-(\d+) of (\d+)|^\(the newest (\d+) of (\d+)|^\(not all files/;

function foundIn(tool: string, lines: readonly string[], detail: ResultDetail): ResultSummary {
  const [last = ''] = lines.slice(-1);
  const notice = NOTICE.exec(last);
  const found = notice ? lines.slice(0, -1) : lines;
  const [only = ''] = found;
  if (/^No (matches|files found)$|^There are only/.test(only)) return { lines: [only] };
  // Matching lines are shown with the file name and the line number.
  const isLines = tool === 'Grep' && found.some((line) => /^.*[:-]\d+[:-]/.test(line));
  if (found.length === 1) return { lines: [only] };
  const all = notice?.[2] ?? notice?.[4];
  const count = pluralize(found.length, isLines ? 'line' : 'file');
  const head = all === undefined ? `${count}${notice ? ' and more' : ''}` : `${count} of ${all}`;
  if (detail === 'summary') return { lines: [head] };
  const shown = firstOf(found, MAX_LINES.preview - 1);
  return { ...shown, lines: [head, ...shown.lines] };
}

const ANSWER = '→ ';

function answersIn(lines: readonly string[]): string {
  const answers = lines.filter((line) => line.startsWith(ANSWER)).map((line) => line.slice(ANSWER.length));
  return answers.length > 0 ? answers.join('; ') : (lines[0] ?? '');
}

function planResult([first = '']: readonly string[]): ResultState {
  const [, why = ''] = /^The user did not approve the plan(?:: (.*))?/.exec(first) ?? [];
  if (first.startsWith('The user approved')) return { lines: ['approved'] };
  return { lines: [why === '' || why === '.' ? 'sent back' : `sent back: ${why}`], isRefused: true };
}

/** The line of the call already names the file. */
function changeResult([first = '']: readonly string[]): string {
  const [, count] = /^Edited .*: (\d+ replacements?)/.exec(first) ?? [];
  if (count !== undefined) return count;
  const [, how] = /^(Created|Wrote) /.exec(first) ?? [];
  return how?.toLowerCase() ?? first;
}

const MAX_LINE_LENGTH = 160;

/** Formats the result in rows. The first row starts with the sign, the others are indented. */
export function resultRows(
  tool: string,
  result: ToolResultBlock,
  { paint, signs }: Style,
  detail: ResultDetail = 'summary',
): string[] {
  const isError = result.is_error === true;
  const { lines, note, isRefused } = summarizeResult(tool, linesOf(result), isError, detail);
  const sign = isError
    ? paint('red', signs.failed)
    : isRefused
      ? paint('yellow', signs.failed)
      : paint('green', signs.ok);
  const isPreview = detail === 'preview';
  const [first = 'done', second, ...others] = isPreview
    ? alignLines(lines, signs.more)
    : lines.map((line) => shortened(line, MAX_LINE_LENGTH, signs.more));
  // The exit code and the next line form one sentence.
  const isSentence = second !== undefined && /^(Exit code \d+|Interrupted)$/.test(first);
  const rows = isSentence
    ? [`${first}: ${second.trimStart()}`, ...others]
    : [first, ...(second === undefined ? [] : [second]), ...others];
  const all = rows.map((line, index) => `${index === 0 ? `${sign} ` : '  '}${line}`);
  if (note === undefined) return all;
  if (isPreview) return [...all, `  ${paint('dim', `${signs.more} ${note} (Ctrl-O)`)}`];
  return [...all.slice(0, -1), `${all.at(-1) ?? ''} ${paint('dim', `(${note})`)}`];
}

/** Shortens the lines. Columns stay aligned, and the common indentation is removed. */
function alignLines(lines: readonly string[], more: string): string[] {
  const expanded = lines.map((line) => line.replaceAll('\t', '  ').trimEnd());
  const indent = Math.max(0, Math.min(...expanded.map((line) => line.search(/\S/))));
  return expanded
    .map((line) => line.slice(indent))
    .map((line) =>
      line.length <= MAX_LINE_LENGTH ? line : `${line.slice(0, MAX_LINE_LENGTH - more.length)}${more}`,
    );
}

/** Returns the lines of the result without empty lines and without the marks for the model. */
function linesOf({ content }: ToolResultBlock): string[] {
  const texts = typeof content === 'string' ? [content] : content.map((block) => textOf([block]));
  const plain = escapeControls(texts.join('\n')).replaceAll(/<\/?tool_use_error>/g, '');
  return plain.split('\n').filter((line) => line.trim() !== '');
}
