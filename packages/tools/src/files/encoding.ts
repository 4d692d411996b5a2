/** Decodes bytes to text and back without loss: decoded text encodes to the same bytes. */
import { isUtf8 } from 'node:buffer';

/**
 * `utf-8 escaped` is UTF-8 with some invalid bytes: each is a lone surrogate in the text, which no valid
 * file contains. `latin1` is for files with bytes above 127 and no valid UTF-8 sequence.
 */
export type Encoding = 'utf-8' | 'utf-8 escaped' | 'utf-16le' | 'utf-16be' | 'latin1';

interface EncodedText {
  readonly text: string;
  readonly encoding: Encoding;
  readonly bom: boolean;
}

/** Returns undefined for binary content. */
export function decodeText(bytes: Buffer): EncodedText | undefined {
  if (startsWith(bytes, [0xef, 0xbb, 0xbf])) return decodeEight(bytes.subarray(3), true);
  if (bytes.length % 2 === 0 && startsWith(bytes, [0xff, 0xfe]) && !startsWith(bytes, [0xff, 0xfe, 0, 0])) {
    return { text: bytes.toString('utf16le', 2), encoding: 'utf-16le', bom: true };
  }
  if (bytes.length % 2 === 0 && startsWith(bytes, [0xfe, 0xff])) {
    const swapped = Buffer.from(bytes.subarray(2)).swap16();
    return { text: swapped.toString('utf16le'), encoding: 'utf-16be', bom: true };
  }
  return decodeEight(bytes, false);
}

/** Throws if the encoding cannot represent the text. */
export function encodeText({ text, encoding, bom }: EncodedText): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(bom ? `\ufeff${text}` : text);
    case 'utf-8 escaped':
      return encodeEscaped(bom ? `\ufeff${text}` : text);
    case 'utf-16le':
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 'utf-16be':
      return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    case 'latin1': {
      const foreign = /[\u0100-\u{10ffff}]/u.exec(text)?.[0];
      if (foreign === undefined) return Buffer.from(text, 'latin1');
      throw new Error(
        `The file is encoded in Latin-1, which has no “${foreign}”. Write it another way, or convert the file first.`,
      );
    }
  }
}

/** For display: invalid bytes become the replacement character. */
export function toPrintableText({ text, encoding }: EncodedText): string {
  return encoding === 'utf-8 escaped' || encoding.startsWith('utf-16') ? text.toWellFormed() : text;
}

function decodeEight(bytes: Buffer, bom: boolean): EncodedText | undefined {
  if (bytes.includes(0)) return undefined;
  if (isUtf8(bytes)) return { text: bytes.toString('utf8'), encoding: 'utf-8', bom };
  if (looksBinary(bytes)) return undefined;
  const { text, sequences } = decodeEscaped(bytes);
  if (sequences === 0 && !bom) return { text: bytes.toString('latin1'), encoding: 'latin1', bom };
  return { text, encoding: 'utf-8 escaped', bom };
}

const CONTROLS_OF_TEXT = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

/** One eighth of compressed data is control characters. Text has almost none. */
function looksBinary(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, 8192);
  let controls = 0;
  for (const byte of sample) if (byte < 0x20 && !CONTROLS_OF_TEXT.has(byte)) controls += 1;
  return controls * 20 > sample.length;
}

function decodeEscaped(bytes: Buffer): { text: string; sequences: number } {
  let text = '';
  let sequences = 0;
  let start = 0;
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceAt(bytes, at);
    if (length > 1) sequences += 1;
    if (length > 0) {
      at += length;
      continue;
    }
    text += bytes.toString('utf8', start, at) + String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    at += 1;
    start = at;
  }
  return { text: text + bytes.toString('utf8', start), sequences };
}

/** Returns the length of the valid UTF-8 sequence at this position, or 0. */
function sequenceAt(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  return length > 0 && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

function encodeEscaped(text: string): Buffer {
  const parts: Buffer[] = [];
  let start = 0;
  // With the u flag a class of surrogates matches only lone ones.
  for (const { index } of text.matchAll(/[\udc80-\udcff]/gu)) {
    parts.push(Buffer.from(text.slice(start, index)), Buffer.from([text.charCodeAt(index) - 0xdc00]));
    start = index + 1;
  }
  parts.push(Buffer.from(text.slice(start)));
  return Buffer.concat(parts);
}

function startsWith(bytes: Buffer, prefix: readonly number[]): boolean {
  return bytes.length >= prefix.length && prefix.every((byte, index) => bytes[index] === byte);
}

// The line endings of a text.

/** Returns the more frequent one, or undefined if there is none. */
export function lineEndingOf(text: string): '\n' | '\r\n' | undefined {
  let windows = 0;
  let all = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    all += 1;
    if (text.charCodeAt(at - 1) === 0x0d) windows += 1;
  }
  if (all === 0) return undefined;
  return windows * 2 > all ? '\r\n' : '\n';
}
