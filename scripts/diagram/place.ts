// Computes the position of everything in pixels.
import type { Layers, Place } from './layers.ts';
import type { Plan, PlanNode } from './plan.ts';

export interface Box {
  readonly name: string;
  /** The middle of the card, at which arrows begin and end. */
  readonly x: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly ends: readonly { readonly name: string; readonly y: number }[];
  readonly passing: boolean;
}

/** A return to the start: out of a card, along a lane, into the start. */
export interface Lane {
  readonly reason: string;
  readonly side: -1 | 1;
  readonly out: { readonly x: number; readonly y: number };
  readonly lane: number;
  readonly into: { readonly x: number; readonly y: number };
}

export interface Placed {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly lanes: readonly Lane[];
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

const CARD = { width: 126, height: 44 };
export const END = { width: 180, height: 27, gap: 24, step: 33 };
const LANE = { step: 20, first: 34, label: 25 };
/** Between two rows: space for an arrow, and for the lines of its label. */
const ROW = { gap: 44, labelled: 18, line: 16 };
const COLUMN_GAP = 28;
const TOP = 64;

export function place(plan: Plan, { rows, segments }: Layers): Placed {
  const nodes = new Map(plan.nodes.map((node) => [node.name, node]));
  const xs = columns(rows, segments, nodes);
  const middle = xs.get(plan.start) ?? 0;
  const sideOf = (name: string): -1 | 1 => ((xs.get(name) ?? 0) > middle ? 1 : -1);
  const returnsOf = (name: string) => plan.returns.filter(({ from }) => from === name);
  const most = Math.max(
    ...([-1, 1] as const).map((side) => plan.returns.filter(({ from }) => sideOf(from) === side).length),
  );

  const boxes = new Map<string, Box>();
  let top = TOP;
  let bottom = TOP;
  for (const row of rows) {
    const heights = row.map(({ name }) => heightOf(name));
    for (const { name, passing } of row) boxes.set(name, boxOf(name, passing, Math.max(...heights)));
    bottom = top + Math.max(...heights);
    top = bottom + gapBelow(row);
  }
  const left = Math.min(...[...boxes.values()].map(({ x, width }) => x - width / 2));
  const right = Math.max(...[...boxes.values()].map(rightOf));
  return { boxes, lanes: [...lanesOn(-1), ...lanesOn(1)], left, right, bottom };

  function gapBelow(row: readonly Place[]): number {
    const names = new Set(row.map(({ name }) => name));
    const lines = segments.flatMap(({ from, to, arrow }) =>
      names.has(from) && nodes.has(to) ? [plan.arrows[arrow]?.label.length ?? 0] : [],
    );
    const most = Math.max(0, ...lines);
    return ROW.gap + (most > 0 ? ROW.labelled + ROW.line * most : 0);
  }

  function heightOf(name: string): number {
    if (name === plan.start) return Math.max(CARD.height, most * LANE.label + 12);
    const ends = nodes.get(name)?.ends.length ?? 0;
    const out = returnsOf(name).length;
    const onOneSide =
      sideOf(name) > 0 ? ends * END.step + out * LANE.step : Math.max(ends * END.step, out * LANE.step);
    return Math.max(CARD.height, onOneSide + 8);
  }

  function boxOf(name: string, passing: boolean, rowHeight: number): Box {
    const height = passing ? rowHeight : heightOf(name);
    const ends = (nodes.get(name)?.ends ?? []).map((end, at) => ({
      name: end,
      y: top + 4 + END.step * (at + 0.5),
    }));
    const width = passing ? 0 : name === plan.start ? CARD.width + 60 : CARD.width;
    return { name, x: xs.get(name) ?? 0, top, width, height, ends, passing };
  }

  /**
   * The lower a return begins, the farther out it runs and the higher it arrives, so that none crosses
   * another.
   */
  function lanesOn(side: -1 | 1): Lane[] {
    const edge = side < 0 ? left : right;
    const start = boxes.get(plan.start);
    const outs = plan.returns
      .filter(({ from }) => sideOf(from) === side)
      .map(({ from, reason }) => ({ reason, out: wayOut(from, reason, side) }))
      .toSorted((one, other) => one.out.y - other.out.y);
    return outs.map(({ reason, out }, at) => ({
      reason,
      side,
      out,
      lane: edge + side * (LANE.first + LANE.step * at),
      into: {
        x: (start?.x ?? 0) + (side * (start?.width ?? 0)) / 2,
        y: (start?.top ?? 0) + (start?.height ?? 0) - LANE.label * (at + 0.5) - 2,
      },
    }));
  }

  /** Out of the side of the card. On the right, below the terminals there. */
  function wayOut(from: string, reason: string, side: -1 | 1): { x: number; y: number } {
    const box = boxes.get(from);
    const at = returnsOf(from).findIndex((one) => one.reason === reason);
    const { x = 0, width = 0, top: y = 0, height = 0 } = box ?? {};
    const above =
      side > 0 ? (box?.ends.length ?? 0) * END.step : (height - returnsOf(from).length * LANE.step) / 2 - 4;
    return { x: x + (side * width) / 2, y: y + 4 + above + LANE.step * (at + 0.5) };
  }
}

/**
 * Each position as near as possible to the middle of its connected nodes, without touching adjacent ones.
 */
function columns(
  rows: readonly (readonly Place[])[],
  segments: Layers['segments'],
  nodes: ReadonlyMap<string, PlanNode>,
): Map<string, number> {
  const reach = (place: Place) => {
    if (place.passing) return { left: 14, right: 14 };
    const ends = (nodes.get(place.name)?.ends.length ?? 0) > 0 ? END.gap + END.width : 0;
    return { left: CARD.width / 2, right: CARD.width / 2 + ends };
  };
  const xs = new Map<string, number>();
  for (const row of rows) spread(row, () => 0);
  for (let round = 0; round < 12; round += 1) for (const row of rows) spread(row, wish);
  for (const [at, row] of [...rows.entries()].toReversed()) standAbove(row, rows[at + 1]);
  return xs;

  /** Rows of one node are aligned vertically. */
  function standAbove(row: readonly Place[], below: readonly Place[] | undefined): void {
    const [one, other] = [row[0], below?.[0]];
    if (one && other && row.length === 1 && below?.length === 1) xs.set(one.name, xs.get(other.name) ?? 0);
  }

  function wish({ name }: Place): number {
    const near = segments.flatMap(({ from, to }) => (to === name ? [from] : from === name ? [to] : []));
    return near.reduce((sum, other) => sum + (xs.get(other) ?? 0), 0) / Math.max(1, near.length);
  }

  function spread(row: readonly Place[], wished: (place: Place) => number): void {
    const gaps = row.map((place, at) => {
      const before = row[at - 1];
      return before ? reach(before).right + COLUMN_GAP + reach(place).left : 0;
    });
    const offsets = gaps.map((_, at) => gaps.slice(0, at + 1).reduce((sum, gap) => sum + gap, 0));
    const wishes = row.map((place, at) => wished(place) - (offsets[at] ?? 0));
    const settled = neverFalling(wishes);
    for (const [at, { name }] of row.entries())
      xs.set(name, Math.round((settled[at] ?? 0) + (offsets[at] ?? 0)));
  }
}

/** Returns the nearest non-decreasing sequence: adjacent values in the wrong order take their mean. */
function neverFalling(wishes: readonly number[]): number[] {
  const groups: { sum: number; size: number }[] = [];
  for (const wish of wishes) {
    let group = { sum: wish, size: 1 };
    for (
      let last = groups.at(-1);
      last && last.sum / last.size > group.sum / group.size;
      last = groups.at(-1)
    ) {
      groups.pop();
      group = { sum: last.sum + group.sum, size: last.size + group.size };
    }
    groups.push(group);
  }
  return groups.flatMap(({ sum, size }) => Array.from({ length: size }, () => sum / size));
}

function rightOf({ x, width, ends }: Box): number {
  return x + width / 2 + (ends.length > 0 ? END.gap + END.width : 0);
}
