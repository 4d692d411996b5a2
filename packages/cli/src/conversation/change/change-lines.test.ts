import { expect, it } from 'vitest';
import { styleFor } from '../../terminal/style.ts';
import { changeLines, changeOf } from './change.ts';

const style = styleFor({ plain: true, env: {} });

it('shows tabs of a changed line as spaces, counted from the start of its text', () => {
  const change = changeOf('Write', { content: 'a\n\tb\tc\n' }, 'a\n\tb\n');
  expect(change && changeLines(change, 1, style)).toEqual([
    '1   a',
    `2 - ${' '.repeat(8)}b`,
    `2 + ${' '.repeat(8)}b${' '.repeat(7)}c`,
  ]);
});
