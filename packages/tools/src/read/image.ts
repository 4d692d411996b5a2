/** Prepares images for the API: unchanged if they fit, otherwise scaled down. */
import { createRequire } from 'node:module';
import type sharp from 'sharp';
import { waitOrInterrupt } from '../files/abort.ts';
import { findPackage } from '../packages.ts';

export interface PreparedImage {
  readonly mediaType: ImageType;
  readonly base64: string;
  readonly size: ImageSize;
  /** The size before scaling. */
  readonly original?: ImageSize;
}

/** With more than 20 images in a request the API rejects longer sides, and the history keeps the image. */
const MAX_SIDE = 2_000;
/** 5 MiB of base64. */
const MAX_BYTES = 3_932_160;
/** A small file can decompress to gigabytes. Images with more than 8 bits for a color are decoded as they are. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
/** The largest side of a JPEG. Each row and column costs time, also an empty one. */
const MAX_ORIGINAL_SIDE = 65_535;
/** A progressive JPEG can have many scans, each of which costs as much as an image. */
const TIME_LIMIT_SECONDS = 15;

/** Throws with a reason that completes “… cannot be shown: ”. */
export async function prepareImage(
  bytes: Buffer,
  type: ImageType,
  signal: AbortSignal,
): Promise<PreparedImage> {
  const header = imageHeaderOf(bytes, type);
  if (header === undefined) throw new Error('its header is damaged');
  const size = { width: header.width, height: header.height };
  if (bytes.length <= MAX_BYTES && size.width <= MAX_SIDE && size.height <= MAX_SIDE) {
    return { mediaType: type, base64: bytes.toString('base64'), size };
  }
  const unpacked = size.width * size.height * header.pixelBytes;
  if (unpacked > MAX_UNPACKED_BYTES || Math.max(size.width, size.height) > MAX_ORIGINAL_SIDE) {
    throw new Error(`it has ${size.width} × ${size.height} pixels, more than this program unpacks`);
  }
  return { ...(await waitOrInterrupt(scaleDown(bytes, type), signal)), original: size };
}

/** Encodes raw pixels (RGBA) as an image. */
export async function encodePixels(data: Uint8Array, { width, height }: ImageSize): Promise<PreparedImage> {
  const { data: jpeg } = await loadSharp('its pages have no text')(data, {
    raw: { width, height, channels: 4 },
  })
    .flatten({ background: 'white' })
    .jpeg({ quality: 80 })
    .toBuffer({ resolveWithObject: true });
  return { mediaType: 'image/jpeg', base64: jpeg.toString('base64'), size: { width, height } };
}

/** Drawings and screenshots stay sharp as PNG if that is small enough. Photographs are already JPEG. */
async function scaleDown(bytes: Buffer, type: ImageType): Promise<PreparedImage> {
  const image = loadSharp('it is too large to be sent as it is')(bytes, {
    limitInputPixels: MAX_UNPACKED_BYTES,
  })
    .timeout({ seconds: TIME_LIMIT_SECONDS })
    .autoOrient()
    .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true });
  if (type === 'image/png' || type === 'image/gif') {
    const { data, info } = await image.clone().png().toBuffer({ resolveWithObject: true });
    if (data.length <= MAX_BYTES) return prepared('image/png', data, info);
  }
  for (const quality of [80, 50, 20]) {
    const flat = image.clone().flatten({ background: 'white' }).jpeg({ quality });
    const { data, info } = await flat.toBuffer({ resolveWithObject: true });
    if (data.length <= MAX_BYTES) return prepared('image/jpeg', data, info);
  }
  throw new Error('it is too large even when scaled down');
}

function prepared(mediaType: ImageType, data: Buffer, { width, height }: ImageSize): PreparedImage {
  return { mediaType, base64: data.toString('base64'), size: { width, height } };
}

/**
 * Native code in an optional package: it is not bundled, and may be missing or lack its binary for this
 * machine.
 */
function loadSharp(why: string): typeof sharp {
  const load: (file: string) => typeof sharp = createRequire(import.meta.url);
  try {
    const file = findPackage('sharp', { code: import.meta.dirname });
    if (file === undefined) throw new Error('It is not installed.');
    return load(file);
  } catch (thrown) {
    throw new Error(
      `${why}, and the package “sharp”, which would make a picture that fits, cannot be loaded here`,
      {
        cause: thrown,
      },
    );
  }
}

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

interface ImageHeader extends ImageSize {
  /** The memory that a pixel takes while the image is decoded. */
  readonly pixelBytes: number;
}

/** Returns undefined if the header is damaged or truncated. */
function imageHeaderOf(bytes: Buffer, type: ImageType): ImageHeader | undefined {
  try {
    const header = READERS[type](bytes);
    return header !== undefined && header.width > 0 && header.height > 0 ? header : undefined;
  } catch {
    // The read passed the end.
    return undefined;
  }
}

/** Red, green, blue and transparency. */
const RGBA_BYTES = 4;

/** By color type: the numbers of a pixel. */
const PNG_COLORS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 4: 2 };

const READERS: Readonly<Record<ImageType, (bytes: Buffer) => ImageHeader | undefined>> = {
  'image/png': (bytes) => ({
    width: bytes.readUInt32BE(16),
    height: bytes.readUInt32BE(20),
    pixelBytes: (PNG_COLORS[bytes.readUInt8(25)] ?? RGBA_BYTES) * (bytes.readUInt8(24) > 8 ? 2 : 1),
  }),
  'image/gif': (bytes) => ({
    width: bytes.readUInt16LE(6),
    height: bytes.readUInt16LE(8),
    pixelBytes: RGBA_BYTES,
  }),
  'image/jpeg': jpegHeader,
  'image/webp': webpHeader,
};

/** Walks the segments to the frame header (SOF0 to SOF15, except three other markers in that range). */
function jpegHeader(bytes: Buffer): ImageHeader | undefined {
  let at = 2;
  while (at < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame)
      return {
        height: bytes.readUInt16BE(at + 5),
        width: bytes.readUInt16BE(at + 7),
        // All others keep the whole image as numbers of two bytes until the last scan.
        pixelBytes: marker === BASELINE ? 3 : 6,
      };
    const alone = (marker >= 0xd0 && marker <= 0xd9) || marker === 0x01;
    at += alone ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

const BASELINE = 0xc0;

function webpHeader(bytes: Buffer): ImageHeader | undefined {
  const size = webpSize(bytes);
  return size && { ...size, pixelBytes: RGBA_BYTES };
}

function webpSize(bytes: Buffer): ImageSize | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
