/** Width and height from an image's header, so that small images need no library. Pure. */
import type { ImageType } from './kinds.ts';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Undefined where the header is damaged or cut. */
export function imageSizeOf(bytes: Buffer, type: ImageType): ImageSize | undefined {
  try {
    const size = READERS[type](bytes);
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
  } catch {
    // Read past the end.
    return undefined;
  }
}

const READERS: Readonly<Record<ImageType, (bytes: Buffer) => ImageSize | undefined>> = {
  'image/png': (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  'image/gif': (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
};

/** Walks the segments to the frame header (SOF0 to SOF15, without the three that are something else). */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  let at = 2;
  while (at < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    const alone = (marker >= 0xd0 && marker <= 0xd9) || marker === 0x01;
    at += alone ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
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
