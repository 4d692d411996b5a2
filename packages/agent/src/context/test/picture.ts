/** Creates a real PNG of one color without a library. Tests need its size and its bytes. */
import { crc32, deflateSync } from 'node:zlib';

export function picture(width: number, height: number, noisy = false): Buffer {
  const row = 1 + width * 3;
  const pixels = Buffer.alloc(row * height);
  if (noisy) {
    let seed = 1;
    for (let at = 0; at < pixels.length; at++) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      pixels[at] = at % row === 0 ? 0 : seed >>> 24;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per channel, three channels, no interlacing.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels, { level: noisy ? 0 : 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
