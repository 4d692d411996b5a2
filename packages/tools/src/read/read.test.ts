import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync, writeSync } from 'node:fs';
import { ABORT_DEADLINE_MS } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { runUnprivileged, Scratch, shown } from '../files/test/scratch.ts';

describe('Read', () => {
  it('shows a file with line numbers', async () => {
    const scratch = new Scratch({ 'a.txt': 'one\ntwo\n' });
    expect(await scratch.read('a.txt')).toBe('     1\tone\n     2\ttwo');
  });

  it('shows a range, and how to continue', async () => {
    const scratch = new Scratch({ 'a.txt': 'one\ntwo\nthree\nfour' });
    expect(await scratch.read('a.txt', { offset: 2, limit: 2 })).toBe(
      '     2\ttwo\n     3\tthree\n(1 more lines; continue with offset 4)',
    );
  });

  it('shows the whole of a long file below the limit', async () => {
    const scratch = new Scratch({ 'a.txt': 'x\n'.repeat(5_000) });
    expect((await scratch.read('a.txt')).split('\n')).toHaveLength(5_000);
  });

  it('shows the first page of a file that is too long, and the last page at its offset', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `${index + 1} ${'x'.repeat(50)}`);
    const scratch = new Scratch({ 'a.txt': lines.join('\n') });
    const first = await scratch.read('a.txt');
    expect(first.length).toBeLessThan(90_000);
    const next = Number(/continue with offset (\d+)/.exec(first)?.[1]);
    expect(next).toBeGreaterThan(1_000);
    expect(await scratch.read('a.txt', { offset: next })).toContain(`${next}\t${next} xxx`);
    expect(await scratch.read('a.txt', { offset: 5_000 })).toBe(`  5000\t5000 ${'x'.repeat(50)}`);
  });

  it('cuts a line that is longer than a page, and reports it', async () => {
    const scratch = new Scratch({ 'a.json': `${'x'.repeat(200_000)}\nend` });
    const page = await scratch.read('a.json');
    expect(page).toMatch(
      /\(line 1 is cut: it is longer than a page\)\n\(1 more lines; continue with offset 2\)$/,
    );
    expect(page.length).toBeLessThan(81_000);
  });

  it('reports that a file is empty, or shorter than the offset', async () => {
    const scratch = new Scratch({ empty: '', short: 'x' });
    expect(await scratch.read('empty')).toMatch(/is empty/);
    expect(await scratch.read('short', { offset: 9 })).toMatch(/only 1 lines/);
  });

  it('reads lines that end in CRLF without showing the carriage return', async () => {
    const scratch = new Scratch({ 'a.txt': 'one\r\ntwo\r\n' });
    expect(await scratch.read('a.txt')).toBe('     1\tone\n     2\ttwo');
  });

  it.each([
    ['UTF-16', Buffer.from('\ufeffhé', 'utf16le'), '     1\thé\n(the file is encoded in utf-16le)'],
    ['Latin-1', Buffer.from('hé', 'latin1'), '     1\thé\n(the file is encoded in latin1)'],
    ['a byte-order mark', Buffer.from('\ufeffhé'), '     1\thé'],
    [
      'invalid UTF-8',
      Buffer.from([0x68, 0xc3, 0xa9, 0xff]),
      '     1\thé\ufffd\n(some bytes are not valid UTF-8 and shown as \ufffd)',
    ],
  ])('reads %s', async (_what, bytes, expected) => {
    expect(await new Scratch({ 'a.txt': bytes }).read('a.txt')).toBe(expected);
  });

  it('stores the hash of the content under the real path, with the shown part', async () => {
    const scratch = new Scratch({ 'a.txt': 'one\ntwo\n' });
    symlinkSync('a.txt', scratch.path('link'));
    await scratch.read('link');
    const state = scratch.context.fileState.get(scratch.path('a.txt'));
    expect(state?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(state?.range).toBeUndefined();
    await scratch.read('a.txt', { offset: 2 });
    expect(scratch.context.fileState.get(scratch.path('a.txt'))?.range).toEqual({ offset: 2, limit: 1 });
  });

  it.each([
    ['a missing file', 'nothing', /there is no such file\.$/],
    ['a missing folder', 'none/a', /no such folder as .*none/],
    ['a file used as a folder', 'a.txt/b', /a part of its path is a file/],
    ['another case', 'A.TXT', /Did you mean a\.txt\?/],
    ['another ending', 'a.ts', /Did you mean a\.txt\?/],
    ['a directory', 'folder', /is a directory/],
    ['a pipe', 'pipe', /is a pipe, not a regular file/],
    ['a device', '/dev/zero', /is a device/],
    ['a circle of links', 'loop', /links go in a circle/],
    ['a binary file', 'binary', /is a binary file \(a program/],
    ['a name with a line break', 'a\nb', /"[^"\n]*a\\nb" cannot be read/],
    ['a name with a NUL', 'a\0b', /NUL/],
    ['a very long name', 'x'.repeat(300), /name is too long/],
    ['no name', '', /Too small|expected string/],
  ])('rejects %s with a reason', async (_what, name, reason) => {
    const scratch = new Scratch({ binary: Buffer.from('\x7fELF\0\0'), 'a.txt': 'a' });
    mkdirSync(scratch.path('folder'));
    execFileSync('mkfifo', [scratch.path('pipe')]);
    symlinkSync('loop', scratch.path('loop'));
    await expect(scratch.read(name)).rejects.toThrow(reason);
  });

  it('reads a file whose name contains a line break', async () => {
    expect(await new Scratch({ 'a\nb': 'x' }).read('a\nb')).toBe('     1\tx');
  });

  it('rejects a file without permission', async () => {
    const scratch = new Scratch({ secret: 'x' });
    await scratch.read('secret');
    chmodSync(scratch.path('secret'), 0);
    await runUnprivileged(scratch, async () => {
      await expect(scratch.read('secret')).rejects.toThrow(/permission denied/);
    });
  });

  it('reports that the working directory is gone', async () => {
    const scratch = new Scratch();
    execFileSync('rmdir', [scratch.folder]);
    await expect(scratch.read('a.txt')).rejects.toThrow(/working directory .* no longer exists/);
  });

  it('rejects a sparse file of 5 GB without reading it', async () => {
    const scratch = new Scratch();
    sparse(scratch.path('sparse'), '', 5 * 2 ** 30);
    await expect(scratch.read('sparse')).rejects.toThrow(/binary/);
  });

  it.runIf(process.platform === 'linux')('stops reading a file without a size and an end', async () => {
    await expect(new Scratch().read('/proc/self/pagemap')).rejects.toThrow(/without an end/);
    expect(await new Scratch().read('/proc/self/stat')).toContain(`${process.pid} `);
  });

  it('shows pages of a file that is too large for memory', async () => {
    const scratch = new Scratch();
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`).join('\n');
    const filler = `${'y'.repeat(9_999)}\n`.repeat(100);
    sparse(scratch.path('large'), `${lines}\n`, 0, [filler, 40]);
    const before = process.memoryUsage().arrayBuffers;
    expect(await scratch.read('large', { limit: 2 })).toBe(
      '     1\tline 1\n     2\tline 2\n(more lines; continue with offset 3)',
    );
    expect(await scratch.read('large', { offset: 19_999, limit: 2 })).toContain(
      ' 19999\tline 19999\n 20000\tline 20000',
    );
    expect(await scratch.read('large', { offset: 24_000 })).toBe(` 24000\t${'y'.repeat(9_999)}`);
    expect(await scratch.read('large', { offset: 99_999 })).toMatch(/has only 24000 lines/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 2 ** 20);
    expect(scratch.context.fileState.paths()).toEqual([]);
  });

  it('is back at once when it is aborted in a large file', async () => {
    const controller = new AbortController();
    const scratch = new Scratch({}, { signal: controller.signal });
    const filler = `${'y'.repeat(99)}\n`.repeat(10_000);
    sparse(scratch.path('large'), '', 0, [filler, 300]);
    const reading = scratch.read('large', { offset: 100_000_000 });
    setImmediate(() => controller.abort());
    const began = performance.now();
    await expect(reading).rejects.toThrow(/Interrupted/);
    expect(performance.now() - began).toBeLessThan(ABORT_DEADLINE_MS);
  });
});

describe('Read of a notebook', () => {
  const notebook = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { language_info: { name: 'python' } },
    cells: [
      { cell_type: 'markdown', id: 'm1', metadata: {}, source: ['# Title\n', 'text'] },
      {
        cell_type: 'code',
        id: 'c1',
        metadata: {},
        execution_count: 1,
        source: 'print(1)',
        outputs: [
          { output_type: 'stream', name: 'stdout', text: ['\u001b[31m1\u001b[0m\n'] },
          { output_type: 'error', ename: 'ValueError', evalue: 'bad', traceback: [] },
          { output_type: 'display_data', data: { 'image/png': PIXEL(), 'text/plain': 'fig' } },
        ],
      },
    ],
  };

  it('shows cells with ids, outputs and images', async () => {
    const scratch = new Scratch({ 'a.ipynb': JSON.stringify(notebook) });
    const { content } = await scratch.call('Read', { file_path: 'a.ipynb' });
    expect(content).toMatchObject([
      { type: 'text', text: '<cell id="m1" type="markdown">\n# Title\ntext\n</cell>' },
      { type: 'text', text: '<cell id="c1" type="python">\nprint(1)\n</cell>' },
      { type: 'text', text: '<output>\n1\n\n</output>' },
      { type: 'text', text: '<output>\nValueError: bad\n</output>' },
      { type: 'text', text: '<output>\nfig\n</output>' },
      { type: 'image', source: { media_type: 'image/png' } },
    ]);
  });

  it('shows a range of cells, and how to continue', async () => {
    const scratch = new Scratch({ 'a.ipynb': JSON.stringify(notebook) });
    expect(await scratch.read('a.ipynb', { limit: 1 })).toMatch(/1 more cells; continue with offset 2/);
    expect(await scratch.read('a.ipynb', { offset: 9 })).toMatch(/only 2 cells/);
  });

  it.each([
    ['no JSON', '{', /not valid JSON/],
    ['no cells', '{"a":1}', /no list of cells/],
  ])('rejects %s', async (_what, text, reason) => {
    await expect(new Scratch({ 'a.ipynb': text }).read('a.ipynb')).rejects.toThrow(reason);
  });

  it('reports that it is empty', async () => {
    expect(
      shown(await new Scratch({ 'a.ipynb': '{"cells":[]}' }).call('Read', { file_path: 'a.ipynb' })),
    ).toMatch(/has no cells/);
  });
});

/** A file that uses no disk space: `head`, then a hole up to `size`, or a repeated block. */
function sparse(
  file: string,
  head: string,
  size: number,
  repeat?: readonly [block: string, times: number],
): void {
  const handle = openSync(file, 'w');
  try {
    writeSync(handle, head);
    const [block, times] = repeat ?? ['', 0];
    for (let time = 0; time < times; time += 1) writeSync(handle, block);
    if (size > 0) ftruncateSync(handle, size);
  } finally {
    closeSync(handle);
  }
}

/** One pixel. */
function PIXEL(): string {
  return 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
}
