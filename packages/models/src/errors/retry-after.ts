/** Reads the headers of a response about limits: how long the client should wait, and the limits of a subscription. */
import type { IncomingHttpHeaders } from 'node:http';
import { type ModelErrorClass, omitUndefined, type RateLimits } from '@heddle/core';
import { LONGEST_TIMER_MS } from '../clock.ts';

/**
 * Returns milliseconds. Undefined if the server gave no time, or the time has passed: the usual delay
 * applies.
 */
export function retryDelayOf(
  headers: IncomingHttpHeaders,
  errorClass: ModelErrorClass,
  now: number,
): number | undefined {
  if (!WAITED_FOR.has(errorClass)) return undefined;
  const wait =
    positive(Number(headers['retry-after-ms'])) ??
    fromRetryAfter(headers['retry-after'], now) ??
    (errorClass === 'rate_limit' ? fromLimits(headers, now) : undefined);
  return wait === undefined ? undefined : Math.ceil(wait);
}

const WAITED_FOR: ReadonlySet<ModelErrorClass> = new Set(['rate_limit', 'overloaded', 'server', 'network']);

/** Parses seconds or a date. */
function fromRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value.trim() === '') return undefined;
  const seconds = Number(value);
  return positive(Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1_000);
}

/** Without `retry-after`: the time when the last exhausted limit resets. */
function fromLimits(headers: IncomingHttpHeaders, now: number): number | undefined {
  let latest: number | undefined;
  for (const [name, value] of Object.entries(headers)) {
    const [, limit] = /^anthropic-ratelimit-(.+)-reset$/.exec(name) ?? [];
    if (limit === undefined || typeof value !== 'string') continue;
    const remaining = headers[`anthropic-ratelimit-${limit}-remaining`];
    const isUsedUp = remaining === '0' || headers[`anthropic-ratelimit-${limit}-status`] === 'rejected';
    const wait = isUsedUp ? positive(timeOf(value) - now) : undefined;
    if (wait !== undefined) latest = Math.max(latest ?? 0, wait);
  }
  return latest;
}

/** Parses a date, or seconds since the epoch. */
function timeOf(value: string): number {
  const seconds = Number(value);
  return Number.isNaN(seconds) ? Date.parse(value) : seconds * 1_000;
}

/** Limits the value, because a header may contain a time that a date cannot represent. */
function positive(value: number): number | undefined {
  return value > 0 ? Math.min(value, LONGEST_TIMER_MS) : undefined;
}

/** Returns a sentence with the time of the reset, for users who can return later. */
export function describeReset(now: number, waitMs: number): string {
  if (waitMs >= LONGEST_TIMER_MS) return `It does not reset within ${inWords(waitMs)}.`;
  const at = new Date(Math.ceil((now + waitMs) / 1_000) * 1_000)
    .toISOString()
    .replace('.000Z', ' UTC')
    .replace('T', ' ');
  return `It resets at ${at}, in ${inWords(waitMs)}.`;
}

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** The limits of a subscription. An API key has no such limits. */
const PREFIX = 'anthropic-ratelimit-unified-';

/** Returns undefined if the headers do not describe the limits of a subscription. */
export function readRateLimits(headers: IncomingHttpHeaders): RateLimits | undefined {
  const read = (name: string): string | undefined => {
    const value = headers[`${PREFIX}${name}`];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const status = statusOf(read('status'));
  if (status === undefined) return undefined;
  const rateLimitType = read('representative-claim');
  const window = WINDOWS.find(([begin]) => rateLimitType?.startsWith(begin))?.[1] ?? '';
  const overageStatus = statusOf(read('overage-status'));
  return {
    status,
    ...omitUndefined({
      resetsAt: numberOf(read('reset')),
      rateLimitType,
      utilization: numberOf(read(`${window}-utilization`)),
      surpassedThreshold: numberOf(read(`${window}-surpassed-threshold`)),
      overageStatus,
      overageResetsAt: numberOf(read('overage-reset')),
      overageDisabledReason: read('overage-disabled-reason'),
    }),
    // The plan itself is used up, and the server still answers.
    isUsingOverage: status === 'rejected' && overageStatus !== undefined && overageStatus !== 'rejected',
  };
}

/** The names of the windows in headers, by the start of the name of a limit. */
const WINDOWS: readonly (readonly [begin: string, window: string])[] = [
  ['five_hour', '5h'],
  ['seven_day', '7d'],
];

function statusOf(value: string | undefined): RateLimits['status'] | undefined {
  return value === 'allowed' || value === 'allowed_warning' || value === 'rejected' ? value : undefined;
}

function numberOf(value: string | undefined): number | undefined {
  const number = Number(value);
  return value === undefined || !Number.isFinite(number) ? undefined : number;
}
