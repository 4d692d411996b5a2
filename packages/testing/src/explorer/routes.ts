/**
 * The machine from a distance: which decision follows an effect and its event, and on which conditions. The tables and
 * pictures of the documentation are printed from these routes.
 */
import {
  ATTEMPT_GUARDS,
  decide,
  decideAttempt,
  GUARDS,
  type QueryConfig,
  type TerminalReason,
  type TransitionReason,
} from '@heddle/core';
import { aspectsOfAttempt, type AttemptScenario, exploreAttempts } from './attempts.ts';
import { explore } from './explore.ts';
import type { Scenario } from './scenario.ts';
import type { ExploredStep } from './step.ts';
import { aspectsOf } from './describe-step.ts';

export interface Route {
  readonly from: string;
  readonly on: string;
  readonly aborted: boolean;
  readonly to: RouteTarget;
  /** Properties that all events of this route share, and other events of the same kind do not. */
  readonly when: readonly string[];
  /** Guards and settings that have one answer on this route, if they are asked, and another on other routes. */
  readonly guards: readonly string[];
}

export interface RouteTarget {
  readonly kind: 'do' | 'continue' | 'stop';
  readonly name: string;
}

/** One decision, as a route map counts it. */
interface Travel {
  readonly route: Omit<Route, 'when' | 'guards'>;
  readonly aspects: Readonly<Record<string, string>>;
  readonly asked: readonly Condition[];
}

interface Condition {
  readonly name: string;
  readonly answer: boolean;
}

export function routesOf(scenarios: readonly Scenario[]): Route[] {
  const map = new RouteMap();
  for (const scenario of scenarios)
    explore(scenario, { laws: [], onStep: (step) => map.note(travelOf(step)) });
  return map.routes();
}

/** The routes of the machine inside one model call. An accepted attempt ends it. */
export function attemptRoutes(scenarios: readonly AttemptScenario[]): Route[] {
  const map = new RouteMap();
  for (const scenario of scenarios) {
    exploreAttempts(scenario, {
      onStep: ({ tries, facts, decision }) => {
        const asked: Condition[] = [];
        decideAttempt(facts, tries, scenario.policy, watchGuards(ATTEMPT_GUARDS, asked));
        const aborted = facts.aborted === true;
        const kind = decision.do === 'accept' ? 'stop' : 'continue';
        const route = { from: 'attempt', on: 'ended', aborted, to: { kind, name: decision.do } as const };
        map.note({ route, aspects: aspectsOfAttempt(facts), asked });
      },
    });
  }
  return map.routes();
}

function travelOf({ pending, event, decision, loop, scenario }: ExploredStep): Travel {
  const aborted = event.type !== 'began' && event.aborted !== undefined;
  const asked: Condition[] = [];
  decide(loop, event, watchConfig(scenario.config, asked), watchGuards(GUARDS, asked));
  const route = { from: pending.type, on: event.type, aborted, to: destinationOf(decision) };
  return { route, aspects: aspectsOf(event), asked };
}

/** The same guards. Each answer is added to `asked`. */
function watchGuards<G extends object>(guards: G, asked: Condition[]): G {
  return new Proxy(guards, {
    get(target, name): unknown {
      const guard: unknown = Reflect.get(target, name);
      if (typeof guard !== 'function') return guard;
      return (...given: readonly unknown[]): unknown => {
        const answer: unknown = Reflect.apply(guard, target, given);
        asked.push({ name: String(name), answer: answer === true });
        return answer;
      };
    },
  });
}

/** The settings that decide about a route by themselves. */
const SETTINGS: ReadonlySet<string> = new Set([
  'outputEscalation',
  'reactiveCompact',
  'contextCollapse',
  'tokenBudget',
  'repetition',
  'canAsk',
  'maxTurns',
]);

/** The same configuration. Each setting that is read is added to `asked`. */
function watchConfig(config: QueryConfig, asked: Condition[]): QueryConfig {
  const read = (target: object, name: string | symbol): unknown => {
    const value: unknown = Reflect.get(target, name);
    if (SETTINGS.has(String(name))) asked.push({ name: String(name), answer: Boolean(value) });
    return value;
  };
  const gates = new Proxy<QueryConfig['gates']>({ ...config.gates }, { get: read });
  return new Proxy<QueryConfig>({ ...config, gates }, { get: read });
}

/** The use of a token budget is a question of the state. An abort is a part of the route itself. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['tokens', 'aborted']);

interface Travelled {
  readonly route: Travel['route'];
  readonly fork: Fork;
  readonly aspects: Values;
  readonly asked: Values;
}

/** Everything that was seen where routes part. */
interface Fork {
  readonly aspects: Values;
  readonly travelled: Set<Travelled>;
}

type Values = Map<string, Set<string>>;

class RouteMap {
  readonly #travelled = new Map<string, Travelled>();
  readonly #forks = new Map<string, Fork>();

  note({ route, aspects, asked }: Travel): void {
    const { from, on, aborted, to } = route;
    const fork = entry(
      this.#forks,
      `${from} ${on} ${aborted}`,
      (): Fork => ({
        aspects: new Map(),
        travelled: new Set(),
      }),
    );
    const travelled = entry(
      this.#travelled,
      `${from} ${on} ${aborted} ${to.kind} ${to.name}`,
      (): Travelled => ({ route, fork, aspects: new Map(), asked: new Map() }),
    );
    fork.travelled.add(travelled);
    for (const [name, value] of Object.entries(aspects)) {
      if (NOT_SHOWN.has(name)) continue;
      noteValue(fork.aspects, name, value);
      noteValue(travelled.aspects, name, value);
    }
    for (const { name, answer } of asked) noteValue(travelled.asked, name, answer ? 'yes' : 'no');
  }

  /** In an order that does not depend on the way they were found. */
  routes(): Route[] {
    const keys = [...this.#travelled.keys()].sort();
    return keys.flatMap((key) => {
      const travelled = this.#travelled.get(key);
      if (!travelled) return [];
      return [{ ...travelled.route, when: sharedBy(travelled), guards: guardsOf(travelled) }];
    });
  }
}

function sharedBy({ aspects, fork }: Travelled): string[] {
  return [...aspects].flatMap(([name, values]) => {
    const all = [...(fork.aspects.get(name) ?? [])];
    const others = all.filter((value) => !values.has(value));
    if (others.length === 0) return [];
    return [
      values.size <= others.length ? [...values].sort().join(' or ') : `all but ${others.sort().join(', ')}`,
    ];
  });
}

/** A condition that all routes of the fork answer alike, or do not ask, tells nothing about this one. */
function guardsOf({ asked, fork }: Travelled): string[] {
  return [...asked].flatMap(([name, answers]) => {
    const [answer] = answers;
    if (answers.size !== 1 || answer === undefined) return [];
    const opposite = answer === 'yes' ? 'no' : 'yes';
    const differs = [...fork.travelled].some((other) => other.asked.get(name)?.has(opposite));
    return differs ? [answer === 'yes' ? name : `not ${name}`] : [];
  });
}

function destinationOf(decision: ExploredStep['decision']): RouteTarget {
  switch (decision.kind) {
    case 'do':
      return { kind: 'do', name: decision.effect.type };
    case 'continue': {
      const reason: TransitionReason | 'unknown' = decision.loop.state.transition?.reason ?? 'unknown';
      return { kind: 'continue', name: reason };
    }
    case 'stop': {
      const { reason }: { reason: TerminalReason } = decision.terminal;
      return { kind: 'stop', name: reason };
    }
  }
}

function noteValue(values: Values, name: string, value: string): void {
  entry(values, name, () => new Set<string>()).add(value);
}

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
