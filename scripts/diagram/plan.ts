// The content of the drawing, taken from the routes that the explorer found. Independent of the machine.
import type { Route } from '@heddle/testing';

export interface Plan {
  /** The node in which every iteration starts. */
  readonly start: string;
  readonly nodes: readonly PlanNode[];
  readonly arrows: readonly Arrow[];
  /** Returns to the start, each with its reason. */
  readonly returns: readonly { readonly from: string; readonly reason: string }[];
  /** Events that can occur during many effects: an abort, an exception. */
  readonly anytime: readonly Anytime[];
}

export interface PlanNode {
  readonly name: string;
  /** The terminals that are reached from here. */
  readonly ends: readonly string[];
}

export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: readonly string[];
}

export interface Anytime {
  readonly what: string;
  readonly during: readonly string[];
  readonly everywhere: boolean;
  readonly end: string;
}

export function planOf(routes: readonly Route[]): Plan {
  const ordinary = routes.filter((pipeline) => !isAnytime(pipeline));
  const names = namesInOrder(routes);
  const start = names.find((name) => !ordinary.some(({ to }) => to.kind === 'do' && to.name === name)) ?? '';
  return {
    start,
    nodes: names.map((name) => ({ name, ends: endsOf(ordinary, name) })),
    arrows: ordinary.flatMap(({ from, to, when }) =>
      to.kind === 'do' ? [{ from, to: to.name, label: when }] : [],
    ),
    returns: ordinary.flatMap(({ from, to }) => (to.kind === 'continue' ? [{ from, reason: to.name }] : [])),
    anytime: anytimeOf(
      routes.filter(isAnytime),
      names.filter((name) => name !== start),
    ),
  };
}

function isAnytime({ aborted, on }: Route): boolean {
  return aborted || on === 'threw';
}

/** From the start on, each after a node from which it is reached. */
function namesInOrder(routes: readonly Route[]): string[] {
  const targets = new Set(routes.flatMap(({ to }) => (to.kind === 'do' ? [to.name] : [])));
  const names = [...new Set<string>(routes.map(({ from }) => from))].filter((name) => !targets.has(name));
  for (const name of names) {
    for (const { from, to } of routes) {
      if (from === name && to.kind === 'do' && !names.includes(to.name)) names.push(to.name);
    }
  }
  return names;
}

function endsOf(routes: readonly Route[], name: string): string[] {
  return [
    ...new Set(routes.flatMap(({ from, to }) => (from === name && to.kind === 'stop' ? [to.name] : []))),
  ];
}

function anytimeOf(routes: readonly Route[], effects: readonly string[]): Anytime[] {
  const groups = new Map<string, { what: string; end: string; during: Set<string> }>();
  for (const { from, aborted, when, to } of routes) {
    const what = aborted ? 'aborted' : when.join(', ');
    const group = groups.get(`${what} ${to.name}`) ?? { what, end: to.name, during: new Set() };
    groups.set(`${what} ${to.name}`, group);
    group.during.add(from);
  }
  const sorted = [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
  return sorted.map(({ what, end, during }) => ({
    what,
    end,
    during: effects.filter((effect) => during.has(effect)),
    everywhere: effects.every((effect) => during.has(effect)),
  }));
}
