/**
 * The faults for every wire format: their place in the stream, the request, and which of them are
 * transient.
 */
import {
  answer,
  begin,
  breakOff,
  call,
  fail,
  hang,
  hangUp,
  type ScriptPart,
  say,
  type ScriptStep,
  unfinished,
} from '@heddle/testing';

/** Before anything, in the middle of a block, after the last block. */
const PLACES: readonly { readonly place: string; readonly before: readonly ScriptPart[] }[] = [
  { place: 'the first chunk', before: [] },
  { place: 'a middle chunk', before: [begin(), unfinished(say('half an answer that never'))] },
  { place: 'the last chunk', before: [say('a whole answer')] },
];

/** Whether the run had a turn before. */
export const REQUESTS: readonly { readonly request: string; readonly turns: readonly ScriptStep[] }[] = [
  { request: 'the first request', turns: [] },
  { request: 'a later request', turns: [answer(say('I look'), call('Look', {}, 't1'))] },
];

export const EVERYWHERE = PLACES.flatMap((place) =>
  REQUESTS.map((request) => Object.assign({}, place, request)),
);

/** Faults that are worth another attempt. */
export const TRANSIENT: readonly {
  readonly fault: string;
  readonly end: ScriptPart;
  readonly error: string;
  readonly isSilence?: true;
}[] = [
  { fault: 'the connection is reset', end: breakOff(), error: 'network' },
  { fault: 'the stream ends cleanly without its end', end: hangUp(), error: 'network' },
  { fault: 'silence', end: hang(), error: 'stall', isSilence: true },
  { fault: 'overload', end: fail('overloaded'), error: 'overloaded' },
  { fault: 'a rate limit', end: fail('rate_limit', { retryAfterMs: 2_000 }), error: 'rate_limit' },
  { fault: 'an error of the server', end: fail('server'), error: 'server' },
];
