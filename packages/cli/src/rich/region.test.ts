/** Random changes of the region against a terminal emulator. */
import { stripVTControlCharacters } from 'node:util';
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patchRegion, type RegionFrame, type ShownRegion } from './region.ts';
import { cutCells, rowWidth } from './cells.ts';

const ROWS = 24;

const rowText = fc.array(
  fc.constantFrom(
    'word',
    'a',
    '漢字',
    'é',
    ' ',
    '\u001b[1mbold\u001b[22m',
    '\u001b[36m> \u001b[39m',
    '\u001b[2mdim\u001b[22m',
  ),
  { maxLength: 14 },
);

type Step =
  | { readonly kind: 'frame'; readonly rows: readonly string[][]; readonly cursor: number }
  | { readonly kind: 'commit'; readonly rows: readonly string[][] }
  | { readonly kind: 'resize'; readonly columns: number; readonly height: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('frame' as const),
      rows: fc.array(rowText, { minLength: 1, maxLength: 5 }),
      cursor: fc.nat(40),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      rows: fc.array(rowText, { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resize' as const),
      columns: fc.integer({ min: 20, max: 90 }),
      height: fc.integer({ min: 10, max: 40 }),
    }),
  },
);

/** Plays the steps, and returns what the terminal shows and what it should show. */
async function play(steps: readonly Step[]): Promise<{ readonly shown: string; readonly expected: string }> {
  const terminal = new xterm.Terminal({ cols: 60, rows: ROWS, scrollback: 10_000, allowProposedApi: true });
  let shown: ShownRegion | undefined;
  let frame: RegionFrame = { rows: ['>'], cursorRow: 0, cursorColumn: 1 };
  const committed: string[] = [];
  const draw = async (above: readonly string[]): Promise<void> => {
    const { cols: columns } = terminal;
    const fitted = { ...frame, rows: frame.rows.map((row) => cutCells(row, columns - 1)) };
    const cursorColumn = Math.min(fitted.cursorColumn, rowWidth(fitted.rows[fitted.cursorRow] ?? ''));
    const next = { ...fitted, cursorColumn };
    const bytes = patchRegion({ shown, frame: next, above, columns, reflow: 'rows without the cursor' });
    shown = { frame: next, columns };
    const { promise, resolve } = Promise.withResolvers<void>();
    terminal.write(bytes, resolve);
    await promise;
  };
  let count = 0;
  for (const next of steps) {
    if (next.kind === 'frame') {
      // The input line is last, and the cursor is in it.
      const rows = next.rows.map((parts) => parts.join(''));
      frame = { rows, cursorRow: rows.length - 1, cursorColumn: next.cursor };
      await draw([]);
    } else if (next.kind === 'commit') {
      const rows = next.rows.map((parts) => `${count++}:${parts.join('')}`.trimEnd());
      committed.push(...rows);
      await draw(rows);
    } else {
      terminal.resize(next.columns, next.height);
      await draw([]);
    }
  }
  await draw([]);
  const { cols: columns } = terminal;
  const region = frame.rows.map((row) => cutCells(row, columns - 1));
  return { shown: textOf(terminal), expected: plain([...committed, ...region]) };
}

function plain(rows: readonly string[]): string {
  return rows
    .map((row) => stripVTControlCharacters(row).trimEnd())
    .join('\n')
    .trimEnd();
}

function textOf(terminal: xterm.Terminal): string {
  const { active } = terminal.buffer;
  const lines: string[] = [];
  for (let index = 0; index < active.length; index++) {
    const line = active.getLine(index);
    const content = line?.translateToString(true) ?? '';
    if (line?.isWrapped && lines.length > 0) lines.push((lines.pop() ?? '') + content);
    else lines.push(content);
  }
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();
}

describe('the region', () => {
  it('shows every final row exactly once, and its own rows below them, after any changes', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const { shown, expected } = await play(steps);
        expect(shown).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('writes only the characters that changed', () => {
    const before: RegionFrame = { rows: ['working 1 s', '──', '> hello'], cursorRow: 2, cursorColumn: 7 };
    const after: RegionFrame = { rows: ['working 2 s', '──', '> hello!'], cursorRow: 2, cursorColumn: 8 };
    const patch = (frame: RegionFrame): string =>
      patchRegion({
        shown: { frame: before, columns: 80 },
        frame,
        above: [],
        columns: 80,
        reflow: 'rows without the cursor',
      });
    expect(patch(after)).toBe('\u001b[2A\u001b[9G2 s\u001b[2B\u001b[8G!\u001b[9G');
    expect(patch(before)).toBe('');
  });
});
