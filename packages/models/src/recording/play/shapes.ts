/** What a line of a recording must hold before anything relies on it. */
import type { RequestMessage, SystemLayer, ToolSpec } from '@heddle/core';
import type { Line } from '../format.ts';

/** Undefined: it is no line of ours, or not a whole one. */
export function parseLine(line: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

const SHAPES: Readonly<Record<Line['type'], (line: Fields) => boolean>> = {
  heddle_recording: ({ format, at, model, places }) =>
    isNumber(format) && isText(at) && isText(model) && Array.isArray(places) && places.every(isPlace),
  part: ({ digest, value }) => isText(digest) && isFields(value),
  request: ({ attempt, at, model, maxTokens, window = 0, options, system, tools, keep, messages, whole }) =>
    [attempt, at, maxTokens, window, keep].every(isNumber) &&
    [model, whole].every(isText) &&
    isFields(options) &&
    [system ?? [], tools ?? [], messages].every(areTexts),
  event: ({ attempt, at, record }) => isNumber(attempt) && isNumber(at) && hasType(record),
  end: ({ attempt, at, record }) =>
    isNumber(attempt) && isNumber(at) && (hasType(record, 'done') || hasType(record, 'model_error')),
  left: ({ attempt }) => isNumber(attempt),
};

function isLine(value: unknown): value is Line {
  if (!isFields(value)) return false;
  const { type } = value;
  return isText(type) && isKind(type) && SHAPES[type](value);
}

function isKind(type: string): type is Line['type'] {
  return Object.hasOwn(SHAPES, type);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function hasType(value: unknown, type?: string): boolean {
  return isFields(value) && (type === undefined ? isText(value['type']) : value['type'] === type);
}

function isPlace(value: unknown): boolean {
  return isFields(value) && isText(value['name']) && isText(value['path']);
}

export function isLayer(value: unknown): value is SystemLayer {
  return isFields(value) && isText(value['text']);
}

export function isTool(value: unknown): value is ToolSpec {
  return isFields(value) && isText(value['name']) && isText(value['description']);
}

export function isMessage(value: unknown): value is RequestMessage {
  return isFields(value) && isText(value['role']) && Array.isArray(value['content']);
}
