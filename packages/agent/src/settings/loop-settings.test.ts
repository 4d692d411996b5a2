/** Gates and limits of the loop from settings and variables. */
import { DEFAULT_GATES, DEFAULT_LIMITS } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { GATE_SETTINGS, LIMIT_SETTINGS, loopOverrides } from './loop-settings.ts';
import { withKey } from './merge-settings.ts';
import { validateSettings } from './validate-settings.ts';

const gates = [...GATE_SETTINGS].map(([name, { key, variable }]) => ({ name, key, variable }));
const limits = [...LIMIT_SETTINGS].map(([name, { key, variable }]) => ({ name, key, variable }));

describe('a gate', () => {
  it.each(gates)(
    'has one setting and one variable, and the variable wins: $name',
    ({ name, key, variable }) => {
      const flipped = !DEFAULT_GATES[name];
      const { settings, problems } = validateSettings(withKey({}, key.split('.'), flipped));
      expect(problems).toEqual([]);
      expect(loopOverrides(settings, {}).gates).toEqual({ [name]: flipped });
      const other = flipped ? 'off' : 'on';
      expect(loopOverrides(settings, { [variable]: other }).gates).toEqual({ [name]: !flipped });
    },
  );
});

describe('a limit', () => {
  it.each(limits)(
    'has one setting and one variable, and the variable wins: $name',
    ({ name, key, variable }) => {
      const { settings, problems } = validateSettings(withKey({}, key.split('.'), DEFAULT_LIMITS[name]));
      expect(problems).toEqual([]);
      expect(loopOverrides(settings, {}).limits).toEqual({ [name]: DEFAULT_LIMITS[name] });
      expect(loopOverrides(settings, { [variable]: '1' }).limits).toEqual({ [name]: 1 });
    },
  );
});

it('keys and variables of the loop are unique', () => {
  const all = [...gates, ...limits];
  expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
  expect(new Set(all.map(({ variable }) => variable)).size).toBe(all.length);
});

it('a variable with an invalid value is reported, and the setting counts', () => {
  const env = { HEDDLE_SNIP: 'maybe', HEDDLE_TOOL_CONCURRENCY: '0', HEDDLE_COLLAPSE: ' ' };
  expect(loopOverrides({ snipEnabled: true, limits: { toolConcurrency: 4 } }, env)).toEqual({
    gates: { historySnip: true },
    limits: { toolConcurrency: 4 },
    problems: [
      'HEDDLE_SNIP takes true or false, not maybe. It is ignored.',
      'HEDDLE_TOOL_CONCURRENCY takes a whole number over 0, not 0. It is ignored.',
    ],
  });
});
