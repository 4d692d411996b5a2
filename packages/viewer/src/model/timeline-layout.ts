/** Places the bars of a timeline in rows on a time axis without idle time. Pure. */
import type { SubagentCard } from './api.ts';
import type { LogFact } from './facts.ts';
import { lanesOf, type ModelCall, type Timeline, type ToolCall } from './timeline.ts';

export type BarStyle = 'wait' | 'stream' | 'failed' | 'queue' | 'ask' | 'run' | 'error';

interface BarSegment {
  readonly from: number;
  readonly to: number;
  readonly style: BarStyle;
}

export interface Bar {
  readonly row: number;
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly title: string;
  readonly segments: readonly BarSegment[];
  /** The call has not ended. */
  readonly isOpen: boolean;
}

interface LaneGroup {
  readonly name: string;
  readonly firstRow: number;
  readonly rows: number;
  /** Subagents are nested below the session. */
  readonly depth: number;
}

export interface TimelineLayout {
  readonly bars: readonly Bar[];
  readonly groups: readonly LaneGroup[];
  readonly rows: number;
}

/** One timeline of the session, and one for each subagent. */
export interface NamedTimeline {
  readonly name: string;
  readonly timeline: Timeline;
}

/** The description of the task, and how it runs. Without a description, the prompt replaces it. */
export function laneName(
  { name, type, isBackground, hasWorktree }: SubagentCard,
  facts: readonly LogFact[],
): string {
  const prompt = facts.find((fact) => fact.type === 'message' && fact.kind === 'prompt');
  const task = name || (prompt?.type === 'message' ? prompt.label : '') || type;
  const ways = [
    ...(type === 'fork' ? ['fork'] : []),
    ...(isBackground ? ['background'] : []),
    ...(hasWorktree ? ['worktree'] : []),
  ];
  return ways.length === 0 ? task : `${task} (${ways.join(', ')})`;
}

export function layoutOf(session: Timeline, subagents: readonly NamedTimeline[]): TimelineLayout {
  const bars: Bar[] = [];
  const groups: LaneGroup[] = [];
  let rows = 0;
  const add = (name: string, depth: number, spans: readonly Omit<Bar, 'row'>[]): void => {
    if (spans.length === 0) return;
    const lanes = lanesOf(spans);
    for (const [index, span] of spans.entries()) bars.push({ ...span, row: rows + (lanes[index] ?? 0) });
    const count = lanes.reduce((most, lane) => Math.max(most, lane), 0) + 1;
    groups.push({ name, firstRow: rows, rows: count, depth });
    rows += count;
  };
  add('Model', 0, session.models.map(modelBar));
  add(
    'Tools',
    0,
    session.tools.map((call) => toolBar(call, session.to)),
  );
  for (const { name, timeline } of subagents.toSorted((one, two) => one.timeline.from - two.timeline.from)) {
    add(name, 1, timeline.models.map(modelBar));
    add(
      'Tools',
      1,
      timeline.tools.map((call) => toolBar(call, timeline.to)),
    );
  }
  return { bars, groups, rows };
}

function modelBar(call: ModelCall): Omit<Bar, 'row'> {
  const { line, model, from, firstAt, to, state, outputTokens } = call;
  const first = Math.min(firstAt ?? to, to);
  const end: BarSegment = { from: first, to, style: state === 'failed' ? 'failed' : 'stream' };
  const segments: BarSegment[] = [{ from, to: first, style: state === 'failed' ? 'failed' : 'wait' }, end];
  const name = model === '' ? 'failed attempt' : model;
  const title = outputTokens > 0 ? `${name}, ${outputTokens} tokens` : name;
  return { from, to, line, title, segments: segments.filter(isVisible), isOpen: state === 'open' };
}

function toolBar(call: ToolCall, now: number): Omit<Bar, 'row'> {
  const { line, tool, about, calledAt, askedAt, answeredAt, startedAt, endedAt, isError } = call;
  const to = endedAt ?? now;
  const firstStep = Math.min(startedAt ?? to, askedAt ?? to, to);
  const runsFrom = Math.max(startedAt ?? to, answeredAt ?? 0);
  const segments: BarSegment[] = [
    { from: calledAt, to: firstStep, style: 'queue' },
    ...(askedAt === undefined ? [] : [{ from: askedAt, to: answeredAt ?? to, style: 'ask' } as const]),
    { from: Math.min(runsFrom, to), to, style: isError ? 'error' : 'run' },
  ];
  const title = about === '' ? tool : `${tool}: ${about}`;
  return {
    from: calledAt,
    to,
    line,
    title,
    segments: segments.filter(isVisible),
    isOpen: endedAt === undefined,
  };
}

function isVisible({ from, to }: BarSegment): boolean {
  return to >= from;
}

/** Idle time between prompts that is longer than this is shortened. */
const LONGEST_IDLE_MS = 5_000;

/** A shortened idle time has this share of the whole axis. */
const IDLE_SHARE = 0.012;

interface AxisPiece {
  readonly from: number;
  readonly to: number;
  /** The start of the piece on the axis. */
  readonly start: number;
}

export interface TimeAxis {
  /** The length of the axis in milliseconds of activity. */
  readonly length: number;
  /** The positions of shortened idle times. */
  readonly breaks: readonly number[];
  position(at: number): number;
  timeAt(position: number): number;
}

export function timeAxis(spans: readonly { readonly from: number; readonly to: number }[]): TimeAxis {
  const active = mergedSpans(spans);
  const busy = active.reduce((sum, { from, to }) => sum + to - from, 0);
  const gap = Math.max(200, busy * IDLE_SHARE);
  const pieces: AxisPiece[] = [];
  let start = 0;
  for (const { from, to } of active) {
    pieces.push({ from, to, start });
    start += to - from + gap;
  }
  const length = Math.max(1, start - gap);
  return {
    length,
    breaks: pieces.slice(1).map((piece) => piece.start - gap / 2),
    position(at) {
      const piece = pieces[lastAtOrBefore(pieces, (one) => one.from <= at)];
      return piece ? piece.start + Math.min(at, piece.to + gap) - piece.from : 0;
    },
    timeAt(position) {
      const piece = pieces[lastAtOrBefore(pieces, (one) => one.start <= position)];
      return piece ? Math.min(piece.from + position - piece.start, piece.to) : 0;
    },
  };
}

function mergedSpans(
  spans: readonly { readonly from: number; readonly to: number }[],
): { readonly from: number; readonly to: number }[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of spans.toSorted((one, two) => one.from - two.from)) {
    const last = merged.at(-1);
    if (last && from - last.to <= LONGEST_IDLE_MS) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

/** Binary search in a sorted list. Returns 0 if no item matches. */
function lastAtOrBefore<T>(list: readonly T[], isBefore: (item: T) => boolean): number {
  let low = 0;
  let high = list.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const item = list[middle];
    if (item !== undefined && isBefore(item)) low = middle;
    else high = middle - 1;
  }
  return low;
}
