/** Reads the limits of a subscription from the headers of a response. An API key has no such limits. */
import { omitUndefined, type RateLimits } from '@heddle/core';
import type { IncomingHttpHeaders } from 'node:http';

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
