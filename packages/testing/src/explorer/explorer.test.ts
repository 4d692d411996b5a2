/**
 * Walks the machine with short counts: every state, every event, every law. `explorer.proof.test.ts` has
 * the real counts.
 */
import { decide, GUARDS, type Guards, TERMINAL_REASONS, TRANSITION_REASONS } from '@heddle/core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  CIRCLE_SCENARIO,
  describeProofs,
  describeViolation,
  PERMISSIVE,
  type Proof,
  prove,
  scenario,
  SKETCHES,
  SMALL_SCENARIOS,
  withoutGuard,
} from './index.ts';

const SCENARIOS = [...SMALL_SCENARIOS, CIRCLE_SCENARIO];

describe('the shipped machine, walked with short counts', () => {
  const proofs: Proof[] = [];

  beforeAll(() => {
    proofs.push(...SCENARIOS.map((one) => prove(one)));
    console.log(describeProofs(proofs));
  });

  it.each(SCENARIOS.map(({ name }) => name))('keeps every law: %s', (name) => {
    const proof = proofs.find((one) => one.scenario === name);
    expect(proof?.violations.map(describeViolation)).toEqual([]);
  });

  it('takes each of the seven transitions somewhere', () => {
    const taken = new Set(proofs.flatMap(({ transitions }) => [...transitions]));
    expect([...taken].sort()).toEqual([...TRANSITION_REASONS].sort());
  });

  it('reaches each terminal except the one of the surrounding engine', () => {
    const reached = new Set(proofs.flatMap(({ terminals }) => [...terminals]));
    expect([...reached, 'max_budget_usd'].sort()).toEqual([...TERMINAL_REASONS].sort());
  });

  it('uses each bound fully on some path, so none of them is redundant', () => {
    const slack = new Map<string, number>();
    for (const { name, most, limit } of proofs.flatMap((proof) => proof.most)) {
      slack.set(name, Math.min(slack.get(name) ?? Infinity, limit === 0 ? Infinity : limit - most));
    }
    expect([...slack].filter(([, left]) => left !== 0)).toEqual([]);
  });

  it('never continues a subagent on a token budget', () => {
    const proof = proofs.find((one) => one.scenario === 'token budget of a subagent');
    expect(proof?.transitions).not.toContain('token_budget_continuation');
  });

  it('behaves alike in states that the walk takes for one', () => {
    const doubted = [scenario({ name: 'every recovery' }), CIRCLE_SCENARIO].map((one) =>
      prove(one, { doubtAbstraction: true }),
    );
    expect(doubted.flatMap(({ violations }) => violations.map(describeViolation))).toEqual([]);
    expect(doubted.every(({ compared }) => compared > 0)).toBe(true);
  });
});

/** The law that fails first without each guard. The walk stops at the first sketch that shows it. */
const NEEDED: Record<keyof Guards, string> = {
  mayStage: 'at most so many stagings of collapses between two good answers',
  mayDrain: 'every circle contains a good answer',
  mayCompact: 'every circle contains a good answer',
  overrideIsFree: 'every circle contains a good answer',
  nothingResumedYet: 'at most so many escalations between two good answers',
  mayResume: 'every circle contains a good answer',
  mayBlockAgain: 'at most so many hook blocks in a run',
  mayAutoCompact: 'autocompact is not tried once its breaker is open',
  mayTakeAnotherTurn: 'every path ends once a turn limit is set',
  repeatsTooOften: 'at most so many calls of one circle and nothing else',
  gainsDiminish: 'at most so many continuations on a token budget in a run',
};

describe('a machine without one of its guards', () => {
  it('is tested for each guard', () => {
    expect(Object.keys(NEEDED).sort()).toEqual(Object.keys(GUARDS).sort());
    expect(Object.keys(PERMISSIVE).sort()).toEqual(Object.keys(GUARDS).sort());
  });

  const guards = Object.keys(GUARDS) as (keyof Guards)[];
  it.each(guards)('is detected: %s', (name) => {
    const broken = firstViolations({ guards: withoutGuard(name) });
    console.log(`without ${name}: ${broken.map(({ law, scenario }) => `${law} (${scenario})`).join('; ')}`);
    expect(broken.map(({ law }) => law)).toContain(NEEDED[name]);
    expect(broken.every(({ trace }) => trace.length > 0)).toBe(true);
  });
});

describe('the explorer detects a machine that', () => {
  const laws = (machine: typeof decide) => firstViolations({ machine }).map(({ law }) => law);

  it('throws', () => {
    const machine: typeof decide = (loop, event, ...rest) => {
      if (event.type === 'drained') throw new Error('not thought of');
      return decide(loop, event, ...rest);
    };
    expect(laws(machine)).toContain('every pair of a state and an event is handled');
  });

  it('changes its input', () => {
    const machine: typeof decide = (loop, ...rest) => {
      Object.assign(loop.ledger, { drained: true });
      return decide(loop, ...rest);
    };
    expect(laws(machine)).toEqual(['every pair of a state and an event is handled']);
  });

  it('returns different decisions for the same input', () => {
    let calls = 0;
    const machine: typeof decide = (loop, event, config, guards) => {
      calls += 1;
      return decide(loop, event, { ...config, canAsk: calls % 2 === 0 }, guards);
    };
    expect(laws(machine)).toContain('every pair of a state and an event is handled');
  });

  it('clears the reactive guard when a hook blocks', () => {
    const machine: typeof decide = (...given) => {
      const decision = decide(...given);
      const { state } = decision.loop;
      if (decision.kind !== 'continue' || state.transition?.reason !== 'stop_hook_blocking') return decision;
      return {
        ...decision,
        loop: { ...decision.loop, state: { ...state, hasAttemptedReactiveCompact: false } },
      };
    };
    expect(laws(machine)).toEqual([
      'each continue treats each field as its column says',
      'at most so many reactive compactions without progress, hooks or not',
    ]);
  });

  it('runs stop hooks after an error', () => {
    const machine: typeof decide = (loop, event, ...rest) => {
      const decision = decide(loop, event, ...rest);
      if (event.type !== 'streamed' || decision.kind !== 'stop') return decision;
      return { kind: 'do', effect: { type: 'stop_hooks', stopHookActive: false }, loop, first: [] };
    };
    expect(laws(machine)).toContain('stop hooks never run after an error answer');
  });

  it('continues after an abort', () => {
    const machine: typeof decide = (loop, event, ...rest) =>
      decide(loop, event.type === 'attached' ? { ...event, aborted: undefined } : event, ...rest);
    expect(laws(machine)).toEqual(['an abort ends the run, before anything else']);
  });

  it('drops an error without recovery', () => {
    const machine: typeof decide = (...given) => ({ ...decide(...given), first: [] });
    expect(laws(machine)).toContain('a withheld error is released once, or recovered');
  });

  it('resumes a cut answer forever, and shows the shortest path', () => {
    const [broken] = firstViolations({ guards: withoutGuard('mayResume') });
    expect(broken && describeViolation(broken)).toMatchInlineSnapshot(`
      "Broken: every circle contains a good answer.
      In "every recovery": a circle of 3 steps.
         1  prepare with autocompact → prepared (fits, nothing staged, autocompact idle)
         2  stream → streamed (no call, output_cap, nothing staged)
         3  prepare with autocompact → prepared (fits, nothing staged, autocompact idle)
         4  stream → streamed (no call, output_cap, nothing staged)
         5  prepare with autocompact → prepared (fits, nothing staged, autocompact idle)
         6  stream → streamed (no call, output_cap, nothing staged)
         7  — and from here round and round:
         8  prepare with autocompact → prepared (fits, nothing staged, autocompact idle)
         9  stream → streamed (no call, output_cap, nothing staged)"
    `);
  });
});

/** The violations of the first sketch that has any. */
function firstViolations(options: Parameters<typeof prove>[1]): Proof['violations'] {
  for (const one of SKETCHES) {
    const { violations } = prove(one, options);
    if (violations.length > 0) return violations;
  }
  return [];
}
