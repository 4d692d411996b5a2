/**
 * A type for unknown blocks and events. Its `type` cannot be written in code, but a script may send it.
 */
import { type ForeignBlock, type ForeignEvent, isRecord } from '@heddle/core';
import type { ForeignData } from './part.ts';

export function foreign(data: ForeignData): ForeignBlock & ForeignEvent {
  if (!isForeign(data)) throw new TypeError('a foreign block or event needs a type');
  return data;
}

function isForeign(value: unknown): value is ForeignBlock & ForeignEvent {
  return isRecord(value) && typeof value['type'] === 'string';
}
