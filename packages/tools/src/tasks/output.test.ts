import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TaskOutputFile } from './output.ts';

const file = (): string => path.join(mkdtempSync(path.join(os.tmpdir(), 'heddle-output-')), 'out');

describe('an output', () => {
  it('is whole in memory while it fits, and in its file from then on, for any chunks', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.option(fc.nat({ max: 30 })), async (pieces, keptAt) => {
        const place = file();
        const output = new TaskOutputFile(place, 20);
        let all = '';
        for (const [index, size] of pieces.entries()) {
          if (index === keptAt) void output.keepWhole();
          const text = Array.from({ length: size }, (_, at) => 'abcdefghij'[(index + at) % 10]).join('');
          all += text;
          const chunk = Buffer.from(text);
          await output.add(chunk);
          // Its memory is reused.
          chunk.fill('?');
        }
        await output.close();
        const view = output.view();
        expect(view.bytes).toBe(all.length);
        if (view.omitted === 0) expect(view.head).toBe(all);
        else expect([view.head, view.tail]).toEqual([all.slice(0, 20), all.slice(-20)]);
        expect(view.file !== undefined).toBe(existsSync(place));
        if (all.length > 40) expect(view.file).toBe(place);
        if (view.file !== undefined) expect(readFileSync(place, 'utf8')).toBe(all);
      }),
      { numRuns: 150 },
    );
  });

  it('can be kept whole after its end, and leaves no file open', async () => {
    const place = file();
    const output = new TaskOutputFile(place, 20);
    await output.add(Buffer.from('late'));
    await output.close();
    await output.keepWhole();
    expect(readFileSync(place, 'utf8')).toBe('late');
  });

  it('can be closed while its file is being opened', async () => {
    const place = file();
    const output = new TaskOutputFile(place, 20);
    await output.add(Buffer.from('both'));
    await Promise.all([output.keepWhole(), output.close()]);
    expect(readFileSync(place, 'utf8')).toBe('both');
  });

  it('returns new output, and the unfinished line', async () => {
    const output = new TaskOutputFile(file(), 1_000);
    await output.add(Buffer.from('one\ntw'));
    expect([output.takeNew(), output.lastLine]).toEqual(['one\ntw', 'tw']);
    await output.add(Buffer.from('o'));
    expect([output.takeNew(), output.takeNew(), output.lastLine]).toEqual(['o', '', 'two']);
  });

  it('does not split characters at a cut', async () => {
    const output = new TaskOutputFile(file(), 5);
    await output.add(Buffer.from('ééééééé'));
    await output.close();
    expect([output.view().head, output.view().tail]).toEqual(['éé', 'éé']);
  });
});
