/** Formats the call of a permission question, and the reason for the question. */
import type { PermissionQuestion } from '@heddle/agent';
import { changeLines, changeOf } from '../change/change.ts';
import { countEmptyLines, escapeControls, escapeLine } from '../../terminal/escape-controls.ts';
import { pluralize, shortened } from '../../terminal/amounts.ts';
import { callLine, fileOf, folderOf, nameOf } from '../../terminal/call-line.ts';
import type { Style } from '../../terminal/style.ts';

export interface CallView {
  readonly style: Style;
  readonly cwd: string;
  /** The current text of the file that would be changed; undefined if there is none. */
  readonly current?: string | undefined;
}

export interface ShownCall {
  readonly lines: readonly string[];
  /** Some lines are not shown. */
  readonly isCut: boolean;
}

/** The number of unchanged lines on each side of a change. */
const AROUND = 2;

export function shownCall(question: PermissionQuestion, view: CallView, most: number): ShownCall {
  const { tool, input } = question;
  const { paint, signs } = view.style;
  const change = changeOf(tool, input, view.current);
  const whole = change ? changeLines(change, AROUND, view.style) : inputLines(question, view.style);
  const left = whole.length - most;
  const rest = left > 0 ? [paint('dim', `${signs.more} ${pluralize(left, 'more line')} (? shows all)`)] : [];
  const body = [...whole.slice(0, most), ...rest];
  return {
    lines: [
      titleOf(question, view),
      ...body.map((line) => `  | ${line}`),
      ...reasonsOf(question).map((reason) => paint('dim', `  ${reason}`)),
    ],
    isCut: left > 0,
  };
}

/** Describes the call in a few words, for the prompt below other output. */
export function aboutOf(question: PermissionQuestion, cwd: string): string {
  const { tool, input } = question;
  const { host } = input;
  const isReaching = isHost(tool) && typeof host === 'string';
  return shortened(
    isReaching ? `reach ${inOneRow(host)}` : callLine(tool, input, cwd, question),
    MAX_ABOUT_LENGTH,
  );
}

/** The text and the answer fit into 40 columns. */
const MAX_ABOUT_LENGTH = 28;

/** Returns true for a question of the sandbox about a network host. */
export function isHost(tool: string): boolean {
  return tool === 'SandboxNetworkAccess';
}

function titleOf(question: PermissionQuestion, { style, cwd }: CallView): string {
  const { tool, input, agentId, agentDescription = agentId } = question;
  const who = agentDescription === undefined ? '' : ` (agent ${inOneRow(shortened(agentDescription, 40))})`;
  const title = isHost(tool) ? 'May the command reach this host?' : `Allow ${nameOf(tool)}?`;
  const { file_path: file, notebook_path: notebook = file, description, command } = input;
  const isCommand = typeof command === 'string';
  const purpose =
    isCommand && typeof description === 'string'
      ? style.paint('dim', ` (${inOneRow(shortened(description, 100))})`)
      : '';
  const folder = isCommand || question.places ? folderOf(question, cwd) : undefined;
  const where = folder === undefined ? '' : ` in ${inOneRow(folder)}`;
  const what =
    typeof notebook === 'string' ? ` ${inOneRow(fileOf(notebook, cwd, question))}` : where + purpose;
  return style.paint('yellow', `${title}${who}`) + what;
}

/** Formats a command as text, and other input as fields. */
function inputLines(question: PermissionQuestion, style: Style): string[] {
  const { command, ...rest } = question.input;
  const fields = (field: readonly [string, unknown]) => countEmptyLines(fieldLines(field), style.signs.more);
  if (typeof command === 'string') {
    const about = Object.entries(rest).filter(([name]) => name !== 'description');
    const lines = countEmptyLines(escapeControls(command).split('\n'), style.signs.more);
    return [...lines.map((line) => markAsked(line, question.parts, style)), ...about.flatMap(fields)];
  }
  return Object.entries(question.input).flatMap(fields);
}

/** Marks the parts of a command that need an answer. If all parts need one, nothing stands out. */
function markAsked(line: string, parts: PermissionQuestion['parts'], { paint }: Style): string {
  const asked = parts.filter(({ kind, decision }) => kind === 'command' && decision !== 'allow');
  if (asked.length === 0 || asked.length === parts.length) return line;
  const [first, ...others] = [...new Set(asked.map(({ part }) => escapeControls(part)))].flatMap((part) => {
    const at = line.indexOf(part);
    return at < 0 ? [] : [{ start: at, end: at + part.length }];
  });
  if (!first || others.length > 0) return line;
  return (
    line.slice(0, first.start) + paint('red', line.slice(first.start, first.end)) + line.slice(first.end)
  );
}

function fieldLines([name, value]: readonly [string, unknown]): string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${escapeLine(name)}: ${escapeControls(text)}`.split('\n');
}

/** Returns the reasons without duplicates. Parts that are allowed are left out. */
function reasonsOf({ reason, parts }: PermissionQuestion): string[] {
  const others = parts
    .filter(({ decision, reason: why }) => decision !== 'allow' && why !== reason)
    .map(({ part, reason: why }) => (why.includes(part) ? why : `${part}: ${why}`));
  return [...new Set([reason, ...others])].map(inOneRow);
}

/** Puts a text on one row. Only rows with a bar may contain foreign line breaks. */
function inOneRow(text: string): string {
  return escapeControls(text.replaceAll(/(?<!\s)\s*[\r\n]\s*/g, ' '));
}
