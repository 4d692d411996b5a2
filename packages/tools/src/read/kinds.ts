/** What a file is, by its first bytes: names can lie. Pure. */

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

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
