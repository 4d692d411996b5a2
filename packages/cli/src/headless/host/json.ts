/** Lines of JSON from outside: whatever they hold, reading them never throws. */
import { type ContentBlock, isRecord } from '@heddle/core';
import { StringDecoder } from 'node:string_decoder';

export type HostLine = Readonly<Record<string, unknown>>;

/** Longer lines are dropped. An image of the largest size that the API accepts is far shorter. */
const MAX_LINE_CHARACTERS = 128 * 1024 * 1024;

/**
 * Splits text at line feeds only. `node:readline` also splits at U+2028 and U+2029, which JSON contains unescaped.
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #maxCharacters: number;
  #pieces: string[] = [];
  #characters = 0;

  constructor(maxCharacters = MAX_LINE_CHARACTERS) {
    this.#maxCharacters = maxCharacters;
  }

  /** Returns the lines that this chunk completes. */
  push(chunk: Uint8Array): string[] {
    const [first = '', ...rest] = this.#decoder.write(Buffer.from(chunk)).split('\n');
    this.#keep(first);
    const lines: string[] = [];
    for (const piece of rest) {
      lines.push(this.#take());
      this.#keep(piece);
    }
    return lines;
  }

  /** Returns the last line, if it does not end with a line feed. */
  end(): string[] {
    this.#keep(this.#decoder.end());
    const last = this.#take();
    return last === '' ? [] : [last];
  }

  #keep(piece: string): void {
    this.#characters += piece.length;
    if (this.#characters > this.#maxCharacters) this.#pieces = [TOO_LONG];
    else this.#pieces.push(piece);
  }

  #take(): string {
    const line = this.#pieces.join('');
    this.#pieces = [];
    this.#characters = 0;
    return line;
  }
}

/** It is not JSON, so it is reported like any other unreadable line. */
const TOO_LONG = '(a line that is too long)';

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
