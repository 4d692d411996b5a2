/**
 * Is a run going round in circles? Judged on tool, input *and result*: polling that sees something new is work, and so is
 * a test that fails the same way after each different edit. A call that was not seen lately makes all counts start again.
 */
import type { FinishedCall } from './happened.ts';
import type { RepeatedCall, RepetitionLedger, SeenCall } from './state.ts';

/** Circles of up to this many different calls are noticed. */
const REMEMBERED_CALLS = 8;

export function noteCalls(seen: RepetitionLedger, calls: readonly FinishedCall[]): RepetitionLedger {
  const now = new Map(calls.map((call) => [call.fingerprint, call]));
  const known = new Set(seen.map((call) => call.fingerprint));
  const novel = [...now.values()].filter((call) => !known.has(call.fingerprint));
  const somethingNew = novel.length > 0;
  const rest = seen.filter((call) => !now.has(call.fingerprint));
  const again = seen.filter((call) => now.has(call.fingerprint));
  return [
    ...rest.map((call) => (somethingNew ? counted(call, 0) : call)),
    ...again.map((call) => counted(call, somethingNew ? 1 : call.count + 1)),
    ...novel.map((call) => counted(call, 1)),
  ].slice(-Math.max(REMEMBERED_CALLS, now.size));
}

/** The calls that came back the same way at least so often. */
export function repeated(seen: RepetitionLedger, atLeast: number): RepeatedCall[] {
  return seen.filter((call) => call.count >= atLeast).map(({ tool, count }) => ({ tool, count }));
}

function counted({ tool, fingerprint }: FinishedCall, count: number): SeenCall {
  return { tool, fingerprint, count };
}
