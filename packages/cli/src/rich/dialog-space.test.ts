/** A question of any length in a window of any size: no part is left out without a sign, and the keys stay visible. */
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answered, choiceDialog } from '../terminal/dialog.ts';
import { styleFor } from '../terminal/style.ts';
import { dialogRows, type OpenDialog } from './dialog-view.ts';
import { composeRegion, type ComposedRegion } from './view.ts';

const style = styleFor({ plain: false, env: { NO_COLOR: '1', LANG: 'C.UTF-8' } });

interface Shown {
  readonly lines: readonly string[];
  readonly choices: readonly string[];
  readonly columns: number;
  readonly rows: number;
  readonly hint?: string;
}

function compose({ lines, choices, columns, rows, hint }: Shown): ComposedRegion {
  const dialog = choiceDialog(
    lines,
    choices.map((text, index) => ({ key: String(index + 1), text, reply: () => answered(index) })),
  );
  const open: OpenDialog = { dialog, waiting: 0, selected: 0, hasTyped: false, printed: 'nothing', hint };
  return composeRegion(
    {
      open: [],
      activity: { busy: [], output: [], todos: [], queued: [] },
      facts: ['model'],
      dialog: dialogRows(open, '', style),
      menu: [],
      input: { rows: ['allow? '], cursorRow: 0, cursorColumn: 7 },
    },
    { columns, rows },
    style,
  );
}

const plainRows = (shown: Shown): readonly string[] => compose(shown).rows.map(stripVTControlCharacters);

const COMMAND = `  | ls ${'word '.repeat(400)}; rm all`;
const QUESTION = ['Allow Bash? (List)', COMMAND, '  No rule allows the command rm all.'];
const CHOICES = ['yes', "yes, and don't ask again: Bash(rm *)", 'no', 'no, and say why', 'show all of it'];

describe('a question that does not fit', () => {
  it.each([
    [100, 20],
    [80, 24],
    [40, 10],
  ])('keeps the reason and all keys in a window of %i columns and %i rows', (columns, rows) => {
    const shown = { lines: QUESTION, choices: CHOICES, columns, rows };
    const text = plainRows(shown).join('\n');
    expect(text).toMatch(/Allow Bash\?.*\n {2}… \d+ rows above show all of it\n {2}No rule allows the/);
    for (const key of ['❯ 1  yes', '  2  yes', '  3  no', '  4  no, and say', '  5  show all'])
      expect(text).toContain(`\n${key}`);
    expect(compose(shown).hides).not.toBe('nothing');
    expect(compose(shown).rows.length).toBeLessThan(rows);
  });

  it('is shown as a whole again in a larger window', () => {
    const shown = { lines: QUESTION, choices: CHOICES, columns: 120, rows: 40 };
    expect(compose(shown).hides).toBe('nothing');
    expect(plainRows(shown).join('\n')).toContain('; rm all\n');
  });

  it('counts the choices that have no row', () => {
    const rows = plainRows({ lines: QUESTION, choices: CHOICES, columns: 60, rows: 6 });
    expect(rows.slice(-2)).toEqual(['❯ 1  yes  … 4 more', 'allow? ']);
    expect(rows.join('\n')).toContain('rows above show all of it');
  });

  it('reports a character that is wider than the window', () => {
    const emoji = Array.from({ length: 60 }, () => '👩').join('\u200d');
    const shown = { lines: ['Allow Bash?', `  | ls ${emoji}; rm`], choices: ['yes'], columns: 80, rows: 24 };
    expect(compose(shown).hides).not.toBe('nothing');
    expect(plainRows(shown).join('\n')).toMatch(/…\n {2}\| ; rm\n/);
  });

  it('reports a choice that is cut', () => {
    const shown = { lines: ['Which?'], choices: ['a '.repeat(500)], columns: 40, rows: 12 };
    expect(compose(shown).hides).toBe('choices');
    expect(plainRows(shown).at(-2)).toMatch(/^❯ 1 {2}a .*…$/);
  });
});

it('starts each row of a call with a bar, and no row of a reason at the left edge', () => {
  const lines = ['Allow Bash?', COMMAND, `  Reason ${'1  yes '.repeat(40)}`];
  const rows = plainRows({ lines, choices: ['yes'], columns: 50, rows: 90 });
  const body = rows.slice(2, -2);
  const reason = body.findIndex((row) => row.startsWith('  Reason'));
  expect(reason).toBeGreaterThan(10);
  for (const row of body.slice(0, reason)) expect(row).toMatch(/^ {2}\| /);
  for (const row of body.slice(reason + 1)) expect(row).toMatch(/^ {4}/);
});

const words = fc.integer({ min: 0, max: 60 }).map((count) => `<${'ab cd'.repeat(count)}漢>`);
const anyQuestion = fc.record({
  title: words,
  call: fc.array(words, { maxLength: 30 }),
  reasons: fc.array(words, { maxLength: 5 }),
  choices: fc.array(words, { minLength: 1, maxLength: 8 }),
  hint: fc.option(words, { nil: undefined }),
  columns: fc.integer({ min: 2, max: 120 }),
  rows: fc.integer({ min: 4, max: 60 }),
});

it('shows all of any question, or the sign of its rows above', () => {
  fc.assert(
    fc.property(anyQuestion, ({ title, call, reasons, choices, hint, columns, rows }) => {
      const lines = [title, ...call.map((line) => `  | ${line}`), ...reasons.map((line) => `  ${line}`)];
      const shown = { lines, choices, columns, rows, ...(hint === undefined ? {} : { hint }) };
      const region = compose(shown);
      const bare = (text: string): string => stripVTControlCharacters(text).replaceAll(/[\s|]/g, '');
      const text = bare(region.rows.join(''));
      expect(region.rows.length).toBeLessThan(Math.max(2, rows));
      expect(region.rows.at(-1)).toBe('allow? ');
      if (region.hides === 'nothing')
        for (const part of [...lines, ...choices]) expect(text).toContain(bare(part));
      else expect(text).toContain('…');
    }),
    { numRuns: 400 },
  );
});
