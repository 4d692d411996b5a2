/**
 * May this call run? The question shows the call as it would run, why it is asked about, and the exact rule that a yes for
 * ever would write, with the file it goes to.
 */
import type { PermissionAnswer, PermissionQuestion, PermissionUpdate } from '@heddle/agent';
import type { Scope } from '@heddle/agent/settings';
import { harmless } from '../../terminal/harmless.ts';
import { nameOf, nearPath } from '../render/call.ts';
import type { Style } from '../style.ts';
import { changeLines } from './change.ts';
import { answered, type Choice, choiceDialog, type Dialog, textDialog } from './dialog.ts';

export interface PermissionView {
  readonly style: Style;
  readonly cwd: string;
  /** The file that would be changed, as it is now; undefined where there is none. */
  readonly current?: string | undefined;
  /** Where a scope's rules are written. */
  readonly fileOf: (scope: Scope) => string;
}

/** Lines of an input that are shown before `?` is needed. */
const SHOWN = 24;

export function permissionDialog(
  question: PermissionQuestion,
  view: PermissionView,
): Dialog<PermissionAnswer> {
  const build = (most: number): Dialog<PermissionAnswer> => {
    const { lines, hidden } = shownLines(question, view, most);
    const all: Choice<PermissionAnswer>[] = hidden
      ? [
          {
            key: '?',
            text: 'show all of it',
            reply: () => ({ kind: 'more', dialog: build(Number.POSITIVE_INFINITY) }),
          },
        ]
      : [];
    return choiceDialog(lines, [...choicesOf(question, view), ...all], 'allow? ');
  };
  return build(SHOWN);
}

function shownLines(
  question: PermissionQuestion,
  view: PermissionView,
  most: number,
): { readonly lines: string[]; readonly hidden: boolean } {
  const { tool, input, reason, agentId } = question;
  const { paint, signs } = view.style;
  const who = agentId === undefined ? '' : ` (agent ${harmless(agentId)})`;
  const file = input['file_path'];
  const path = typeof file === 'string' ? ` ${harmless(nearPath(file, view.cwd))}` : '';
  const change = changeLines(tool, input, view.current, view.style, most);
  const whole = change ?? inputLines(question);
  const hidden =
    whole.length > most || (change !== undefined && change.some((line) => line.includes('? shows all')));
  const shown = change ?? whole.slice(0, most);
  const body = shown.map((line) => `  | ${line}`);
  const rest =
    change === undefined && hidden
      ? [`  | ${paint('dim', signs.more)} ${whole.length - most} more lines`]
      : [];
  return {
    lines: [
      paint('yellow', `${titleOf(tool)}${who}`) + path,
      ...body,
      ...rest,
      paint('dim', `  ${harmless(reason)}`),
      ...partLines(question, view.style),
    ],
    hidden,
  };
}

/** The sandbox asks about hosts as if they were a tool. */
function titleOf(tool: string): string {
  return tool === 'SandboxNetworkAccess' ? 'May the command reach this host?' : `May ${nameOf(tool)} run?`;
}

/** A command as it is; anything else as the fields of its input. */
function inputLines({ input }: PermissionQuestion): string[] {
  const { command, ...rest } = input;
  if (typeof command === 'string') {
    const about = Object.entries(rest).filter(([name]) => name !== 'description');
    return [...harmless(command).split('\n'), ...about.map(([name, value]) => fieldLine(name, value))];
  }
  return Object.entries(input).flatMap(([name, value]) => fieldLine(name, value).split('\n'));
}

function fieldLine(name: string, value: unknown): string {
  return `${harmless(name)}: ${harmless(typeof value === 'string' ? value : JSON.stringify(value))}`;
}

const MARKS = { allow: '+', ask: '?', deny: '-' } as const;

/** Where a call has one part only, that part is the call itself. */
function partLines({ parts }: PermissionQuestion, { paint }: Style): string[] {
  if (parts.length < 2) return [];
  return parts.map(({ decision, part, reason }) =>
    paint('dim', `  ${MARKS[decision]} ${harmless(part)}: ${harmless(reason)}`),
  );
}

function choicesOf(question: PermissionQuestion, view: PermissionView): Choice<PermissionAnswer>[] {
  return [
    { key: '1', text: 'yes', also: ['y', 'yes'], reply: () => answered({ allow: true }) },
    ...alwaysChoices(question.suggestions, view),
    { key: '3', text: 'no', also: ['n', 'no'], reply: () => answered({ allow: false, message: DENIED }) },
    {
      key: '4',
      text: 'no, and say why',
      reply: (why) =>
        why === '' ? { kind: 'more', dialog: textDialog('why? ', because) } : answered(because(why)),
    },
  ];
}

const DENIED = 'The user denied this call.';

function because(why: string): PermissionAnswer {
  return { allow: false, message: `${DENIED} They said: ${why}` };
}

function alwaysChoices(
  suggestions: readonly PermissionUpdate[],
  { fileOf, style }: PermissionView,
): Choice<PermissionAnswer>[] {
  if (suggestions.length === 0) return [];
  // The same rule may be meant for several places.
  const what = style.paint('bold', [...new Set(suggestions.map(wordsOf))].join(', and '));
  const yes = (updates: readonly PermissionUpdate[]) => () => answered({ allow: true, updates });
  const rules = suggestions.filter((update) => update.type === 'addRules');
  // A mode and folders end with the session, whatever file is named.
  if (rules.length === 0)
    return [{ key: '2', text: `yes, and ${what} in this session`, reply: yes(suggestions) }];
  const to = (destination: PermissionUpdate['destination']): readonly PermissionUpdate[] =>
    suggestions.map((update) => (update.type === 'addRules' ? { ...update, destination } : update));
  return [
    {
      key: '2',
      text: `yes, always: ${what}, this project (${harmless(fileOf('local'))})`,
      reply: yes(to('localSettings')),
    },
    { key: '2s', text: `yes, always: ${what}, this session`, reply: yes(to('session')) },
    {
      key: '2u',
      text: `yes, always: ${what}, all projects (${harmless(fileOf('user'))})`,
      reply: yes(to('userSettings')),
    },
  ];
}

/** The update in the words of the settings file. */
function wordsOf(update: PermissionUpdate): string {
  switch (update.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      return update.rules.map(ruleText).map(harmless).join(', ');
    case 'setMode':
      return `allow all edits (mode ${update.mode})`;
    case 'addDirectories':
    case 'removeDirectories':
      return `allow changes in ${update.directories.map(harmless).join(', ')}`;
  }
}

export function ruleText({
  toolName,
  ruleContent,
}: {
  readonly toolName: string;
  readonly ruleContent?: string;
}): string {
  return ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
}
