// An image to read, made without a library.
import { crc32, deflateSync } from 'node:zlib';

/** RGB, a gradient with this many bits of noise. */
export function pngOf(width: number, height: number, noiseBits: number): Buffer {
  const rows = Buffer.alloc(height * (1 + 3 * width));
  let seed = 1;
  for (let y = 0, at = 0; y < height; y += 1) {
    at += 1;
    for (let x = 0; x < width; x += 1) {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
      const noise = (seed >>> 16) & ((1 << noiseBits) - 1);
      rows[at++] = ((x * 200) / width + noise) & 255;
      rows[at++] = ((y * 200) / height + noise) & 255;
      rows[at++] = (128 + noise) & 255;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
