/**
 * What the user wrote, within a budget. Nothing of it is summarised: the newest stay word for word as far as they fit, the
 * last one always; older ones stay with their beginnings; and if that is still too much, the oldest are only counted.
 */
import { estimateText } from '../estimate/text.ts';
import { beginning } from '../reading/shorten.ts';

/** Of a budget that does not hold them all, so much goes to those that stay word for word. */
const WHOLE_SHARE = 0.75;
const SHORT_LENGTH = 200;
const SHORTENED = / \[… \d+ characters in all\]$/;
const COUNTED = /^\[(\d+) older messages? of the user (?:is|are) only in the session log\]$/;

export function keptRequests(all: readonly string[], tokens: number): readonly string[] {
  const { requests, counted } = withoutCount(all);
  const whole = newest(requests, tokens);
  if (whole === 0) return counted === 0 ? requests : [countNote(counted), ...requests];
  const split = newest(requests, tokens * WHOLE_SHARE);
  const short = requests.slice(0, split).map(shortened);
  const dropped = newest(short, tokens * (1 - WHOLE_SHARE), 0);
  const missing = counted + dropped;
  return [...(missing === 0 ? [] : [countNote(missing)]), ...short.slice(dropped), ...requests.slice(split)];
}

/** Where the newest begin that fit; `least` of them are taken in any case. */
function newest(requests: readonly string[], tokens: number, least = 1): number {
  let left = tokens;
  let first = requests.length;
  while (first > 0) {
    left -= estimateText(requests[first - 1] ?? '');
    if (left < 0 && first <= requests.length - least) break;
    first--;
  }
  return first;
}

function shortened(request: string): string {
  if (request.length <= SHORT_LENGTH + 40 || SHORTENED.test(request)) return request;
  return `${beginning(request, SHORT_LENGTH)} [… ${request.length} characters in all]`;
}

function countNote(count: number): string {
  return count === 1
    ? '[1 older message of the user is only in the session log]'
    : `[${count} older messages of the user are only in the session log]`;
}

/** What an earlier compaction had counted stands at the beginning. */
function withoutCount(all: readonly string[]): {
  readonly requests: readonly string[];
  readonly counted: number;
} {
  const counted = Number(COUNTED.exec(all[0] ?? '')?.[1] ?? 0);
  return { requests: counted === 0 ? all : all.slice(1), counted };
}
