/** Formats a replay as text: one line for each decision, in columns. */
import {
  describeDecision,
  describeEvent,
  describeGuards,
  describeRecordedDecision,
  describeState,
  pluralizeCount,
  type ReplayedLog,
  sessionName,
} from '@heddle/agent/sessions';
import { type EntryBody, textOf, type TracedIteration, type TracedStep } from '@heddle/core';

interface TextOptions {
  /** The first step that is shown, counted from 1 through the whole session. */
  readonly from: number;
  readonly verbose: boolean;
  readonly columns: number;
}

export function* textLines(replayed: ReplayedLog, options: TextOptions): Generator<string> {
  for (const line of lines(replayed, options)) yield fitted(line, options.columns);
}

function* lines(replayed: ReplayedLog, options: TextOptions): Generator<string> {
  yield* aboutSession(replayed);
  const widths = widthsFor(replayed, options.columns);
  let number = 1;
  for (const [at, { iterations, settings }] of replayed.runs.entries()) {
    const shown: string[] = [];
    for (const iteration of iterations) {
      shown.push(...iterationLines(iteration, number, widths, options));
      number += iteration.steps.length;
    }
    if (shown.length === 0) continue;
    yield '';
    yield `Prompt ${at + 1}: ${promptOf(iterations)}${settings === '' ? '' : `  [with ${settings}]`}`;
    yield* shown;
  }
  yield '';
  yield summaryOf(replayed);
}

function* iterationLines(
  iteration: TracedIteration,
  first: number,
  widths: Widths,
  { from, verbose }: TextOptions,
): Generator<string> {
  const { steps, recorded, verdict } = iteration;
  if (first + steps.length <= from && verdict !== 'parted') return;
  const [start] = steps;
  yield `  ${start ? describeState(start.loop) : 'from an unknown state'}`;
  // An interrupted iteration has no decision, so its log entries are shown.
  const all = verbose || !recorded.decided;
  for (const note of recorded.entries.flatMap((entry) => noteOf(entry, all))) yield `${INDENT}· ${note}`;
  let lastTurn = '';
  for (const [at, step] of steps.entries()) {
    if (first + at < from) continue;
    yield stepLine(first + at, step, toolsOf(iteration), widths);
    if (!verbose) continue;
    for (const { type } of step.decision.first) yield `${INDENT}first ${type.replaceAll('_', ' ')}`;
    const turn = JSON.stringify(step.decision.loop);
    if (turn !== lastTurn) yield `${INDENT}now ${turn}`;
    lastTurn = turn;
  }
  yield* verdictLines(iteration);
}

const INDENT = ' '.repeat(9);

function* verdictLines({ verdict, recorded: { decided }, instead }: TracedIteration): Generator<string> {
  if (!decided) yield '      –  the log ends here: this run was interrupted';
  else if (verdict === 'undecided')
    yield `      –  recorded ${describeRecordedDecision(decided)}: decided by the engine around the loop`;
  else if (verdict === 'unchecked')
    yield `      ?  recorded ${describeRecordedDecision(decided)}: not checked`;
  else if (verdict === 'parted') {
    yield `      ≠  recorded ${describeRecordedDecision(decided)}`;
    for (const other of instead) yield `${INDENT}the machine decides ${describeRecordedDecision(other)}`;
  }
}

interface Widths {
  readonly happened: number;
  readonly decided: number;
}

/** Makes each column as wide as its longest text, up to half of the terminal. The guards are cut first. */
function widthsFor({ runs }: ReplayedLog, columns: number): Widths {
  let happened = 0;
  let decided = 0;
  for (const iteration of runs.flatMap(({ iterations }) => iterations)) {
    for (const step of iteration.steps) {
      happened = Math.max(happened, describeEvent(step.event, toolsOf(iteration)).length);
      decided = Math.max(decided, describeDecision(step.decision).length);
    }
  }
  const available = Math.max(40, Math.min(columns, 100)) - 15;
  return {
    happened: Math.min(happened, Math.floor(available / 2)),
    decided: Math.min(decided, Math.ceil(available / 2)),
  };
}

function stepLine(number: number, step: TracedStep, tools: readonly string[], widths: Widths): string {
  const { event, decision, guards } = step;
  const what = fitted(describeEvent(event, tools), widths.happened).padEnd(widths.happened);
  const next = fitted(describeDecision(decision), widths.decided).padEnd(widths.decided);
  return `${String(number).padStart(7)}  ${what}  → ${next}  ${describeGuards(guards)}`.trimEnd();
}

function toolsOf({ recorded }: TracedIteration): readonly string[] {
  return recorded.calls.map(({ tool }) => tool);
}

function aboutSession({ file, entries, damaged }: ReplayedLog): string[] {
  const session = entries.find((entry) => entry.type === 'session');
  const about = session && [
    `model ${session.snapshot.model}`,
    `in ${session.snapshot.cwd}`,
    ...(session.snapshot.forkedFrom === undefined ? [] : [`forked from ${session.snapshot.forkedFrom}`]),
  ];
  const unread = damaged === 1 ? '1 line of the log is' : `${damaged} lines of the log are`;
  return [
    `Session ${sessionName(file)}`,
    ...(about ? [`  ${about.join(', ')}`] : []),
    ...(damaged === 0 ? [] : [`  ${unread} ignored (damaged or incomplete)`]),
  ];
}

function summaryOf({ runs }: ReplayedLog): string {
  const all = runs.flatMap(({ iterations }) => iterations);
  const count = (verdict: TracedIteration['verdict']): number =>
    all.filter((one) => one.verdict === verdict).length;
  const [confirmed, parted] = [count('confirmed'), count('parted')];
  const rest = [
    ...(count('undecided') === 0 ? [] : [`${count('undecided')} without a decision of the machine`]),
    ...(count('unchecked') === 0 ? [] : [`${count('unchecked')} not checked`]),
  ].join(', ');
  const about = `${pluralizeCount(runs.length, 'prompt')}, ${pluralizeCount(all.length, 'iteration')}${rest === '' ? '' : ` (${rest})`}`;
  if (parted > 0)
    return `${about}: the machine disagrees with ${parted} of ${confirmed + parted} recorded decisions.`;
  return `${about}: the machine agrees with all recorded decisions.`;
}

function promptOf([first]: readonly TracedIteration[]): string {
  const [text = ''] = (first?.recorded.entries ?? []).flatMap((entry) =>
    entry.type === 'user' && entry.message.isMeta !== true ? [textOf(entry.message.content)] : [],
  );
  return JSON.stringify(text.length > PROMPT_SHOWN ? `${text.slice(0, PROMPT_SHOWN)}…` : text);
}

const PROMPT_SHOWN = 100;

function fitted(text: string, width: number): string {
  const line = text.replaceAll('\n', ' ');
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}

/** Describes the entries that explain a decision, or all entries if `verbose` is true. */
function noteOf(entry: EntryBody, verbose: boolean): string[] {
  switch (entry.type) {
    case 'retry':
      return [`retried after ${entry.error.class}, attempt ${entry.attempt}`];
    case 'tombstone':
      return [`${pluralizeCount(entry.uuids.length, 'message')} retracted`];
    case 'context': {
      const { level, tokensBefore, tokensAfter } = entry.report;
      return [`${level}: ${tokensBefore} → ${tokensAfter} tokens`];
    }
    case 'rewind':
      return [`rewound to ${entry.to}`];
    case 'system':
      return entry.message.subtype === 'model_fallback' || verbose ? [entry.message.content] : [];
    case 'ask_answer':
      return verbose ? [`asked about ${entry.toolUseId}: ${entry.behavior}`] : [];
    case 'intent':
      return verbose ? [`${entry.tool} ${entry.toolUseId} began`] : [];
    case 'outcome':
      return verbose ? [`${entry.toolUseId} ended${entry.isError ? ' with an error' : ''}`] : [];
    case 'answer':
      return verbose ? [`answer of ${entry.model}, ${entry.stopReason ?? 'no stop reason'}`] : [];
    case 'mended':
      return verbose ? [`repaired: ${entry.mends.join('; ')}`] : [];
    default:
      return [];
  }
}
