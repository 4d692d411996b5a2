/** AskUserQuestion: a choice that only the user can make. */
import type { AskDoors } from '@heddle/tools';
import { harmless } from '../../terminal/harmless.ts';
import type { Style } from '../style.ts';
import { again, answered, type Dialog, type Reading } from './dialog.ts';

export type UserQuestion = Parameters<NonNullable<AskDoors['askUser']>>[0][number];

/** Undefined: the user would rather not answer. */
export function userQuestionDialog(question: UserQuestion, style: Style): Dialog<string | undefined> {
  const { options, multiSelect = false } = question;
  const { paint } = style;
  const dialog: Dialog<string | undefined> = {
    lines: [
      `${paint('yellow', `${harmless(question.header)}:`)} ${harmless(question.question)}`,
      ...options.flatMap(({ label, description }, index) => [
        `  ${index + 1}  ${paint('bold', harmless(label))}${description === undefined ? '' : `: ${harmless(description)}`}`,
      ]),
      paint('dim', `  ${multiSelect ? 'numbers (1,2), ' : 'a number, '}your own words, or 0 for no answer`),
    ],
    prompt: 'answer> ',
    takesWords: true,
    read: (line) => read(line.trim()),
  };

  function read(line: string): Reading<string | undefined> {
    if (line === '') return again(dialog, 'Type a number, or your own words.');
    if (line === '0') return answered(undefined);
    if (!/^\d+([\s,]+\d+)*$/.test(line)) return answered(line);
    const numbers = [...new Set(line.split(/[\s,]+/).map(Number))];
    const labels = numbers.map((number) => options[number - 1]?.label);
    if (labels.includes(undefined)) return again(dialog, `There are the numbers 1 to ${options.length}.`);
    if (labels.length > 1 && !multiSelect) return again(dialog, 'Only one can be chosen.');
    return answered(labels.join(', '));
  }

  return dialog;
}
