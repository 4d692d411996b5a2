/** The machine of attempts inside one model call is walked completely, with short counts. */
import { ATTEMPT_GUARDS, type AttemptGuards } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import {
  ATTEMPT_SCENARIOS,
  describeViolation,
  exploreAttempts,
  mostAttempts,
  PERMISSIVE_ATTEMPTS,
} from './index.ts';

describe('the machine of attempts', () => {
  const walks = ATTEMPT_SCENARIOS.map((scenario) => ({
    name: scenario.name,
    scenario,
    walk: exploreAttempts(scenario),
  }));

  it.each(walks)('keeps every law: $name', ({ name, walk: { violations, states, steps } }) => {
    console.log(`${name}: ${states} states, ${steps} steps`);
    expect(violations.map(describeViolation)).toEqual([]);
  });

  it.each(walks)('uses its bound of attempts to the full: $name', ({ scenario, walk }) => {
    expect(walk.longest).toBe(mostAttempts(scenario));
  });

  it('takes each decision somewhere', () => {
    const taken = new Set<string>();
    for (const { walk } of walks) for (const decision of walk.decisions) taken.add(decision);
    expect([...taken].sort()).toEqual([
      'accept',
      'ask_again',
      'fall_back',
      'leave_out_thinking',
      'replace_block',
      'resume_pause',
      'retry',
    ]);
  });

  const names = Object.keys(ATTEMPT_GUARDS) as (keyof AttemptGuards)[];
  it.each(names)('is found out without its guard: %s', (name) => {
    const guards = { ...ATTEMPT_GUARDS, [name]: PERMISSIVE_ATTEMPTS[name] };
    const [scenario] = ATTEMPT_SCENARIOS;
    const found = scenario ? exploreAttempts(scenario, { guards }).violations : [];
    expect(found.map(({ law }) => law)).toEqual(['every path of attempts ends']);
    expect(found.every(({ trace }) => trace.length > 0)).toBe(true);
  });
});
