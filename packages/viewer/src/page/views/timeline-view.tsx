/** The timeline: when the model waited and streamed, when tools queued, asked and ran, and what went wrong. */
import type { TargetedWheelEvent } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ViewerSource } from '../../model/api.ts';
import { runsOf } from '../../model/runs.ts';
import { durationText, visibleText } from '../data/format.ts';
import type { SessionData } from '../data/use-session.ts';
import { RunPicker, RunTable } from '../parts/run-table.tsx';
import {
  AXIS_HEIGHT,
  type Drawing,
  drawTimeline,
  MARK_HEIGHT,
  paletteOf,
  ROW_HEIGHT,
  topOf,
} from '../parts/timeline-canvas.ts';
import {
  nearestItem,
  type TimelineData,
  type TimelineItem,
  useDrag,
  useRepaint,
  useTimeline,
  useZoom,
  type Zoom,
} from '../parts/use-timeline.ts';

interface TimelineViewProps {
  readonly source: ViewerSource;
  readonly id: string;
  readonly data: SessionData;
  readonly line: number | undefined;
  readonly onSelect: (line: number) => void;
}

const ZOOM_IN = 0.6;
const ZOOM_OUT = 1 / ZOOM_IN;

export function TimelineView({ source, id, data, line, onSelect }: TimelineViewProps) {
  const { facts } = data;
  const runs = useMemo(() => runsOf(facts), [facts]);
  const timeline = useTimeline(source, id, data);
  const zoom = useZoom(timeline.axis);
  const [hovered, setHovered] = useState<TimelineItem>();
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="toolbar">
        <RunPicker runs={runs} onPick={zoom.show} />
        <button type="button" onClick={() => zoom.zoomBy(ZOOM_IN)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoom.zoomBy(ZOOM_OUT)} aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={() => zoom.show(undefined)}>
          Fit
        </button>
      </div>
      <div class="lanes">
        <div class="lane-names" aria-hidden="true">
          {timeline.layout.groups.map(({ name, firstRow, depth }) => (
            <span key={firstRow} class={`depth-${depth}`} style={{ top: `${topOf(firstRow) + 4}px` }}>
              {visibleText(name)}
            </span>
          ))}
        </div>
        <TimelineCanvas
          timeline={timeline}
          zoom={zoom}
          selectedLine={hovered?.line ?? line}
          onHover={setHovered}
          onSelect={onSelect}
        />
      </div>
      <p class="detail" role="status" aria-live="polite">
        {hovered
          ? `${visibleText(hovered.title)} · ${durationText(hovered.to - hovered.from)}`
          : 'Point at a bar, or use the arrow keys.'}
      </p>
      <Legend />
      <h2>Turns</h2>
      <RunTable runs={runs} onSelect={onSelect} onZoom={zoom.show} />
    </section>
  );
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

function Legend() {
  return (
    <ul class="legend">
      {LEGEND.map(([name, text]) => (
        <li key={name}>
          <i class={`swatch ${name}`} /> {text}
        </li>
      ))}
      <li class="dim">{SIGN_LEGEND}</li>
    </ul>
  );
}

interface TimelineCanvasProps {
  readonly timeline: TimelineData;
  readonly zoom: Zoom;
  readonly selectedLine: number | undefined;
  /** Undefined if the mouse has left all items. */
  readonly onHover: (item: TimelineItem | undefined) => void;
  readonly onSelect: (line: number) => void;
}

/** Draws the timeline, and handles its mouse and keys. */
function TimelineCanvas({ timeline, zoom, selectedLine, onHover, onSelect }: TimelineCanvasProps) {
  const { layout, marks, axis, items } = timeline;
  const { viewport } = zoom;
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawing: Drawing = { layout, axis, marks, viewport, selectedLine };
  const paint = useRef<() => void>(() => undefined);
  paint.current = () => {
    if (canvas.current) drawTimeline(canvas.current, drawing, paletteOf(canvas.current));
  };
  useEffect(() => paint.current());
  useRepaint(canvas, paint);
  const drag = useDrag(viewport, zoom.setViewport, canvas);
  // Keys may arrive faster than the page is drawn.
  const stepped = useRef<TimelineItem | undefined>(undefined);
  const step = (by: number): void => {
    const next = itemBeside(items(), stepped.current, by);
    if (!next) return;
    stepped.current = next;
    onHover(next);
    zoom.reveal(next.from);
  };
  const open = (): void => {
    if (stepped.current) onSelect(stepped.current.line);
  };
  const itemAt = (event: MouseEvent): TimelineItem | undefined =>
    canvas.current ? nearestItem(items(), drawing, canvas.current, event) : undefined;
  return (
    <canvas
      ref={canvas}
      tabIndex={0}
      role="application"
      aria-label="Timeline. Arrow keys select, plus and minus zoom, Enter opens the transcript."
      style={{ height: `${AXIS_HEIGHT + MARK_HEIGHT + Math.max(3, layout.rows) * ROW_HEIGHT + 8}px` }}
      onKeyDown={(event) => {
        const act = actionOf(event, zoom, step, open);
        if (!act) return;
        event.preventDefault();
        act();
      }}
      onMouseMove={(event) => {
        if (drag.move(event)) return;
        const item = itemAt(event);
        stepped.current = item ?? stepped.current;
        onHover(item);
      }}
      onMouseDown={drag.start}
      onMouseUp={(event) => {
        const item = drag.end() ? undefined : itemAt(event);
        if (item) onSelect(item.line);
      }}
      onMouseLeave={() => {
        drag.end();
        onHover(undefined);
      }}
      onWheel={(event) => turnWheel(event, zoom)}
    />
  );
}

/** New data makes new objects for the same bars, so the known one is found by its line and title. */
function itemBeside(
  items: readonly TimelineItem[],
  known: TimelineItem | undefined,
  by: number,
): TimelineItem | undefined {
  const at = items.findIndex(({ line, title }) => line === known?.line && title === known.title);
  return items[Math.max(0, Math.min(items.length - 1, at + by))];
}

function actionOf(
  event: KeyboardEvent,
  zoom: Zoom,
  step: (by: number) => void,
  open: () => void,
): (() => void) | undefined {
  switch (event.key) {
    case 'ArrowRight':
      return () => (event.shiftKey ? zoom.panBy(0.2) : step(1));
    case 'ArrowLeft':
      return () => (event.shiftKey ? zoom.panBy(-0.2) : step(-1));
    case '+':
    case '=':
      return () => zoom.zoomBy(ZOOM_IN);
    case '-':
      return () => zoom.zoomBy(ZOOM_OUT);
    case '0':
    case 'Escape':
      return () => zoom.show(undefined);
    case 'Enter':
      return open;
    default:
      return undefined;
  }
}

/** Zooms with Control or Command, moves sideways, and leaves other turns of the wheel to the page. */
function turnWheel(event: TargetedWheelEvent<HTMLCanvasElement>, { viewport, zoomBy, panBy }: Zoom): void {
  const zooms = event.ctrlKey || event.metaKey;
  if (!zooms && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
  event.preventDefault();
  const box = event.currentTarget.getBoundingClientRect();
  const center = viewport.start + ((event.clientX - box.left) / box.width) * viewport.span;
  if (zooms) zoomBy(Math.exp(event.deltaY / 300), center);
  else panBy(event.deltaX / box.width);
}
