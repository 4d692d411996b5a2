/**
 * The model port that replays a recording: the same events, in the same chunks, with the same end. It
 * compares each request with the recording. At the first difference it reports an error, and repeats it
 * from then on.
 */
import {
  type ApiEvent,
  type Clock,
  type Done,
  errorCode,
  isRecord,
  type ModelError,
  type ModelPort,
  type ModelRecord,
} from '@heddle/core';
import { readFile } from 'node:fs/promises';
import { systemClock } from '../../clock.ts';
import { ABORTED_CALL } from '../../stream/attempt-lifecycle.ts';
import type { Environment } from '../../secrets/environment.ts';
import {
  deltaText,
  mapTexts,
  replaceInChunks,
  replaceSpans,
  type TextSpan,
  withDeltaText,
} from '../text/chunks.ts';
import { type MachinePlace, findRelocations } from '../text/places.ts';
import { Scrubber, secretValues } from '../text/scrub.ts';
import { readRecording, type RecordedAttempt } from './load.ts';
import { type MatchRule, RequestMatcher } from './matcher.ts';

export interface ReplayPort extends ModelPort {
  /** The recorded session's name for its model. */
  readonly modelName: string;
  /** The context window that the model reported, if any. */
  readonly window: number | undefined;
  /** Returns the number of recorded attempts that were not requested yet. */
  unplayed(): number;
}

interface ReplaySetup {
  /** Folders of this machine. */
  readonly places: readonly MachinePlace[];
  readonly environment?: Environment;
  readonly clock?: Clock;
}

/**
 * Parses `FILE`, `FILE?match=calls` or `FILE?speed=1&match=none`. Throws an error that describes an
 * invalid name.
 */
export async function replayPort(name: string, setup: ReplaySetup): Promise<ReplayPort> {
  const { file, rule, speed } = readName(name);
  const { places, environment = process.env, clock = systemClock } = setup;
  const recording = readRecording(await textOf(file));
  const scrubber = new Scrubber(secretValues(environment));
  const matcher = new RequestMatcher(recording, { rule, scrubber, places, now: clock.now() });
  const move = rule === 'strict' ? undefined : findRelocations(recording.header.places, places);
  let parted: string | undefined;

  const port: ModelPort = (request, signal) => {
    const match = parted === undefined ? matcher.take(request) : undefined;
    if (match?.ok) return play(match.attempt, { move, speed, clock, signal });
    // Later differences follow from the first one, so the first one is reported.
    parted ??= match?.message ?? '';
    return only(failure(parted));
  };
  const { window, header } = recording;
  const { model: modelName, searchesWeb = false } = header;
  return Object.assign(port, { modelName, window, searchesWeb, unplayed: () => matcher.unplayed });
}

interface Playing {
  readonly move: ReturnType<typeof findRelocations>;
  /** The factor of the original speed. Undefined: no delays. */
  readonly speed: number | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function* play(
  { number, events, end }: RecordedAttempt,
  { move, speed, clock, signal }: Playing,
): AsyncGenerator<ModelRecord, void> {
  const began = clock.now();
  const until = async (at: number): Promise<void> => {
    const wait = speed === undefined ? 0 : began + at / speed - clock.now();
    if (wait > 0 && !signal.aborted) await clock.sleep(wait, signal);
  };
  for (const { at, record } of move ? relocatePaths(events, move) : events) {
    await until(at);
    if (signal.aborted) break;
    yield record;
  }
  await until(end?.at ?? events.at(-1)?.at ?? 0);
  if (signal.aborted) yield ABORTED_CALL;
  else if (end === undefined) yield failure(breaksOff(number, events));
  // The interruption does not repeat, and the rest of the response is unknown.
  else yield end.isAborted ? failure(interrupted(number, events)) : end.record;
}

async function* only(record: Done | ModelError): AsyncGenerator<ModelRecord, void> {
  yield record;
}

/** Uses an error class without recovery. */
function failure(message: string): ModelError {
  return { type: 'model_error', class: 'bad_request', message, shouldRetry: false };
}

function breaksOff(number: number, events: readonly ApiEventAt[]): string {
  return `The recording breaks off in the answer to request ${number}, after ${events.length} events.`;
}

function interrupted(number: number, events: readonly ApiEventAt[]): string {
  return `The recorded session was interrupted in the answer to request ${number}, after ${events.length} events; there is no more of it.`;
}

interface ApiEventAt {
  readonly record: ApiEvent;
}

interface ReplayName {
  readonly file: string;
  readonly rule: MatchRule;
  readonly speed: number | undefined;
}

const RULES: readonly MatchRule[] = ['strict', 'loose', 'calls', 'none'];

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    const isGone = errorCode(thrown) === 'ENOENT';
    throw isGone ? new Error(`there is no file ${file}`, { cause: thrown }) : thrown;
  }
}

/** A question mark may be part of a file name. Only known options after it are parsed. */
function readName(name: string): ReplayName {
  const [, file = name, query = ''] = /^(.+)\?(\w+=[^&?/]*(?:&\w+=[^&?/]*)*&?)$/s.exec(name) ?? [];
  const asked = new URLSearchParams(query);
  const unknown = [...asked.keys()].find((key) => key !== 'match' && key !== 'speed');
  if (unknown !== undefined) throw new Error(`replay takes match= and speed=, not ${unknown}=`);
  const match = asked.get('match') ?? 'loose';
  const rule = RULES.find((one) => one === match);
  if (!rule) throw new Error(`match takes one of ${RULES.join(', ')}, not ${match}`);
  const speed = asked.get('speed');
  if (speed !== null && !(Number(speed) > 0)) throw new Error(`speed takes a number over 0, not ${speed}`);
  if (file === '') throw new Error('name the file: replay:FILE');
  return { file, rule, speed: speed === null ? undefined : Number(speed) };
}

interface Timed {
  readonly at: number;
  readonly record: ApiEvent;
}

/** A path may begin in one delta and end in another, so the deltas of a text are changed together. */
function relocatePaths(
  events: readonly Timed[],
  find: (text: string) => readonly TextSpan[],
): readonly Timed[] {
  const kinds = new Map<string, number[]>();
  for (const [at, { record }] of events.entries()) {
    const kind = deltaText(record)?.kind;
    if (kind !== undefined) kinds.set(kind, [...(kinds.get(kind) ?? []), at]);
  }
  const texts = new Map<number, string>();
  for (const places of kinds.values()) {
    const chunks = places.map((at) => textAt(events, at));
    const spans = find(chunks.join(''));
    if (spans.length === 0) continue;
    for (const [index, text] of replaceInChunks(chunks, spans).entries())
      texts.set(places[index] ?? -1, text);
  }
  return events.map((event, at) => {
    const text = texts.get(at);
    if (text !== undefined) return { ...event, record: withDeltaText(event.record, text) };
    return event.record.type === 'content_block_start'
      ? { ...event, record: whole(event.record, find) }
      : event;
  });
}

function textAt(events: readonly Timed[], at: number): string {
  const event = events[at];
  return (event && deltaText(event.record)?.text) ?? '';
}

/** A block that arrives whole contains its texts. */
function whole(record: ApiEvent, find: (text: string) => readonly TextSpan[]): ApiEvent {
  const moved = mapTexts(record, (text) => replaceSpans(text, find(text)));
  return isEvent(moved) ? moved : record;
}

function isEvent(value: unknown): value is ApiEvent {
  return isRecord(value) && 'type' in value;
}
