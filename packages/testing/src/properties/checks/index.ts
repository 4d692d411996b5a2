/** Every check of a run, by name. */
import type { PlayedRun } from '../play.ts';
import { type RunReading, readRun } from '../reading.ts';
import { checkBill, checkCommands, checkStopHooks, checkSummaries } from './bookkeeping.ts';
import { checkAbort, checkCompany, checkEarliness, checkIntents } from './effects.ts';
import { checkEnding } from './ending.ts';
import { checkProjection } from './projection.ts';
import { checkRelease } from './release.ts';
import { checkFinishedCalls, checkPrefix, checkResults, checkTombstones, checkValidity } from './requests.ts';

export type Check = (reading: RunReading) => readonly string[];

export const INVARIANTS: readonly (readonly [string, Check])[] = [
  ['I1 every request is valid', checkValidity],
  ['I2 every call has one result', checkResults],
  ['I2 a finished call keeps its content', checkFinishedCalls],
  ['I3 one terminal, bounded recoveries', checkEnding],
  ['I4 errors are released once or recovered', checkRelease],
  ['I5 retracted messages are not sent', checkTombstones],
  ['I5 nor in the projection of the log', (reading) => checkProjection(reading)],
  ['I7 nothing begins after an abort', checkAbort],
  ['I8 a request begins with the one before', checkPrefix],
  ['intents before effects, once', checkIntents],
  ['no effect before the end of the answer', checkEarliness],
  ['exclusive calls run alone', checkCompany],
  ['commands are completed or left started', checkCommands],
  ['what was spent is told once', checkBill],
  ['stop hooks judge answers only', checkStopHooks],
  ['summaries come once', checkSummaries],
];

/** One line per violation. */
export function complaintsAbout(run: PlayedRun): string[] {
  const reading = readRun(run);
  return INVARIANTS.flatMap(([name, check]) => check(reading).map((what) => `${name}: ${what}`));
}
