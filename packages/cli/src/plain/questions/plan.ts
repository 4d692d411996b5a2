/** ExitPlanMode: the plan, and whether it is carried out. */
import type { PlanDecision } from '@heddle/tools';
import { harmless } from '../../terminal/harmless.ts';
import { Prose } from '../layout/prose.ts';
import type { Style } from '../style.ts';
import { answered, choiceDialog, type Dialog } from './dialog.ts';
import { keptFor, noBecause } from './no-because.ts';

export function planDialog(plan: string, style: Style, words = ''): Dialog<PlanDecision> {
  const { paint } = style;
  const refused = (feedback: string): PlanDecision => ({ approved: false, feedback });
  return choiceDialog<PlanDecision>(
    [
      paint('yellow', 'The plan:'),
      ...painted(harmless(plan), style).map((line) => `  | ${line}`),
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
      { key: '3', text: 'no, go on planning', also: ['n', 'no'], reply: () => answered({ approved: false }) },
      noBecause('no, and say what to change', 'change what? ', refused, words),
    ],
    {
      prompt: 'plan? ',
      about: 'carry out the plan',
      otherwise: (typed) => keptFor(typed, (kept) => planDialog(plan, style, kept)),
    },
  );
}

/** As an answer is; broken into rows where it is printed, because each needs its bar. */
function painted(text: string, style: Style): string[] {
  const prose = new Prose(style, () => Number.POSITIVE_INFINITY);
  return (prose.add(text) + prose.end()).split('\n');
}
