// The files of the documentation that are printed from the machine.
import { ATTEMPT_SCENARIOS, attemptRoutes, type Route, routesOf, scenario, SKETCHES } from '@heddle/testing';
import { layersOf } from './layers.ts';
import { pageOf } from './page.ts';
import { place } from './place.ts';
import { type Plan, planOf } from './plan.ts';
import { svgOf } from './svg.ts';

/**
 * The walks behind the tables. With the two additional ones each gate of a recovery was on and off while the others were on, so
 * that no row names a gate that only happened to be on.
 */
const WALKS = [
  ...SKETCHES,
  scenario({
    name: 'no collapse',
    gates: { contextCollapse: false, repetition: false },
    limits: { outputRecoveries: 0 },
  }),
  scenario({
    name: 'no reactive compaction',
    gates: { reactiveCompact: false, repetition: false },
    limits: { outputRecoveries: 0 },
  }),
];

/** Paths are relative to the root of the repository. The same machine always gives the same bytes. */
export function diagramFiles(): { readonly path: string; readonly text: string }[] {
  const routes = routesOf(WALKS);
  const attempts = attemptRoutes(ATTEMPT_SCENARIOS);
  const plan = planOf(routes);
  return [
    { path: 'docs/machine.md', text: pageOf(routes, plan, attempts) },
    {
      path: 'docs/machine.svg',
      text: draw(plan, 'The machine: effects, their events, and the next decision'),
    },
    { path: 'docs/attempts.svg', text: draw(attemptPlan(attempts), 'The attempts inside one model call') },
  ];
}

function draw(plan: Plan, title: string): string {
  const layers = layersOf(plan);
  return svgOf(plan, layers, place(plan, layers), title);
}

/** Two boxes: the attempt, and the decision after it. Each remedy leads back to the next attempt. */
function attemptPlan(routes: readonly Route[]): Plan {
  const decisions = routes.filter(({ aborted }) => !aborted).map(({ to }) => to);
  const namesOf = (kind: Route['to']['kind']): string[] =>
    decisions.filter((to) => to.kind === kind).map(({ name }) => name);
  return {
    start: 'attempt',
    nodes: [
      { name: 'attempt', ends: [] },
      { name: 'decide', ends: namesOf('stop') },
    ],
    arrows: [{ from: 'attempt', to: 'decide', label: ['ended'] }],
    returns: namesOf('continue').map((reason) => ({ from: 'decide', reason })),
    anytime: [{ what: 'aborted', during: ['attempt'], everywhere: false, end: 'accept' }],
  };
}
