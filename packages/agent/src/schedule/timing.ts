/** The times at which a schedule is due: an interval, or a cron expression with a time zone. Pure. */
import { errorMessage } from '@heddle/core';
import { Cron } from 'croner';
import * as z from 'zod';

export const timingSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('every'), ms: z.number().positive() }).readonly(),
  z.object({ kind: z.literal('cron'), expression: z.string(), timeZone: z.string() }).readonly(),
]);

export type Timing = z.infer<typeof timingSchema>;

export type ReadTiming =
  | { readonly ok: true; readonly timing: Timing }
  | { readonly ok: false; readonly message: string };

const MINUTE_MS = 60_000;
const UNIT_MS: Readonly<Record<string, number>> = {
  m: MINUTE_MS,
  h: 60 * MINUTE_MS,
  d: 24 * 60 * MINUTE_MS,
  w: 7 * 24 * 60 * MINUTE_MS,
};
const LONGEST_MS = 366 * 24 * 60 * MINUTE_MS;

/** Reads `30m`, `2h`, `1d` or `1w`. */
export function readInterval(text: string): ReadTiming {
  const [, count = '', unit = ''] = /^(\d{1,6})\s*([mhdw])$/.exec(text.trim().toLowerCase()) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? 0);
  if (ms >= MINUTE_MS && ms <= LONGEST_MS) return { ok: true, timing: { kind: 'every', ms } };
  return { ok: false, message: `${text}: an interval is a number with m, h, d or w, such as 30m` };
}

/** `timeZone`: an IANA name. Default: the zone of this machine. */
export function readCron(expression: string, timeZone = localTimeZone()): ReadTiming {
  const timing = { kind: 'cron', expression: expression.trim().replaceAll(/\s+/g, ' '), timeZone } as const;
  try {
    // Some mistakes in the zone are found only when a time is computed.
    if (cronOf(timing).nextRun()) return { ok: true, timing };
    return { ok: false, message: `${expression}: this cron expression is never due` };
  } catch (thrown) {
    const example = 'for example "0 9 * * 1-5" for weekdays at nine';
    // With five fields, the library says which one is wrong, or that the zone is.
    const reason = timing.expression.split(' ').length === 5 ? errorMessage(thrown) : example;
    return { ok: false, message: `${expression}: not a cron expression of five fields: ${reason}` };
  }
}

function localTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns the first due time after `after`. Intervals count from `start`. */
export function nextDue(timing: Timing, start: number, after: number): number | undefined {
  if (timing.kind === 'cron') return cronOf(timing).nextRun(new Date(after))?.getTime();
  const passed = Math.max(0, Math.floor((after - start) / timing.ms));
  return start + (passed + 1) * timing.ms;
}

export interface DueTimes {
  /** At most `MOST_COUNTED`. */
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

/** A runner that was off for a year must not count for seconds. */
const MOST_COUNTED = 1_000;

/** Returns the due times after `after`, up to and including `now`. Undefined if there is none. */
export function dueTimesBetween(
  timing: Timing,
  start: number,
  { after, now }: { readonly after: number; readonly now: number },
): DueTimes | undefined {
  const first = nextDue(timing, start, after);
  if (first === undefined || first > now) return undefined;
  let count = 1;
  let last = first;
  while (count < MOST_COUNTED) {
    const next = nextDue(timing, start, last);
    if (next === undefined || next > now) return { count, first, last };
    last = next;
    count += 1;
  }
  return { count, first, last: Math.max(last, latestDue(timing, start, now)) };
}

function latestDue(timing: Timing, start: number, now: number): number {
  if (timing.kind === 'every') return now - ((now - start) % timing.ms);
  // The search for earlier times excludes its reference.
  return (
    cronOf(timing)
      .previousRuns(1, new Date(now + 1_000))[0]
      ?.getTime() ?? 0
  );
}

export function timingText(timing: Timing): string {
  if (timing.kind === 'cron') return `${timing.expression} (${timing.timeZone})`;
  const [unit, ms] = Object.entries(UNIT_MS)
    .toReversed()
    .find(([, size]) => timing.ms % size === 0) ?? ['m', MINUTE_MS];
  return `every ${timing.ms / ms}${unit}`;
}

/** Standard cron: five fields, and a day matches if the day of the month or of the week matches. */
function cronOf({ expression, timeZone }: Extract<Timing, { kind: 'cron' }>): Cron {
  return new Cron(expression, { timezone: timeZone, mode: '5-part', paused: true, domAndDow: false });
}
