import type { FileState } from '@heddle/core';
import type { PreparedImage, ImageType } from './image.ts';

// One page of a text: as many whole lines as a call may show. Pure.

/**
 * The most characters of a call, about 25,000 tokens of code: a tenth of a context, and below the limit
 * for spilling to a file.
 */
export const PAGE_CHARS = 80_000;

export interface TextPage {
  readonly lines: readonly string[];
  /** The line after the page; undefined at the end of the file. */
  readonly next: number | undefined;
  /** Characters of its only line that did not fit. */
  readonly cut: number;
}

export interface Range {
  /** From 1. */
  readonly offset: number;
  readonly limit: number;
}

export function rangeOf({
  offset = 1,
  limit = Number.MAX_SAFE_INTEGER,
}: {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}): Range {
  return { offset, limit };
}

/** `\n` and `\r\n` end a line. One at the very end does not begin another line. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return text.includes('\r') ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines;
}

/** A line that is longer than a page is cut, because there is no smaller unit. */
export function pageOf(all: readonly string[], { offset, limit }: Range): TextPage {
  const lines: string[] = [];
  let room = PAGE_CHARS;
  for (let index = offset - 1; index < all.length; index += 1) {
    const line = all[index] ?? '';
    const cost = line.length + NUMBER_WIDTH;
    if (lines.length >= limit || (cost > room && lines.length > 0)) return { lines, next: index + 1, cut: 0 };
    if (cost > room) {
      const shown = line.slice(0, PAGE_CHARS);
      const next = index + 1 < all.length ? index + 2 : undefined;
      return { lines: [shown], next, cut: line.length - shown.length };
    }
    lines.push(line);
    room -= cost;
  }
  return { lines, next: undefined, cut: 0 };
}

/** The number, a tab and the line break. */
const NUMBER_WIDTH = 8;

export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join('\n');
}

/** Detects the type of a file by its first bytes, because names can be wrong. Pure. */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  if (has(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (has(bytes, 0, '\xff\xd8\xff')) return 'image/jpeg';
  if (has(bytes, 0, 'GIF87a') || has(bytes, 0, 'GIF89a')) return 'image/gif';
  if (has(bytes, 0, 'RIFF') && has(bytes, 8, 'WEBP')) return 'image/webp';
  return undefined;
}

export function isPdf(bytes: Buffer): boolean {
  return has(bytes, 0, '%PDF-');
}

const BINARIES: readonly (readonly [magic: string, name: string])[] = [
  ['PK\x03\x04', 'a zip archive, or a document made of one'],
  ['\x1f\x8b', 'gzip-compressed data'],
  ['\x7fELF', 'a program or library'],
  ['MZ', 'a Windows program or library'],
  ['\xcf\xfa\xed\xfe', 'a macOS program or library'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['\0asm', 'a WebAssembly module'],
  ['BM', 'a bitmap image'],
  ['II*\0', 'a TIFF image'],
  ['MM\0*', 'a TIFF image'],
  ['OggS', 'sound or film'],
  ['ID3', 'sound'],
  ['\x28\xb5\x2f\xfd', 'zstd-compressed data'],
  ['\xfd7zXZ', 'xz-compressed data'],
];

export function nameOfBinary(bytes: Buffer): string {
  if (has(bytes, 4, 'ftyp')) return 'an image or film in an ISO container';
  return BINARIES.find(([magic]) => has(bytes, 0, magic))?.[1] ?? 'not text in any encoding known here';
}

function has(bytes: Buffer, at: number, magic: string): boolean {
  return bytes.toString('latin1', at, at + magic.length) === magic;
}

export interface ReadData {
  readonly path: string;
  readonly kind: 'text' | 'image' | 'notebook' | 'pdf';
  /** Bytes of the whole file; undefined if only a part of it was read. */
  readonly size?: number;
  readonly parts: readonly ShownPart[];
  /** The shown cells of a notebook, without their outputs. */
  readonly cells?: readonly ShownCell[];
  /** The shown lines, if it was not the whole file. */
  readonly range?: NonNullable<FileState['range']>;
}

export type ShownPart =
  | { readonly kind: 'text'; readonly text: string }
  | ShownLines
  | ({ readonly kind: 'image' } & PreparedImage);

export interface ShownCell {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly language: string;
}

/** Lines of a text file, which are numbered when they are shown. */
interface ShownLines {
  readonly kind: 'lines';
  readonly lines: readonly string[];
  readonly first: number;
  /** Lines of the whole file; undefined if they were not counted. */
  readonly total: number | undefined;
  /** Follows the lines. */
  readonly note: string;
}

export interface ShownContent {
  readonly data: ReadData;
  /** The underlying text, to show later changes. */
  readonly text?: string;
}
