/** Formats the current activity: the busy row, running calls, todos and queued prompts. Pure. */
import { durationText, pluralize, shortened, tokens } from '../terminal/amounts.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Style } from '../terminal/style.ts';
import { todoLines } from '../terminal/todo-lines.ts';
import { earlierLines, lastLines, type LiveCall, type LiveState, writtenTokens } from './live-state.ts';

/** One turn of the spinner. Each picture is shown for `SPIN_MS`. */
const SPINNER = { unicode: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'], ascii: ['-', '\\', '|', '/'] };
export const SPIN_MS = 120;
/** Shorter calls show no output, so that the region does not flicker. */
const SHOW_OUTPUT_MS = 1_000;
const MAX_OUTPUT_ROWS = 3;
const MAX_AGENT_ROWS = 5;
/** The transcript shows the whole call. A longer text would hide the time and the key that interrupts. */
const MAX_CALL_LENGTH = 44;
const MAX_TODO_ROWS = 6;
const MAX_QUEUED_ROWS = 4;

export interface ActivityRows {
  readonly busy: readonly string[];
  readonly output: readonly string[];
  readonly todos: readonly string[];
  readonly queued: readonly string[];
}

export function activityRows(
  state: LiveState,
  queued: readonly string[],
  { style, now, isAsking }: { readonly style: Style; readonly now: number; readonly isAsking: boolean },
): ActivityRows {
  const waiting = queued.map((text) => style.paint('dim', `  (queued: ${escapeControls(text)})`));
  const rows = { queued: clip(waiting, MAX_QUEUED_ROWS, 'queued', style) };
  if (state.startedAt === undefined) return { ...rows, busy: [], output: [], todos: [] };
  return {
    ...rows,
    busy: [busyRow(state, state.startedAt, { style, now, isAsking })],
    output: outputRows(state.calls, now, style),
    todos: todoRows(state.todos, style),
  };
}

function busyRow(
  state: LiveState,
  startedAt: number,
  { style, now, isAsking }: { readonly style: Style; readonly now: number; readonly isAsking: boolean },
): string {
  const { paint, signs } = style;
  const pictures = signs.dot === '·' ? SPINNER.unicode : SPINNER.ascii;
  const elapsed = Math.max(0, now - startedAt);
  const picture = isAsking ? signs.dot : (pictures[Math.floor(elapsed / SPIN_MS) % pictures.length] ?? '');
  const written = writtenTokens(state);
  const facts = [
    `${Math.floor(elapsed / 1_000)} s`,
    ...(written > 0 ? [`${tokens(written)} tokens`] : []),
    'Esc interrupts',
  ];
  const what = isAsking ? 'Waiting for your answer' : `${phaseText(state, now)}${signs.more}`;
  return `${paint('cyan', `${picture} ${what}`)} ${paint('dim', `(${facts.join(` ${signs.dot} `)})`)}`;
}

function phaseText({ phase, calls }: LiveState, now: number): string {
  const [oldest, ...others] = calls;
  if (oldest && (phase.kind === 'working' || phase.kind === 'preparing')) {
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    return `Running ${shortened(oldest.line, MAX_CALL_LENGTH, '')}${more}`;
  }
  switch (phase.kind) {
    case 'working':
      return 'Working';
    case 'waiting':
      return 'Waiting for the model';
    case 'thinking':
      return 'Thinking';
    case 'answering':
      return 'Answering';
    case 'preparing':
      return 'Preparing a call';
    case 'compacting':
      return 'Compacting the conversation';
    case 'retry': {
      const seconds = Math.ceil(Math.max(0, phase.at - now) / 1_000);
      const when = seconds === 0 ? 'now' : `in ${seconds} s`;
      return `Trying again ${when} (${phase.attempt} of ${phase.maxAttempts})`;
    }
  }
}

/** The last action of each subagent, and the last lines of the first other call with output. */
function outputRows(calls: readonly LiveCall[], now: number, style: Style): string[] {
  const { paint, signs } = style;
  const shown = calls.filter(({ startedAt, output }) => output !== '' && now - startedAt >= SHOW_OUTPUT_MS);
  const duration = (call: LiveCall): string => durationText(now - call.startedAt).replace(/\.\d s/, ' s');
  const agents = shown
    .filter(({ isAgent }) => isAgent)
    .map((call) => paint('dim', `  ${call.line}, ${duration(call)}: ${lastLines(call, 1).join('')}`));
  const rows = [...clip(agents, MAX_AGENT_ROWS, 'agent', style)];
  const call = shown.find(({ isAgent }) => !isAgent);
  if (!call) return rows;
  if (calls.length > 1) rows.push(paint('dim', `  ${call.line}, ${duration(call)}`));
  const last = lastLines(call, MAX_OUTPUT_ROWS);
  const earlier = earlierLines(call, last.length);
  if (earlier > 0) rows.push(paint('dim', `  ${signs.more} +${pluralize(earlier, 'earlier line')}`));
  return [...rows, ...last.map((line) => paint('dim', `  | ${line}`))];
}

function todoRows(todos: unknown, style: Style): readonly string[] {
  const rows = todoLines(todos, style);
  const isOver = rows.every((row) => row.includes('[x]'));
  return isOver
    ? []
    : clip(
        rows.map((row) => `  ${row}`),
        MAX_TODO_ROWS,
        'step',
        style,
      );
}

function clip(
  rows: readonly string[],
  most: number,
  what: string,
  { paint, signs }: Style,
): readonly string[] {
  if (rows.length <= most) return rows;
  const left = rows.length - most + 1;
  return [
    ...rows.slice(0, most - 1),
    paint('dim', `  ${signs.more} ${pluralize(left, `more ${what}`, `more ${what}`)}`),
  ];
}
