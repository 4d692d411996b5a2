/**
 * Summarizes the machine as routes: from which effect, on which event, to which effect. All drawings use
 * them.
 */
import type { Effect, MachineEvent, TerminalReason, TransitionReason } from '@heddle/core';
import { explore } from './explore.ts';
import type { Scenario } from './scenario.ts';
import type { ExploredStep } from './step.ts';
import { aspectsOf } from './describe-step.ts';
import type { PendingType } from './world.ts';

export interface Route {
  readonly from: PendingType;
  readonly on: MachineEvent['type'];
  readonly aborted: boolean;
  readonly to: Destination;
  /**
   * The aspects shared by the events of this route and by no others of the same kind. The state decides
   * the rest.
   */
  readonly when: readonly string[];
}

export type Destination =
  | { readonly kind: 'do'; readonly name: Effect['type'] }
  | { readonly kind: 'continue'; readonly name: TransitionReason | 'unknown' }
  | { readonly kind: 'stop'; readonly name: TerminalReason };

/** The use of a token budget belongs to the state. An abort belongs to the route. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['tokens', 'aborted']);

interface Travelled {
  readonly pipeline: Omit<Route, 'when'>;
  readonly fork: Aspects;
  readonly aspects: Aspects;
}

type Aspects = Map<string, Set<string>>;

export function routesOf(scenarios: readonly Scenario[]): Route[] {
  const map = new RouteMap();
  for (const scenario of scenarios) explore(scenario, { laws: [], onStep: (step) => map.note(step) });
  return map.routes();
}

export class RouteMap {
  readonly #travelled = new Map<string, Travelled>();
  /** All aspects seen at a fork of routes. */
  readonly #forks = new Map<string, Aspects>();

  note({ pending, happened, decision }: ExploredStep): void {
    const aborted = happened.type !== 'began' && happened.aborted !== undefined;
    const fork = `${pending.type} ${happened.type} ${aborted}`;
    const to = destinationOf(decision);
    const pipeline = { from: pending.type, on: happened.type, aborted, to };
    const key = `${fork} ${to.kind} ${to.name}`;
    const seen = entry(this.#forks, fork, (): Aspects => new Map());
    const travelled = entry(
      this.#travelled,
      key,
      (): Travelled => ({ pipeline, fork: seen, aspects: new Map() }),
    );
    for (const [name, value] of Object.entries(aspectsOf(happened))) {
      if (NOT_SHOWN.has(name)) continue;
      noteAspect(seen, name, value);
      noteAspect(travelled.aspects, name, value);
    }
  }

  /** Sorted, so that the order does not depend on the walk. */
  routes(): Route[] {
    const keys = [...this.#travelled.keys()].sort();
    return keys.flatMap((key) => {
      const travelled = this.#travelled.get(key);
      return travelled ? [Object.assign({ when: sharedBy(travelled) }, travelled.pipeline)] : [];
    });
  }
}

function sharedBy({ aspects, fork }: Travelled): string[] {
  return [...aspects].flatMap(([name, values]) => {
    const all = [...(fork.get(name) ?? [])];
    const others = all.filter((value) => !values.has(value));
    if (others.length === 0) return [];
    return [
      values.size <= others.length ? [...values].sort().join(' or ') : `all but ${others.sort().join(', ')}`,
    ];
  });
}

function destinationOf(decision: ExploredStep['decision']): Destination {
  switch (decision.kind) {
    case 'do':
      return { kind: 'do', name: decision.effect.type };
    case 'continue':
      return { kind: 'continue', name: decision.turn.state.transition?.reason ?? 'unknown' };
    case 'stop':
      return { kind: 'stop', name: decision.terminal.reason };
  }
}

function noteAspect(aspects: Aspects, name: string, value: string): void {
  entry(aspects, name, () => new Set()).add(value);
}

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
