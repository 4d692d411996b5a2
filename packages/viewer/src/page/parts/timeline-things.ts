/** The bars and marks of a timeline as one list in the order of time, for the mouse and the keyboard. */
import type { TimelineMark } from '../../model/timeline.ts';
import type { TimelineLayout } from '../../model/timeline-layout.ts';
import { AXIS_HEIGHT, type Drawing, MARK_HEIGHT, ROW_HEIGHT, xOf } from './timeline-canvas.ts';

export interface Thing {
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly title: string;
  /** Undefined for a mark. */
  readonly row: number | undefined;
}

export function thingsOf(layout: TimelineLayout, marks: readonly TimelineMark[]): Thing[] {
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

/** Things within this distance count as hit. */
const REACH_PX = 6;

export function nearestThing(
  things: readonly Thing[],
  drawing: Drawing,
  canvas: HTMLCanvasElement,
  event: MouseEvent,
): Thing | undefined {
  const box = canvas.getBoundingClientRect();
  const x = event.clientX - box.left;
  const y = event.clientY - box.top;
  const row =
    y < AXIS_HEIGHT + MARK_HEIGHT ? undefined : Math.floor((y - AXIS_HEIGHT - MARK_HEIGHT) / ROW_HEIGHT);
  let best: Thing | undefined;
  let bestDistance = REACH_PX;
  for (const thing of things) {
    if (thing.row !== row) continue;
    const from = xOf(thing.from, drawing, box.width);
    const to = xOf(thing.to, drawing, box.width);
    const distance = x < from ? from - x : Math.max(0, x - to);
    if (distance > bestDistance) continue;
    best = thing;
    bestDistance = distance;
  }
  return best;
}
