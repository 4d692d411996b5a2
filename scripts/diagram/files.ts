// The files of the documentation that are generated from the machine.
import { routesOf, SKETCHES } from '@heddle/testing';
import { layersOf } from './layers.ts';
import { pageOf } from './page.ts';
import { place } from './place.ts';
import { planOf } from './plan.ts';
import { svgOf } from './svg.ts';

/** Paths are relative to the root of the repository. Contract: deterministic. */
export function diagramFiles(): { readonly path: string; readonly text: string }[] {
  const routes = routesOf(SKETCHES);
  const plan = planOf(routes);
  const layers = layersOf(plan);
  const picture = svgOf(
    plan,
    layers,
    place(plan, layers),
    'The machine: effects, what comes back from them, and where that leads',
  );
  return [
    { path: 'docs/machine.md', text: pageOf(routes, plan) },
    { path: 'docs/machine.svg', text: picture },
  ];
}
