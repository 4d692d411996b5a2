import { describe, expect, it } from 'vitest';
import { choiceRows } from './complete.ts';

describe('the list of candidates', () => {
  it('has columns that are read downwards', () => {
    expect(choiceRows(['clear', 'compact', 'cost', 'help', 'mode'], 24, '…')).toEqual([
      '  clear    help',
      '  compact  mode',
      '  cost',
    ]);
    expect(choiceRows(['a', '漢字', 'b'], 80, '…')).toEqual(['  a     漢字  b']);
  });

  it('has at most ten rows, and reports how many names are omitted', () => {
    const names = Array.from({ length: 400 }, (_name, index) => `a-rather-long-name-${index}.txt`);
    const rows = choiceRows(names, 80, '…');
    expect(rows).toHaveLength(10);
    expect(rows[0]).toMatch(/name-0\.txt +a-rather-long-name-9\.txt/);
    expect(rows.at(-1)).toBe('  … 382 more');
    for (const row of rows) expect(row.length).toBeLessThan(80);
  });

  it('cuts a name that is wider than the terminal', () => {
    expect(choiceRows(['abcdefghijkl', 'x'], 10, '…')).toEqual(['  abcdef…', '  x']);
  });
});
