/** Lines of JSON from outside: whatever they hold, reading them never throws. */
import { type ContentBlock, isRecord } from '@heddle/core';

export type HostLine = Readonly<Record<string, unknown>>;

export function parseHostLine(text: string): HostLine | undefined {
  try {
    return lineIn(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function lineIn(value: unknown): HostLine | undefined {
  return isRecord(value) ? value : undefined;
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Blocks of kinds that a prompt seldom has are the request builder's business; those that are looked into must be whole. */
export function isContent(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.map((block) => lineIn(block) ?? {}).every(isBlock);
}

function isBlock(block: HostLine): boolean {
  switch (block['type']) {
    case 'text':
      return hasTexts(block, 'text');
    case 'image':
    case 'document':
      return isSource(lineIn(block['source']) ?? {});
    default:
      return hasTexts(block, 'type');
  }
}

function isSource(source: HostLine): boolean {
  switch (source['type']) {
    case 'base64':
      return hasTexts(source, 'media_type', 'data');
    case 'url':
      return hasTexts(source, 'url');
    default:
      return hasTexts(source, 'type');
  }
}

function hasTexts(line: HostLine, ...names: readonly string[]): boolean {
  return names.every((name) => textIn(line[name]) !== undefined);
}
