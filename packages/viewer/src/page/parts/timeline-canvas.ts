/** Draws a part of a timeline on a canvas. Ten thousand bars take a few milliseconds. */
import type { TimelineMark } from '../../model/timeline.ts';
import type { Bar, BarStyle, TimeAxis, TimelineLayout } from '../../model/timeline-layout.ts';
import { durationText } from '../data/format.ts';

export const ROW_HEIGHT = 24;
export const MARK_HEIGHT = 30;
export const AXIS_HEIGHT = 22;
const BAR_HEIGHT = 16;
const SMALLEST_BAR = 2.5;

/** A narrower bar has no text and shows only its last segment. */
const NARROW = 5;

/** The visible part of the axis. */
export interface Viewport {
  readonly start: number;
  readonly span: number;
}

export interface Drawing {
  readonly layout: TimelineLayout;
  readonly axis: TimeAxis;
  readonly marks: readonly TimelineMark[];
  readonly viewport: Viewport;
  readonly selectedLine: number | undefined;
}

export type Palette = Readonly<
  Record<BarStyle | 'ink' | 'dim' | 'line' | 'accent' | TimelineMark['kind'], string>
>;

/** Colors come from the style sheet, so that the canvas follows the theme. */
export function paletteOf(element: HTMLElement): Palette {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    wait: color('wait'),
    stream: color('stream'),
    failed: color('bad'),
    queue: color('queue'),
    ask: color('ask'),
    run: color('run'),
    error: color('bad'),
    ink: color('ink'),
    dim: color('dim'),
    line: color('line'),
    accent: color('accent'),
    prompt: color('accent'),
    retry: color('ask'),
    fallback: color('ask'),
    context: color('context'),
    recovery: color('ask'),
    rewind: color('context'),
    end: color('dim'),
    failure: color('bad'),
  };
}

export function xOf(at: number, { axis, viewport }: Drawing, width: number): number {
  return ((axis.position(at) - viewport.start) / viewport.span) * width;
}

export function drawTimeline(canvas: HTMLCanvasElement, drawing: Drawing, palette: Palette): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext('2d');
  if (!pen) return;
  pen.scale(ratio, ratio);
  pen.font = '11px system-ui, sans-serif';
  drawAxis(pen, drawing, palette, width, height);
  // Narrow bars at the same pixel are drawn once.
  const taken = new Set<number>();
  for (const bar of drawing.layout.bars) drawBar(pen, bar, drawing, palette, width, taken);
  for (const mark of drawing.marks) drawMark(pen, mark, drawing, palette, width, height);
}

function drawAxis(
  pen: CanvasRenderingContext2D,
  { axis, viewport, layout }: Drawing,
  palette: Palette,
  width: number,
  height: number,
): void {
  pen.strokeStyle = palette.line;
  pen.fillStyle = palette.dim;
  const step = tickStep(viewport.span, width);
  for (let at = Math.ceil(viewport.start / step) * step; at < viewport.start + viewport.span; at += step) {
    const x = ((at - viewport.start) / viewport.span) * width;
    line(pen, x, AXIS_HEIGHT - 4, height);
    pen.fillText(durationText(at), x + 4, 13);
  }
  pen.setLineDash([2, 4]);
  pen.strokeStyle = palette.dim;
  for (const at of axis.breaks)
    line(pen, ((at - viewport.start) / viewport.span) * width, AXIS_HEIGHT, height);
  pen.setLineDash([]);
  pen.strokeStyle = palette.line;
  for (const { firstRow } of layout.groups) {
    const y = Math.round(topOf(firstRow)) - 0.5;
    pen.beginPath();
    pen.moveTo(0, y);
    pen.lineTo(width, y);
    pen.stroke();
  }
}

function line(pen: CanvasRenderingContext2D, x: number, from: number, to: number): void {
  pen.beginPath();
  pen.moveTo(Math.round(x) + 0.5, from);
  pen.lineTo(Math.round(x) + 0.5, to);
  pen.stroke();
}

/** A round number of milliseconds, about 110 pixels apart. */
function tickStep(span: number, width: number): number {
  const wanted = (span * 110) / Math.max(width, 1);
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000];
  const longer = [2, 5, 10, 30, 60, 120, 300, 600, 1_440].map((minutes) => minutes * 60_000);
  return [...steps, ...longer].find((step) => step >= wanted) ?? wanted;
}

export function topOf(row: number): number {
  return AXIS_HEIGHT + MARK_HEIGHT + row * ROW_HEIGHT;
}

function drawBar(
  pen: CanvasRenderingContext2D,
  bar: Bar,
  drawing: Drawing,
  palette: Palette,
  width: number,
  taken: Set<number>,
): void {
  const left = xOf(bar.from, drawing, width);
  const right = Math.max(xOf(bar.to, drawing, width), left + SMALLEST_BAR);
  if (right < 0 || left > width) return;
  const y = topOf(bar.row) + (ROW_HEIGHT - BAR_HEIGHT) / 2;
  if (right - left < NARROW && bar.line !== drawing.selectedLine) {
    const key = bar.row * 100_000 + Math.round(left);
    if (!taken.has(key)) pen.fillStyle = palette[bar.segments.at(-1)?.style ?? 'run'];
    if (!taken.has(key)) pen.fillRect(left, y, right - left, BAR_HEIGHT);
    taken.add(key);
    return;
  }
  pen.save();
  pen.beginPath();
  pen.roundRect(left, y, right - left, BAR_HEIGHT, 3);
  pen.clip();
  for (const { from, to, style } of bar.segments) {
    const start = xOf(from, drawing, width);
    const end = Math.max(
      xOf(to, drawing, width),
      start + (style === 'run' || style === 'stream' ? SMALLEST_BAR : 0),
    );
    pen.fillStyle = palette[style];
    pen.fillRect(start, y, end - start, BAR_HEIGHT);
  }
  if (right - left > 46) {
    pen.fillStyle = palette.ink;
    pen.fillText(bar.title, Math.max(left, 0) + 5, y + 12, undefined);
  }
  pen.restore();
  if (bar.line !== drawing.selectedLine) return;
  pen.strokeStyle = palette.accent;
  pen.lineWidth = 2;
  pen.strokeRect(left - 2, y - 2, right - left + 4, BAR_HEIGHT + 4);
  pen.lineWidth = 1;
}

/** Letters and shapes differ, so that marks do not depend on color alone. */
const SIGNS: Readonly<Record<TimelineMark['kind'], string>> = {
  prompt: '▶',
  retry: '↻',
  fallback: '⇄',
  context: '◆',
  recovery: '✚',
  rewind: '↶',
  end: '■',
  failure: '✖',
};

function drawMark(
  pen: CanvasRenderingContext2D,
  { at, kind, line: number }: TimelineMark,
  drawing: Drawing,
  palette: Palette,
  width: number,
  height: number,
): void {
  const x = xOf(at, drawing, width);
  if (x < -10 || x > width + 10) return;
  pen.fillStyle = palette[kind];
  pen.font = '13px system-ui, sans-serif';
  pen.textAlign = 'center';
  pen.fillText(SIGNS[kind], Math.max(7, Math.min(x, width - 7)), AXIS_HEIGHT + 19);
  pen.textAlign = 'start';
  pen.font = '11px system-ui, sans-serif';
  if (kind === 'end' || kind === 'prompt') return;
  pen.globalAlpha = number === drawing.selectedLine ? 1 : 0.45;
  pen.strokeStyle = palette[kind];
  line(pen, x, AXIS_HEIGHT + 24, height);
  pen.globalAlpha = 1;
}
