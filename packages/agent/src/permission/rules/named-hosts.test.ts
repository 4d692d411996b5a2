import { expect, it } from 'vitest';
import { isHostNamed } from './named-hosts.ts';
import { NO_RULES } from './rule.ts';

const allowing = (text: string) => ({ ...NO_RULES, allow: [{ text, source: 'user' as const, base: '/' }] });

it('is named only in full, by a rule for WebFetch', () => {
  expect(isHostNamed('localhost', allowing('WebFetch(domain:localhost)'))).toBe(true);
  expect(isHostNamed('LocalHost', allowing('WebFetch(domain:localhost)'))).toBe(true);
  for (const rule of [
    'WebFetch',
    'WebFetch(domain:*)',
    'WebFetch(domain:local*)',
    'Bash(domain:localhost)',
    'WebFetch(domain:localhost.evil)',
  ])
    expect([rule, isHostNamed('localhost', allowing(rule))]).toEqual([rule, false]);
});
