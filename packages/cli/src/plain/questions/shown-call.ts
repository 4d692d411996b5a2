/** What a permission question shows: the call as it would run, and why it is asked about. */
import type { PermissionQuestion } from '@heddle/agent';
import { changeLines, changeOf } from '../change/change.ts';
import { escapeControls } from '../../terminal/escape-controls.ts';
import { pluralize, shortened } from '../../terminal/amounts.ts';
import { callLine, nameOf, nearPath } from '../../terminal/call-line.ts';
import type { Style } from '../../terminal/style.ts';

export interface CallView {
  readonly style: Style;
  readonly cwd: string;
  /** The file that would be changed, as it is now; undefined where there is none. */
  readonly current?: string | undefined;
}

export interface ShownCall {
  readonly lines: readonly string[];
  /** Not all of it is shown. */
  readonly isCut: boolean;
}

/** Lines that stay on each side of a change. */
const AROUND = 2;

export function shownCall(question: PermissionQuestion, view: CallView, most: number): ShownCall {
  const { tool, input } = question;
  const { paint, signs } = view.style;
  const change = changeOf(tool, input, view.current);
  const whole = change ? changeLines(change, AROUND, view.style) : inputLines(question);
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

/** The call in a few words, for whoever has lost sight of the question. */
export function aboutOf({ tool, input }: PermissionQuestion, cwd: string): string {
  const { host } = input;
  const isReaching = isHost(tool) && typeof host === 'string';
  return shortened(isReaching ? `reach ${inOneRow(host)}` : callLine(tool, input, cwd), LONGEST_ABOUT);
}

/** It stands before the answer, and both fit into 40 columns. */
const LONGEST_ABOUT = 28;

/** The sandbox asks about hosts as if they were a tool. */
export function isHost(tool: string): boolean {
  return tool === 'SandboxNetworkAccess';
}

function titleOf({ tool, input, agentId }: PermissionQuestion, { style, cwd }: CallView): string {
  const who = agentId === undefined ? '' : ` (agent ${inOneRow(agentId)})`;
  const title = isHost(tool) ? 'May the command reach this host?' : `May ${nameOf(tool)} run?`;
  const { file_path: file, description } = input;
  const what =
    typeof file === 'string'
      ? ` ${inOneRow(nearPath(file, cwd))}`
      : typeof description === 'string' && typeof input['command'] === 'string'
        ? style.paint('dim', ` (${inOneRow(shortened(description, 100))})`)
        : '';
  return style.paint('yellow', `${title}${who}`) + what;
}

/** A command as it is; anything else as the fields of its input. */
function inputLines({ input }: PermissionQuestion): string[] {
  const { command, ...rest } = input;
  if (typeof command === 'string') {
    const about = Object.entries(rest).filter(([name]) => name !== 'description');
    return [...escapeControls(command).split('\n'), ...about.flatMap(fieldLines)];
  }
  return Object.entries(input).flatMap(fieldLines);
}

function fieldLines([name, value]: readonly [string, unknown]): string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${escapeControls(name)}: ${escapeControls(text)}`.split('\n');
}

/** Of the parts only those that need the answer, and each reason once. */
function reasonsOf({ reason, parts }: PermissionQuestion): string[] {
  const others = parts
    .filter(({ decision, reason: why }) => decision !== 'allow' && why !== reason)
    .map(({ part, reason: why }) => (why.includes(part) ? why : `${part}: ${why}`));
  return [...new Set([reason, ...others])].map(inOneRow);
}

/** Only what stands behind a bar may have several: a row without one is ours. */
function inOneRow(text: string): string {
  return escapeControls(text.replaceAll(/\s*[\r\n]\s*/g, ' '));
}
