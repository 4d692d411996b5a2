/**
 * The lines of a recording, one JSON object each, in the order in which things happened. A request stores only what no line
 * before it holds: parts are named by their digest, and the messages it shares with an earlier attempt by that attempt.
 */
import type {
  Done,
  Mark,
  ModelError,
  ModelRecord,
  RequestMessage,
  RequestOptions,
  SystemLayer,
  ToolSpec,
} from '@heddle/core';
import { createHash } from 'node:crypto';
import type { MachinePlace } from './text/places.ts';

export const FORMAT = 1;

export interface HeaderLine {
  readonly type: 'heddle_recording';
  readonly format: number;
  /** The program that recorded. */
  readonly heddle: string;
  /** When, as an ISO date. Dates in the recording that name this day are not compared. */
  readonly at: string;
  /** As the session called its model: a replay calls it the same. */
  readonly model: string;
  /** Its server searches the web: a replay must offer the same tools. */
  readonly searchesWeb?: true;
  /** Folders of the recording machine. */
  readonly places: readonly MachinePlace[];
}

/** A piece of requests, named by its digest. */
export interface PartLine {
  readonly type: 'part';
  readonly digest: string;
  readonly value: SystemLayer | ToolSpec | RequestMessage;
}

export interface RequestLine {
  readonly type: 'request';
  /** Counted from 1; every line about this attempt repeats it. */
  readonly attempt: number;
  /** Milliseconds since the recording began. */
  readonly at: number;
  readonly model: string;
  readonly maxTokens: number;
  /** What the model says it can read at once; left out where a list of models knows it. */
  readonly window?: number;
  readonly options: RequestOptions;
  /** Digests; undefined: those of the attempt it follows. */
  readonly system?: readonly string[];
  readonly tools?: readonly string[];
  /** The attempt whose first `keep` messages are its own. */
  readonly follows?: number;
  readonly keep: number;
  /** Digests of the messages behind those. */
  readonly messages: readonly string[];
  readonly marks: readonly Mark[];
  /** Of all of the above digests in full: shows that nothing in between was lost. */
  readonly whole: string;
}

interface EventLine {
  readonly type: 'event';
  readonly attempt: number;
  /** Milliseconds since the attempt began. */
  readonly at: number;
  readonly record: Exclude<ModelRecord, Done | ModelError>;
}

interface EndLine {
  readonly type: 'end';
  readonly attempt: number;
  readonly at: number;
  readonly record: Done | ModelError;
  /** The session had asked for this end. */
  readonly aborted?: true;
}

/** The session stopped listening before the end. */
interface LeftLine {
  readonly type: 'left';
  readonly attempt: number;
  readonly at: number;
}

export type RecordingLine = HeaderLine | PartLine | RequestLine | EventLine | EndLine | LeftLine;

/** 80 bits: two different parts of one recording never meet. */
const LENGTH = 20;

export function digestOf(value: unknown): string {
  return digestOfText(JSON.stringify(value, inOrder));
}

/** Of a request, by the digests of its parts. */
export function digestOfParts(...lists: readonly (readonly string[])[]): string {
  return digestOfText(lists.map((list) => list.join(' ')).join('\n'));
}

export function digestOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
