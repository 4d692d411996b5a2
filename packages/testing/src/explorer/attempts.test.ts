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
  it.each(ATTEMPT_SCENARIOS)('keeps every law: $name', (scenario) => {
    const { violations, states, steps } = exploreAttempts(scenario);
    console.log(`${scenario.name}: ${states} states, ${steps} steps`);
    expect(violations.map(describeViolation)).toEqual([]);
  });

  it.each(ATTEMPT_SCENARIOS)('uses its bound of attempts to the full: $name', (scenario) => {
    expect(exploreAttempts(scenario).longest).toBe(mostAttempts(scenario));
  });

  it('takes each decision somewhere', () => {
    const taken = new Set(ATTEMPT_SCENARIOS.flatMap((one) => [...exploreAttempts(one).decisions]));
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
