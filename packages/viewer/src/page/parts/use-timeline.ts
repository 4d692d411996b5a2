/** The state of the timeline: its data, the visible part, and the item under the mouse or the keys. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ViewerSource } from '../../model/api.ts';
import type { Run } from '../../model/runs.ts';
import { type TimelineMark, timelineOf } from '../../model/timeline.ts';
import {
  laneName,
  layoutOf,
  type TimeAxis,
  timeAxis,
  type TimelineLayout,
} from '../../model/timeline-layout.ts';
import { isLive, type SessionData } from '../data/use-session.ts';
import { isSubagentLive, useSubagents } from '../data/use-subagents.ts';
import { AXIS_HEIGHT, type Drawing, MARK_HEIGHT, ROW_HEIGHT, type Viewport, xOf } from './timeline-canvas.ts';

export interface TimelineData {
  readonly layout: TimelineLayout;
  readonly marks: readonly TimelineMark[];
  readonly axis: TimeAxis;
  /** Made when the mouse or a key first needs it: a long session grows many times before that. */
  readonly items: () => readonly TimelineItem[];
}

/** Computes the timeline of a session and its subagents. A live one grows each second. */
export function useTimeline(source: ViewerSource, id: string, data: SessionData): TimelineData {
  const { facts } = data;
  const live = isLive(data, Date.now());
  const subagents = useSubagents(source, id, live);
  const now = useNow(live || subagents.some((subagent) => isSubagentLive(subagent, Date.now())));
  const timeline = useMemo(() => timelineOf(facts, now), [facts, now]);
  const layout = useMemo(() => {
    const lanes = subagents.map(({ card, facts: own }) => ({
      name: laneName(card, own),
      timeline: timelineOf(own, card.isOpen ? now : undefined),
    }));
    return layoutOf(timeline, lanes);
  }, [timeline, subagents, now]);
  const axis = useMemo(
    () => timeAxis([...layout.bars, ...timeline.marks.map(({ at }) => ({ from: at, to: at }))]),
    [layout, timeline],
  );
  const items = useMemo(() => {
    let made: readonly TimelineItem[] | undefined;
    return (): readonly TimelineItem[] => (made ??= timelineItems(layout, timeline.marks));
  }, [layout, timeline]);
  return { layout, marks: timeline.marks, axis, items };
}

/** The time, once per second while the session is live. */
function useNow(isRunning: boolean): number | undefined {
  const [now, setNow] = useState<number>();
  useEffect(() => {
    if (!isRunning) {
      setNow(undefined);
      return;
    }
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}

/** A bar or a mark, for the mouse and the keyboard. */
export interface TimelineItem {
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly title: string;
  /** Undefined for a mark. */
  readonly row: number | undefined;
}

/** Returns the bars and marks as one list in the order of time. */
function timelineItems(layout: TimelineLayout, marks: readonly TimelineMark[]): TimelineItem[] {
  return [
    ...layout.bars.map(({ line, from, to, title, row }) => ({ line, from, to, title, row })),
    ...marks.map(({ line, at, text, kind }) => ({
      line,
      from: at,
      to: at,
      title: `${kind}: ${text}`,
      row: undefined,
    })),
  ].sort((one, two) => one.from - two.from || one.line - two.line);
}

/** TimelineItems within this distance count as hit. */
const REACH_PX = 6;

export function nearestItem(
  items: readonly TimelineItem[],
  drawing: Drawing,
  canvas: HTMLCanvasElement,
  event: MouseEvent,
): TimelineItem | undefined {
  const box = canvas.getBoundingClientRect();
  const x = event.clientX - box.left;
  const y = event.clientY - box.top;
  const row =
    y < AXIS_HEIGHT + MARK_HEIGHT ? undefined : Math.floor((y - AXIS_HEIGHT - MARK_HEIGHT) / ROW_HEIGHT);
  let best: TimelineItem | undefined;
  let bestDistance = REACH_PX;
  for (const item of items) {
    if (item.row !== row) continue;
    const from = xOf(item.from, drawing, box.width);
    const to = xOf(item.to, drawing, box.width);
    const distance = x < from ? from - x : Math.max(0, x - to);
    if (distance > bestDistance) continue;
    best = item;
    bestDistance = distance;
  }
  return best;
}

/** The shortest part of the axis that fills the canvas, in milliseconds. */
const LEAST_SPAN_MS = 20;

/** The visible part of the axis, and what changes it. */
export interface Zoom {
  readonly viewport: Viewport;
  readonly setViewport: (viewport: Viewport) => void;
  /** Keeps `center` at its place. The default is the middle of the canvas. */
  readonly zoomBy: (factor: number, center?: number) => void;
  /** Moves by a share of the visible part. */
  readonly panBy: (share: number) => void;
  /** Moves only if the time is outside the visible part. */
  readonly reveal: (time: number) => void;
  /** Shows one turn with a margin, or everything. */
  readonly show: (run: Run | undefined) => void;
}

export function useZoom(axis: TimeAxis): Zoom {
  const [zoom, setZoom] = useState<Viewport>();
  const viewport = zoom ?? { start: -axis.length * 0.01, span: axis.length * 1.02 };
  const { start, span } = viewport;
  return {
    viewport,
    setViewport: setZoom,
    zoomBy: (factor, center = start + span / 2) => {
      const next = Math.min(Math.max(span * factor, LEAST_SPAN_MS), axis.length * 1.1);
      setZoom({ start: center - ((center - start) / span) * next, span: next });
    },
    panBy: (share) => setZoom({ start: start + span * share, span }),
    reveal: (time) => {
      const at = axis.position(time);
      if (at < start || at > start + span) setZoom({ start: at - span / 4, span });
    },
    show: (run) => {
      if (!run) return setZoom(undefined);
      const [from, to] = [axis.position(run.from), axis.position(run.to)];
      const margin = (to - from) * 0.03 + 10;
      setZoom({ start: from - margin, span: to - from + 2 * margin });
    },
  };
}

interface Drag {
  readonly start: (event: MouseEvent) => void;
  /** Returns true while the mouse drags. */
  readonly move: (event: MouseEvent) => boolean;
  /** Returns true if the mouse has dragged. */
  readonly end: () => boolean;
}

/** Moves the visible part with the mouse. */
export function useDrag(
  viewport: Viewport,
  setViewport: (viewport: Viewport) => void,
  canvas: { readonly current: HTMLCanvasElement | null },
): Drag {
  const held = useRef<{ x: number; viewport: Viewport; moved: boolean } | undefined>(undefined);
  return {
    start: (event) => {
      held.current = { x: event.clientX, viewport, moved: false };
    },
    move: (event) => {
      const from = held.current;
      if (!from || !canvas.current) return false;
      const distance = event.clientX - from.x;
      if (Math.abs(distance) > 3) from.moved = true;
      const share = distance / canvas.current.clientWidth;
      if (from.moved)
        setViewport({ start: from.viewport.start - share * from.viewport.span, span: from.viewport.span });
      return from.moved;
    },
    end: () => {
      const hasMoved = held.current?.moved === true;
      held.current = undefined;
      return hasMoved;
    },
  };
}

/** Draws again when the size or the theme changes. */
export function useRepaint(
  canvas: { readonly current: HTMLCanvasElement | null },
  paint: { readonly current: () => void },
): void {
  useEffect(() => {
    if (!canvas.current) return;
    const draw = (): void => paint.current();
    const size = new ResizeObserver(draw);
    size.observe(canvas.current);
    const theme = matchMedia('(prefers-color-scheme: dark)');
    theme.addEventListener('change', draw);
    return () => {
      size.disconnect();
      theme.removeEventListener('change', draw);
    };
  }, [canvas, paint]);
}
