/** Lines of JSON from outside: whatever they hold, reading them never throws. */
import type { ContentBlock, JsonObject } from '@heddle/core';

export type Line = Readonly<Record<string, unknown>>;

export function parseLine(text: string): Line | undefined {
  try {
    return lineIn(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function lineIn(value: unknown): Line | undefined {
  return isLine(value) ? value : undefined;
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isLine(value: unknown): value is Line {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** It was parsed from JSON, so its values are. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isLine(value);
}

/** Blocks of kinds that nobody here knows are the request builder's business. */
export function isContent(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.every((block) => textIn(lineIn(block)?.['type']) !== undefined);
}
