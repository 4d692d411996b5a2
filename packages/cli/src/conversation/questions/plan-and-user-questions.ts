/** The dialogs for plans, for questions of the model, and for running without a sandbox. */
import type { PermissionAnswer, PermissionQuestion } from '@heddle/agent';
import type { AskDeps, PlanDecision } from '@heddle/tools';
import { escapeControls } from '../../terminal/escape-controls.ts';
import { Prose } from '../../terminal/layout/prose.ts';
import type { Style } from '../../terminal/style.ts';
import {
  again,
  answered,
  choiceDialog,
  type Dialog,
  type DialogAnswer,
  keptFor,
  noBecause,
} from '../../terminal/dialog.ts';

export function planDialog(plan: string, style: Style, words = ''): Dialog<PlanDecision> {
  const { paint } = style;
  const reject = (feedback: string): PlanDecision => ({ approved: false, feedback });
  return choiceDialog<PlanDecision>(
    [
      paint('yellow', 'The plan:'),
      ...painted(escapeControls(plan), style).map((line) => `  | ${line}`),
      paint('yellow', 'Carry it out?'),
    ],
    [
      {
        key: '1',
        text: 'yes, and allow all edits',
        also: ['y', 'yes'],
        reply: () => answered({ approved: true, mode: 'acceptEdits' }),
      },
      {
        key: '2',
        text: 'yes, and ask before each edit',
        reply: () => answered({ approved: true, mode: 'default' }),
      },
      {
        key: '3',
        text: 'no, continue planning',
        also: ['n', 'no'],
        reply: () => answered({ approved: false }),
      },
      noBecause('no, and say what to change', 'change what? ', reject, words),
    ],
    {
      prompt: 'plan? ',
      about: 'carry out the plan',
      otherwise: (typed) => keptFor(typed, (kept) => planDialog(plan, style, kept)),
    },
  );
}

/** Formats the plan like an answer. It is wrapped later, because each row needs a bar. */
function painted(text: string, style: Style): string[] {
  const prose = new Prose(style, () => Number.POSITIVE_INFINITY);
  return (prose.add(text) + prose.end()).split('\n');
}

export type UserQuestion = Parameters<NonNullable<AskDeps['askUser']>>[0][number];

/** The answer is undefined if the user does not want to answer. */
export function userQuestionDialog(question: UserQuestion, style: Style): Dialog<string | undefined> {
  const { options, multiSelect = false } = question;
  const { paint } = style;
  const dialog: Dialog<string | undefined> = {
    lines: [
      `${paint('yellow', `${escapeControls(question.header)}:`)} ${escapeControls(question.question)}`,
      paint('dim', `  ${multiSelect ? 'numbers (1,2), ' : 'a number, '}your own words, or 0 for no answer`),
    ],
    choices: options.map(({ label, description }, index) => ({
      key: String(index + 1),
      text: `${paint('bold', escapeControls(label))}${description === undefined ? '' : `: ${escapeControls(description)}`}`,
    })),
    prompt: 'answer> ',
    takesWords: true,
    read: (line) => read(line.trim()),
  };

  function read(line: string): DialogAnswer<string | undefined> {
    if (line === '') return again(dialog, 'Type a number, or your own words.');
    if (line === '0') return answered(undefined);
    if (!/^\d+([\s,]+\d+)*$/.test(line)) return answered(line);
    const numbers = [...new Set(line.split(/[\s,]+/).map(Number))];
    const labels = numbers.map((number) => options[number - 1]?.label);
    if (labels.includes(undefined)) return again(dialog, `Type a number from 1 to ${options.length}.`);
    if (labels.length > 1 && !multiSelect) return again(dialog, 'Only one can be chosen.');
    return answered(labels.join(', '));
  }

  return dialog;
}

/** The tool name in the question of the sandbox gate. */
export const WITHOUT_SANDBOX_CHOICES = 'RunWithoutSandbox';

export function withoutSandboxDialog(
  { input, reason }: PermissionQuestion,
  { paint }: Style,
): Dialog<PermissionAnswer> {
  const { reason: why, install, command } = input;
  const lines = [
    `${paint('yellow', 'The sandbox cannot start:')} ${escapeControls(typeof why === 'string' ? why : reason)}`,
    ...(typeof install === 'string' ? [paint('dim', `  To fix it: ${escapeControls(install)}`)] : []),
    ...(typeof command === 'string'
      ? escapeControls(command)
          .split('\n')
          .map((line) => `  | ${line}`)
      : []),
    paint('yellow', 'Run commands without it in this session?'),
  ];
  return choiceDialog<PermissionAnswer>(
    lines,
    [
      {
        key: '1',
        text: 'yes, each after the usual questions',
        also: ['y', 'yes'],
        reply: () => answered({ allow: true }),
      },
      {
        key: '3',
        text: 'no, run no command',
        also: ['n', 'no'],
        reply: () =>
          answered({ allow: false, message: 'The user does not allow commands without the sandbox.' }),
      },
    ],
    { prompt: 'without? ', about: 'without the sandbox' },
  );
}
