/**
 * May this call run? The question shows the call as it would run, why it is asked about, and the exact rule that a yes for
 * ever would write, with the file it goes to.
 */
import type { PermissionAnswer, PermissionQuestion } from '@heddle/agent';
import { type AlwaysView, alwaysChoices } from './always.ts';
import { answered, type Choice, choiceDialog, type Dialog } from './dialog.ts';
import { keptFor, noBecause } from './no-because.ts';
import { aboutOf, type CallView, isHost, shownCall } from './shown.ts';

export type PermissionView = CallView & AlwaysView;

/** Lines of a call that are shown before `?` is needed. */
const SHOWN = 24;

export function permissionDialog(
  question: PermissionQuestion,
  view: PermissionView,
): Dialog<PermissionAnswer> {
  const build = (most: number, words = ''): Dialog<PermissionAnswer> => {
    const { lines, isCut } = shownCall(question, view, most);
    const all: Choice<PermissionAnswer> = {
      key: '?',
      text: 'show all of it',
      reply: () => ({ kind: 'more', dialog: build(Number.POSITIVE_INFINITY, words) }),
    };
    const choices = [
      ALLOW,
      ...alwaysChoices(question.suggestions, view),
      DENY,
      noBecause('no, and say why', 'why? ', because, words),
      ...(isCut ? [all] : []),
    ];
    return choiceDialog(lines, choices, {
      prompt: 'allow? ',
      about: aboutOf(question, view.cwd),
      ...(isHost(question.tool) ? { ends: 'the command that wanted it is over' } : {}),
      otherwise: (typed) => keptFor(typed, (kept) => build(most, kept)),
    });
  };
  return build(SHOWN);
}

const DENIED = 'The user denied this call.';

const ALLOW: Choice<PermissionAnswer> = {
  key: '1',
  text: 'yes',
  also: ['y', 'yes'],
  reply: () => answered({ allow: true }),
};
const DENY: Choice<PermissionAnswer> = {
  key: '3',
  text: 'no',
  also: ['n', 'no'],
  reply: () => answered({ allow: false, message: DENIED }),
};

function because(why: string): PermissionAnswer {
  return { allow: false, message: `${DENIED} They said: ${why}` };
}
