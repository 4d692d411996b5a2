// Assigns each node a row and a position in it. An arrow over several rows gets a position in each row that
// it passes.
import type { Plan } from './plan.ts';

export interface Place {
  readonly name: string;
  /** An arrow passes here, without a node. */
  readonly passing: boolean;
}

/** From one row to the next. `arrow` is the number of its arrow. */
interface Segment {
  readonly from: string;
  readonly to: string;
  readonly arrow: number;
}

export interface Layers {
  readonly rows: readonly (readonly Place[])[];
  readonly segments: readonly Segment[];
}

export function layersOf(plan: Plan): Layers {
  const depth = depths(plan);
  const rows: Place[][] = [];
  const put = (row: number, place: Place) => {
    const places = (rows[row] ??= []);
    places.push(place);
  };
  const segments: Segment[] = [];

  for (const { name } of plan.nodes) put(depth.get(name) ?? 0, { name, passing: false });
  for (const [arrow, { from, to }] of plan.arrows.entries()) {
    const last = depth.get(to) ?? 0;
    let before = from;
    for (let row = (depth.get(from) ?? 0) + 1; row < last; row += 1) {
      const name = `${from} to ${to} in row ${row}`;
      put(row, { name, passing: true });
      segments.push({ from: before, to: name, arrow });
      before = name;
    }
    segments.push({ from: before, to, arrow });
  }
  return { rows: ordered(rows, segments, plan), segments };
}

/** The longest path from the start: no arrow points upwards. */
function depths({ nodes, arrows }: Plan): Map<string, number> {
  const depth = new Map(nodes.map(({ name }) => [name, 0]));
  for (let round = 0; round < nodes.length; round += 1) {
    for (const { from, to } of arrows)
      depth.set(to, Math.max(depth.get(to) ?? 0, (depth.get(from) ?? 0) + 1));
  }
  return depth;
}

/** Returns the best of all orders. Rows are short, so all can be tried. Ties are resolved by name. */
function ordered(rows: Place[][], segments: readonly Segment[], plan: Plan): Place[][] {
  const orders = rows.map((row) => permutations(row.toSorted((one, other) => compare(one.name, other.name))));
  const none: Place[][][] = [[]];
  const drawings = orders.reduce(
    (before, choices) => before.flatMap((start) => choices.map((row) => start.concat([row]))),
    none,
  );
  const costs = drawings.map((drawing) => costOf(drawing, segments, plan));
  return drawings[costs.indexOf(Math.min(...costs))] ?? rows;
}

/** Crossings are bad. A return that passes behind other cards is worse. Long arrows cost a little. */
function costOf(rows: readonly Place[][], segments: readonly Segment[], { returns }: Plan): number {
  const at = new Map(
    rows.flatMap((row) => row.map(({ name }, index) => [name, index - (row.length - 1) / 2])),
  );
  const ends = segments.map(({ from, to }) => ({
    from: at.get(from) ?? 0,
    to: at.get(to) ?? 0,
    row: rowOf(rows, from),
  }));
  let cost = 0;
  for (const [number, one] of ends.entries()) {
    cost += Math.abs(one.from - one.to) / 10;
    for (const other of ends.slice(number + 1)) {
      if (one.row === other.row && (one.from - other.from) * (one.to - other.to) < 0) cost += 2;
    }
  }
  for (const name of new Set(returns.map(({ from }) => from))) {
    const row = rows[rowOf(rows, name)] ?? [];
    const index = row.findIndex((place) => place.name === name);
    const weigh = (places: readonly Place[]) =>
      places.reduce((sum, { passing }) => sum + (passing ? 1 : 5), 0);
    cost += Math.min(weigh(row.slice(0, index)), weigh(row.slice(index + 1)));
  }
  return cost;
}

function rowOf(rows: readonly Place[][], name: string): number {
  return rows.findIndex((row) => row.some((place) => place.name === name));
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item].concat(rest)));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
