import { expect, it } from 'vitest';
import { answered, choiceDialog, visibleDialog } from './dialog.ts';

it('shows no line break and no long run of blanks of a question', () => {
  const blanks = ' '.repeat(5_000);
  const dialog = choiceDialog(
    [`Which?\n1  yes${blanks}end`, `  | ${blanks}; rm\nmore`],
    [{ key: '1', text: `Bash(ls${blanks}rm)\n2  no`, detail: `a${blanks}b`, reply: () => answered(1) }],
  );
  const { lines, choices } = visibleDialog(dialog, '…');
  expect(lines).toEqual([
    'Which?',
    '  | 1  yes … 5,000 blanks … end',
    '  |  … 5,000 blanks … ; rm',
    '  | more',
  ]);
  expect(choices).toMatchObject([
    { key: '1', text: 'Bash(ls … 5,000 blanks … rm) 2  no', detail: 'a … 5,000 blanks … b' },
  ]);
});
