/** The timeline: when the model waited and streamed, when tools queued, asked and ran, and what went wrong. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ViewerSource } from '../../model/api.ts';
import { type Run, runsOf } from '../../model/runs.ts';
import { timelineOf } from '../../model/timeline.ts';
import { laneName, layoutOf, timeAxis } from '../../model/timeline-layout.ts';
import { durationText, visibleText } from '../data/format.ts';
import { isSubagentLive, useSubagents } from '../data/use-subagents.ts';
import { isLive, type SessionData } from '../data/use-session.ts';
import { RunTable } from '../parts/run-table.tsx';
import { nearestThing, type Thing, thingsOf } from '../parts/timeline-things.ts';
import {
  AXIS_HEIGHT,
  type Drawing,
  drawTimeline,
  MARK_HEIGHT,
  paletteOf,
  ROW_HEIGHT,
  topOf,
  type Viewport,
} from '../parts/timeline-canvas.ts';

interface TimelineViewProps {
  readonly source: ViewerSource;
  readonly id: string;
  readonly data: SessionData;
  readonly line: number | undefined;
  readonly onSelect: (line: number) => void;
}

const LEGEND = [
  ['wait', 'model waits'],
  ['stream', 'model streams'],
  ['queue', 'tool queued'],
  ['ask', 'permission'],
  ['run', 'tool runs'],
  ['bad', 'failed'],
] as const;

const SIGN_LEGEND = '▶ prompt   ↻ retry   ⇄ fallback   ◆ context   ✚ recovery   ✖ error   ■ end';

export function TimelineView({ source, id, data, line, onSelect }: TimelineViewProps) {
  const { facts } = data;
  const live = isLive(data, Date.now());
  const subagents = useSubagents(source, id, live);
  const now = useNow(live || subagents.some((subagent) => isSubagentLive(subagent, Date.now())));
  const runs = useMemo(() => runsOf(facts), [facts]);
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
  const [zoom, setZoom] = useState<Viewport>();
  const viewport = zoom ?? { start: -axis.length * 0.01, span: axis.length * 1.02 };
  // The list is made when the mouse or a key first needs it: a long session grows many times before that.
  const things = useMemo(() => {
    let made: Thing[] | undefined;
    return (): Thing[] => (made ??= thingsOf(layout, timeline.marks));
  }, [layout, timeline]);
  const [hovered, setHovered] = useState<Thing>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawing: Drawing = {
    layout,
    axis,
    marks: timeline.marks,
    viewport,
    selectedLine: hovered?.line ?? line,
  };
  const paint = useRef<() => void>(() => undefined);
  paint.current = () => {
    if (canvas.current) drawTimeline(canvas.current, drawing, paletteOf(canvas.current));
  };
  useEffect(() => paint.current());
  useRepaint(canvas, paint);

  const zoomBy = (factor: number, center = viewport.start + viewport.span / 2): void => {
    const span = Math.min(Math.max(viewport.span * factor, 20), axis.length * 1.1);
    setZoom({ start: center - ((center - viewport.start) / viewport.span) * span, span });
  };
  const panBy = (share: number): void =>
    setZoom({ start: viewport.start + viewport.span * share, span: viewport.span });
  const stepped = useRef<Thing | undefined>(undefined);
  const step = (by: number): void => {
    const known = stepped.current;
    // New data makes new objects for the same bars.
    const at = things().findIndex(({ line, title }) => line === known?.line && title === known.title);
    const next = things()[Math.max(0, Math.min(things().length - 1, at + by))];
    if (!next) return;
    // Keys may arrive faster than the page is drawn.
    stepped.current = next;
    setHovered(next);
    const start = axis.position(next.from);
    if (start < viewport.start || start > viewport.start + viewport.span)
      setZoom({ start: start - viewport.span / 4, span: viewport.span });
  };
  const press = (event: KeyboardEvent): void => {
    switch (event.key) {
      case 'ArrowRight':
        return handled(event, () => (event.shiftKey ? panBy(0.2) : step(1)));
      case 'ArrowLeft':
        return handled(event, () => (event.shiftKey ? panBy(-0.2) : step(-1)));
      case '+':
      case '=':
        return handled(event, () => zoomBy(0.6));
      case '-':
        return handled(event, () => zoomBy(1 / 0.6));
      case '0':
      case 'Escape':
        return handled(event, () => setZoom(undefined));
      case 'Enter':
        return handled(event, () => stepped.current && onSelect(stepped.current.line));
      default:
        return;
    }
  };
  const thingAt = (event: MouseEvent): Thing | undefined =>
    canvas.current ? nearestThing(things(), drawing, canvas.current, event) : undefined;
  const drag = useDrag(viewport, setZoom, canvas);
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="toolbar">
        <RunPicker runs={runs} onPick={(run) => setZoom(run && viewOf(run))} />
        <button type="button" onClick={() => zoomBy(0.6)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoomBy(1 / 0.6)} aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={() => setZoom(undefined)}>
          Fit
        </button>
      </div>
      <div class="lanes">
        <div class="lane-names" aria-hidden="true">
          {layout.groups.map(({ name, firstRow, depth }) => (
            <span key={firstRow} class={`depth-${depth}`} style={{ top: `${topOf(firstRow) + 4}px` }}>
              {visibleText(name)}
            </span>
          ))}
        </div>
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label="Timeline. Arrow keys select, plus and minus zoom, Enter opens the transcript."
          style={{ height: `${AXIS_HEIGHT + MARK_HEIGHT + Math.max(3, layout.rows) * ROW_HEIGHT + 8}px` }}
          onKeyDown={press}
          onMouseMove={(event) => {
            if (drag.move(event)) return;
            const thing = thingAt(event);
            stepped.current = thing ?? stepped.current;
            setHovered(thing);
          }}
          onMouseDown={drag.start}
          onMouseUp={(event) => {
            const thing = drag.end() ? undefined : thingAt(event);
            if (thing) onSelect(thing.line);
          }}
          onMouseLeave={() => {
            drag.end();
            setHovered(undefined);
          }}
          onWheel={(event) => {
            if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
            event.preventDefault();
            const box = event.currentTarget.getBoundingClientRect();
            const center = viewport.start + ((event.clientX - box.left) / box.width) * viewport.span;
            if (event.ctrlKey || event.metaKey) zoomBy(Math.exp(event.deltaY / 300), center);
            else panBy(event.deltaX / box.width);
          }}
        />
      </div>
      <p class="detail" role="status" aria-live="polite">
        {hovered
          ? `${visibleText(hovered.title)} · ${durationText(hovered.to - hovered.from)}`
          : 'Point at a bar, or use the arrow keys.'}
      </p>
      <ul class="legend">
        {LEGEND.map(([name, text]) => (
          <li key={name}>
            <i class={`swatch ${name}`} /> {text}
          </li>
        ))}
        <li class="dim">{SIGN_LEGEND}</li>
      </ul>
      <h2>Turns</h2>
      <RunTable runs={runs} onSelect={onSelect} onZoom={(run) => setZoom(viewOf(run))} />
    </section>
  );

  /** Leaves a margin around a turn. */
  function viewOf({ from, to }: Run): Viewport {
    const [start, end] = [axis.position(from), axis.position(to)];
    const margin = (end - start) * 0.03 + 10;
    return { start: start - margin, span: end - start + 2 * margin };
  }
}

function handled(event: KeyboardEvent, act: () => unknown): void {
  event.preventDefault();
  act();
}

interface RunPickerProps {
  readonly runs: readonly Run[];
  readonly onPick: (run: Run | undefined) => void;
}

function RunPicker({ runs, onPick }: RunPickerProps) {
  return (
    <select aria-label="Turn" onChange={(event) => onPick(runs[Number(event.currentTarget.value)])}>
      <option value="-1">All turns</option>
      {runs.map(({ index, prompt, from, to }) => (
        <option key={index} value={index}>
          {index + 1}. {visibleText(prompt.slice(0, 60))} ({durationText(to - from)})
        </option>
      ))}
    </select>
  );
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

/** Draws again when the size or the theme changes. */
function useRepaint(
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

interface Drag {
  readonly start: (event: MouseEvent) => void;
  /** Returns true while the mouse drags. */
  readonly move: (event: MouseEvent) => boolean;
  /** Returns true if the mouse has dragged. */
  readonly end: () => boolean;
}

function useDrag(
  viewport: Viewport,
  setZoom: (viewport: Viewport) => void,
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
        setZoom({ start: from.viewport.start - share * from.viewport.span, span: from.viewport.span });
      return from.moved;
    },
    end: () => {
      const hasMoved = held.current?.moved === true;
      held.current = undefined;
      return hasMoved;
    },
  };
}
