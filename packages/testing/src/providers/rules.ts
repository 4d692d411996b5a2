/**
 * Requests that every provider rejects: a call without its result, a result without its call, a repeated
 * id, or an id of a wrong form.
 */
import type { Traffic } from './wire.ts';

export function brokenRules(traffic: readonly Traffic[], ids?: RegExp): readonly string[] {
  const open = new Map<string, number>();
  const problems = traffic
    .filter(({ id }) => ids?.test(id) === false)
    .map(({ id }) => `${id}: not an id here`);
  for (const [at, { is, id }] of traffic.entries()) {
    const waiting = open.get(id) ?? 0;
    if (is === 'call') {
      // Results come before the next call.
      const isNextRound = traffic[at - 1]?.is === 'result';
      if (isNextRound) for (const [other, count] of open) if (count > 0) problems.push(`${other}: no result`);
      open.set(id, waiting + 1);
    } else if (waiting === 0) problems.push(`${id}: a result without its call`);
    else open.set(id, waiting - 1);
  }
  for (const [id, count] of open) if (count > 0) problems.push(`${id}: no result`);
  return [...new Set(problems)];
}
