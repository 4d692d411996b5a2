/**
 * The lines of a recording, one JSON object each, in order of time. A request stores only parts that no
 * earlier line contains. Parts are referenced by their digest, and shared messages by the earlier attempt.
 */
import {
  type Done,
  isRecord,
  type Mark,
  type ModelError,
  type ModelRecord,
  type RequestMessage,
  type RequestOptions,
  type SystemLayer,
  type ToolSpec,
} from '@heddle/core';
import { createHash } from 'node:crypto';
import type { MachinePlace } from './text/places.ts';

export const FORMAT = 1;

export interface HeaderLine {
  readonly type: 'heddle_recording';
  readonly format: number;
  /** The version of the program that recorded. */
  readonly heddle: string;
  /** The start as an ISO date. Dates of this day are not compared. */
  readonly at: string;
  /** The session's name for its model. A replay uses the same name. */
  readonly model: string;
  /** Its server searches the web. A replay must offer the same tools. */
  readonly searchesWeb?: true;
  /** Folders of the recording machine. */
  readonly places: readonly MachinePlace[];
}

/** A part of requests, named by its digest. */
export interface PartLine {
  readonly type: 'part';
  readonly digest: string;
  readonly value: SystemLayer | ToolSpec | RequestMessage;
}

export interface RequestLine {
  readonly type: 'request';
  /** Counted from 1. Every line about this attempt contains it. */
  readonly attempt: number;
  /** Milliseconds since the recording began. */
  readonly at: number;
  readonly model: string;
  readonly maxTokens: number;
  /** The context window that the model reported. Omitted if a list of models contains it. */
  readonly window?: number;
  readonly options: RequestOptions;
  /** Digests. Undefined: the same as in the followed attempt. */
  readonly system?: readonly string[];
  readonly tools?: readonly string[];
  /** The attempt with which this request shares its first `keep` messages. */
  readonly follows?: number;
  readonly keep: number;
  /** Digests of the messages after those. */
  readonly messages: readonly string[];
  readonly marks: readonly Mark[];
  /** The digest of all digests above, expanded. It shows that no line in between was lost. */
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
  /** The session had requested this end. */
  readonly aborted?: true;
}

/** The session stopped reading before the end. */
interface LeftLine {
  readonly type: 'left';
  readonly attempt: number;
  readonly at: number;
}

export type RecordingLine = HeaderLine | PartLine | RequestLine | EventLine | EndLine | LeftLine;

/** 80 bits: digests of different parts in one recording do not collide. */
const LENGTH = 20;

export function digestOf(value: unknown): string {
  return digestOfText(JSON.stringify(value, inOrder));
}

/** Returns the digest of a request from the digests of its parts. */
export function digestOfParts(...lists: readonly (readonly string[])[]): string {
  return digestOfText(lists.map((list) => list.join(' ')).join('\n'));
}

export function digestOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
}

function inOrder(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
