import { execFileSync } from 'node:child_process';
import { deflateSync } from 'node:zlib';
import { ABORT_DEADLINE_MS } from '@heddle/testing';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { ResultContent } from '@heddle/core';
import { pdfOf } from '@heddle/testing/samples';
import { Scratch } from '../files/test/scratch.ts';
import { prepareImage } from './image.ts';
import { readPdf } from './pdf.ts';

async function picture(
  width: number,
  height: number,
  format: 'png' | 'jpeg' | 'gif' | 'webp',
): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#336699' } })
    .toFormat(format)
    .toBuffer();
}

async function blocks(bytes: Buffer, more: object = {}): Promise<readonly ResultContent[]> {
  const scratch = new Scratch({ file: bytes });
  const { content } = await scratch.call('Read', { file_path: 'file', ...more });
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

async function sizeOf(block: ResultContent | undefined): Promise<{ width: number; height: number }> {
  if (block?.type !== 'image' || block.source.type !== 'base64') throw new Error('no image');
  const { width, height } = await sharp(Buffer.from(block.source.data, 'base64')).metadata();
  return { width, height };
}

describe('Read of an image', () => {
  it.each(['png', 'jpeg', 'gif', 'webp'] as const)('shows a small %s unchanged', async (format) => {
    const bytes = await picture(30, 20, format);
    expect(await blocks(bytes)).toEqual([
      {
        type: 'image',
        source: { type: 'base64', media_type: `image/${format}`, data: bytes.toString('base64') },
      },
    ]);
  });

  it.each(['png', 'jpeg', 'gif', 'webp'] as const)('scales a large %s down', async (format) => {
    const [image, note] = await blocks(await picture(3_000, 1_500, format));
    expect(await sizeOf(image)).toEqual({ width: 2_000, height: 1_000 });
    expect(note).toMatchObject({ text: expect.stringMatching(/original has 3000 × 1500, 1\.50 times/) });
  });

  it('rotates a photograph by its orientation', async () => {
    const bytes = await sharp(await picture(3_000, 1_500, 'jpeg'))
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const [image] = await blocks(bytes);
    expect(await sizeOf(image)).toEqual({ width: 1_000, height: 2_000 });
  });

  it('shrinks an image of many bytes to the limit of the API', async () => {
    const noise = { width: 1_300, height: 1_300, type: 'gaussian' as const, mean: 128, sigma: 90 };
    const bytes = await sharp({ create: { ...noise, channels: 3, background: '#000', noise } })
      .png()
      .toBuffer();
    expect(bytes.length).toBeGreaterThan(3_932_160);
    const [image] = await blocks(bytes);
    if (image?.type !== 'image' || image.source.type !== 'base64') throw new Error('no image');
    expect(image.source.data.length).toBeLessThanOrEqual(5 * 1024 * 1024);
    expect(image.source.media_type).toBe('image/jpeg');
  });

  it.each([
    ['a cut header', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /cannot be shown: its header is damaged/],
    ['a bomb', pngHeader(60_000, 60_000), /60000 × 60000 pixels, more than this program unpacks/],
    ['a large image without content', pngHeader(4_000, 4_000), /cannot be shown/],
    ['many colors of 16 bits', pngHeader(6_000, 6_000, 16), /6000 × 6000 pixels, more than/],
    ['a very wide image', pngHeader(70_000, 10), /70000 × 10 pixels, more than/],
    ['a large progressive JPEG', jpegHeader(0xc2, 8_000, 8_000), /8000 × 8000 pixels, more than/],
    ['a large WebP', webpHeader(16_384, 16_384), /16384 × 16384 pixels, more than/],
    ['a large GIF', gifHeader(65_535, 65_535), /65535 × 65535 pixels, more than/],
  ])('rejects %s', async (_what, bytes, reason) => {
    await expect(blocks(bytes)).rejects.toThrow(reason);
  });

  it('is back at once when it is aborted', async () => {
    const controller = new AbortController();
    const bytes = await picture(5_000, 5_000, 'png');
    const began = performance.now();
    const reading = prepareImage(bytes, 'image/png', controller.signal);
    controller.abort();
    await expect(reading).rejects.toThrow(/Interrupted/);
    expect(performance.now() - began).toBeLessThan(ABORT_DEADLINE_MS);
  });
});

describe('without sharp', () => {
  /** In a separate process that cannot load the package. */
  function readAlone(file: string): string {
    const withoutSharp =
      "import Module from 'node:module'; const load = Module._load; Module._load = (name, ...rest) => { if (name.includes('/node_modules/sharp/')) throw new Error('no binary'); return load(name, ...rest); };";
    const read = `
      import { readTool } from ${JSON.stringify(import.meta.resolve('./read.ts'))};
      const context = { workingDirectory: '/', signal: new AbortController().signal, fileState: { get() {}, set() {}, paths: () => [] } };
      const { data } = await readTool.call({ file_path: ${JSON.stringify(file)} }, context, () => undefined).catch((e) => ({ data: e.message }));
      console.log(typeof data === 'string' ? data : JSON.stringify(readTool.toResult(data)));`;
    const preload = `data:text/javascript,${encodeURIComponent(withoutSharp)}`;
    return execFileSync(process.execPath, ['--import', preload, '--input-type=module', '-e', read], {
      encoding: 'utf8',
    });
  }

  it('images within the limits are shown, larger ones are rejected with a reason', async () => {
    const scratch = new Scratch({
      small: await picture(30, 20, 'png'),
      large: await picture(3_000, 1_500, 'png'),
    });
    expect(readAlone(scratch.path('small'))).toContain('"media_type":"image/png"');
    expect(readAlone(scratch.path('large'))).toMatch(
      /large cannot be shown: it is too large to be sent as it is, and the package “sharp”.*cannot be loaded here/,
    );
  });
});

describe('Read of a PDF', () => {
  it('shows the text page by page', async () => {
    expect(await blocks(pdfOf(['first words', 'second words']))).toEqual([
      { type: 'text', text: '--- page 1 of 2 ---\nfirst words' },
      { type: 'text', text: '--- page 2 of 2 ---\nsecond words' },
    ]);
  });

  it('shows the requested pages', async () => {
    const pdf = pdfOf(Array.from({ length: 40 }, (_, index) => `words of ${index + 1}`));
    expect(await blocks(pdf, { pages: '7' })).toMatchObject([{ text: '--- page 7 of 40 ---\nwords of 7' }]);
    expect(await blocks(pdf, { pages: '39-' })).toHaveLength(2);
    const all = await blocks(pdf);
    expect(all).toHaveLength(21);
    expect(all.at(-1)).toMatchObject({ text: '(20 more pages; continue with pages "21-")' });
  });

  it('shows an image of a page that has no text', async () => {
    const [text, image] = await blocks(pdfOf(['']));
    expect(text).toMatchObject({ text: expect.stringMatching(/no text; a picture/) });
    expect((await sizeOf(image)).height).toBeGreaterThan(1_000);
  });

  it.each([
    ['a page it does not have', { pages: '9' }, /it has 1 pages, and page 9 is none of them/],
    ['nonsense', { pages: 'a few' }, /expected a page or a range/],
    ['a range backwards', { pages: '5-2' }, /expected a page or a range/],
  ])('rejects %s', async (_what, more, reason) => {
    await expect(blocks(pdfOf(['x']), more)).rejects.toThrow(reason);
  });

  it('rejects one that takes too much memory', async () => {
    await expect(blocks(pdfBomb())).rejects.toThrow(/reading it takes more than 384 MB of memory/);
  });

  it('rejects a damaged one', async () => {
    await expect(blocks(Buffer.from('%PDF-1.4 nonsense'))).rejects.toThrow(/cannot be shown: .*PDF/);
  });

  it('is back at once when it is aborted', async () => {
    const controller = new AbortController();
    const began = performance.now();
    const reading = readPdf(pdfOf(['', '', '', '', '']), { first: 1, last: 5 }, controller.signal);
    controller.abort();
    await expect(reading).rejects.toThrow(/Interrupted/);
    expect(performance.now() - began).toBeLessThan(ABORT_DEADLINE_MS);
  });
});

function pngHeader(width: number, height: number, depth = 8): Buffer {
  const header = Buffer.alloc(64);
  header.write('\x89PNG\r\n\x1a\n', 'latin1');
  header.writeUInt32BE(13, 8);
  header.write('IHDR', 12, 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  header.writeUInt8(depth, 24);
  header.writeUInt8(6, 25);
  return header;
}

function jpegHeader(frame: number, width: number, height: number): Buffer {
  const header = Buffer.from([0xff, 0xd8, 0xff, frame, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0, 0]);
  header.writeUInt16BE(height, 7);
  header.writeUInt16BE(width, 9);
  return header;
}

function gifHeader(width: number, height: number): Buffer {
  const header = Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1');
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  return header;
}

function webpHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(40);
  header.write('RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0', 'latin1');
  header.writeUIntLE(width - 1, 24, 3);
  header.writeUIntLE(height - 1, 27, 3);
  return header;
}

/** A page that shows one stream many times. The file has some kilobytes. */
function pdfBomb(): Buffer {
  const packed = deflateSync(Buffer.alloc(8_000_000, ' '));
  const content = `[${'4 0 R '.repeat(100)}]`;
  return Buffer.concat([
    Buffer.from(
      `%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 1 /Kids [3 0 R] >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${content} >>\nendobj\n4 0 obj\n<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`,
    ),
    packed,
    Buffer.from('\nendstream\nendobj\ntrailer\n<< /Size 5 /Root 1 0 R >>\n%%EOF\n'),
  ]);
}
