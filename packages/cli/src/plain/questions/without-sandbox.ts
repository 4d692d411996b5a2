/** The sandbox cannot start: do commands run without it? One answer for the whole session. */
import type { PermissionAnswer, PermissionQuestion } from '@heddle/agent';
import { harmless } from '../../terminal/harmless.ts';
import type { Style } from '../style.ts';
import { answered, choiceDialog, type Dialog } from './dialog.ts';

/** The gate asks as if it were a tool. */
export const WITHOUT_SANDBOX = 'RunWithoutSandbox';

export function withoutSandboxDialog(
  { input, reason }: PermissionQuestion,
  { paint }: Style,
): Dialog<PermissionAnswer> {
  const { reason: why, install, command } = input;
  const lines = [
    `${paint('yellow', 'The sandbox cannot start:')} ${harmless(typeof why === 'string' ? why : reason)}`,
    ...(typeof install === 'string' ? [paint('dim', `  To mend it: ${harmless(install)}`)] : []),
    ...(typeof command === 'string'
      ? harmless(command)
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
        reply: () => answered({ allow: false, message: 'The user wants no command without the sandbox.' }),
      },
    ],
    { prompt: 'without? ', about: 'without the sandbox' },
  );
}
