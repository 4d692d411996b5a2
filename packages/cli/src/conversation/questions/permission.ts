/**
 * The permission question. It shows the call, the reason for the question, and the exact rule that the answer "always"
 * stores, with its file.
 */
import {
  type PermissionAnswer,
  type PermissionQuestion,
  type PermissionUpdate,
  ruleText,
} from '@heddle/agent';
import { parseRule, type Scope } from '@heddle/agent/settings';
import { escapeControls } from '../../terminal/escape-controls.ts';
import type { Style } from '../../terminal/style.ts';
import {
  again,
  answered,
  type Choice,
  choiceDialog,
  type Dialog,
  keptFor,
  noBecause,
} from '../../terminal/dialog.ts';
import { aboutOf, type CallView, isHost, shownCall } from './shown-call.ts';

type PermissionView = CallView & AlwaysView;

/** More lines of a call are shown only after `?`. */
const MAX_LINES = 24;

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
      ...(isHost(question.tool) ? { ends: 'its command has ended' } : {}),
      otherwise: (typed) => keptFor(typed, (kept) => build(most, kept)),
    });
  };
  return build(MAX_LINES);
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

interface AlwaysView {
  readonly style: Style;
  /** The settings file of a scope. */
  readonly fileOf: (scope: Scope) => string;
}

function alwaysChoices(
  suggestions: readonly PermissionUpdate[],
  { fileOf, style }: AlwaysView,
): Choice<PermissionAnswer>[] {
  if (suggestions.length === 0) return [];
  const yes = (updates: readonly PermissionUpdate[]) => () => answered({ allow: true, updates });
  const isRule = ({ type }: PermissionUpdate): boolean => type === 'addRules';
  const rules = wordsFor(suggestions.filter(isRule));
  // A mode and folders apply only to the session, whichever file the rules go to.
  const besides = wordsFor(suggestions.filter((update) => !isRule(update)));
  const { paint } = style;
  if (rules === '')
    return [
      { key: '2', text: `yes, and ${paint('bold', besides)} in this session`, reply: yes(suggestions) },
    ];
  const to = (destination: PermissionUpdate['destination']): readonly PermissionUpdate[] =>
    suggestions.map((update) => (update.type === 'addRules' ? { ...update, destination } : update));
  const text = (where: string): string =>
    `yes, always: ${paint('bold', rules)}, ${where}${besides === '' ? '' : `; and in this session ${besides}`}`;
  return [
    {
      key: '2',
      text: text(`this project (${escapeControls(fileOf('local'))})`),
      reply: yes(to('localSettings')),
    },
    { key: '2s', text: text('this session'), reply: yes(to('session')) },
    {
      key: '2u',
      text: text(`all projects (${escapeControls(fileOf('user'))})`),
      reply: yes(to('userSettings')),
    },
    {
      key: '2e',
      text: 'yes, always: edit the rule first',
      reply: () => ({ kind: 'more', dialog: ruleDialog(rules, { fileOf, style }) }),
    },
  ];
}

/** Asks for the rule. An empty or invalid one is asked for again. */
function ruleDialog(rule: string, view: AlwaysView): Dialog<PermissionAnswer> {
  const dialog: Dialog<PermissionAnswer> = {
    lines: [
      'Edit the rule, and press Enter. Examples: Bash(npm run *), Edit(src/**), WebFetch(domain:example.com)',
    ],
    initial: rule,
    prompt: 'rule> ',
    takesWords: true,
    read(line) {
      const parsed = parseRule(line, 'allow');
      if (!parsed.ok) return again(dialog, escapeControls(parsed.message));
      const { tool: toolName, specifier: ruleContent } = parsed;
      const rules = [ruleContent === undefined ? { toolName } : { toolName, ruleContent }];
      return { kind: 'more', dialog: scopeDialog(rules, view) };
    },
  };
  return dialog;
}

type AddedRules = Extract<PermissionUpdate, { type: 'addRules' | 'replaceRules' | 'removeRules' }>;

function scopeDialog(rules: AddedRules['rules'], { fileOf, style }: AlwaysView): Dialog<PermissionAnswer> {
  const to = (destination: AddedRules['destination']) => () =>
    answered<PermissionAnswer>({
      allow: true,
      updates: [{ type: 'addRules', rules, behavior: 'allow', destination }],
    });
  const text = style.paint('bold', escapeControls(rules.map(ruleText).join(', ')));
  return choiceDialog(
    [`Allow this call, and from now on ${text} in`],
    [
      { key: '1', text: `this project (${escapeControls(fileOf('local'))})`, reply: to('localSettings') },
      { key: '2', text: 'this session', reply: to('session') },
      { key: '3', text: `all projects (${escapeControls(fileOf('user'))})`, reply: to('userSettings') },
    ],
    { prompt: 'where> ' },
  );
}

/** Lists the updates without duplicates, because several scopes may get the same rule. */
function wordsFor(updates: readonly PermissionUpdate[]): string {
  return [...new Set(updates.map(wordsOf))].join(', and ');
}

/** Formats an update like a settings file. */
function wordsOf(update: PermissionUpdate): string {
  switch (update.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      return update.rules.map(ruleText).map(escapeControls).join(', ');
    case 'setMode':
      return `allow all edits (mode ${update.mode})`;
    case 'addDirectories':
    case 'removeDirectories':
      return `allow changes in ${update.directories.map(escapeControls).join(', ')}`;
  }
}
