/**
 * The permission question. It shows the call, the reason for the question, and the exact rule that stops further questions.
 * A second question asks where this rule applies.
 */
import {
  type PermissionAnswer,
  type PermissionQuestion,
  type PermissionUpdate,
  ruleText,
} from '@heddle/agent';
import { parseRule, type Scope } from '@heddle/agent/settings';
import { escapeControls, escapeLine } from '../../terminal/escape-controls.ts';
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
      ...alwaysChoices(question, view, () => build(most, words)),
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

/** A mode and folders apply only to the session, so they need no second question. */
function alwaysChoices(
  question: PermissionQuestion,
  view: PermissionView,
  back: () => Dialog<PermissionAnswer>,
): Choice<PermissionAnswer>[] {
  const { suggestions } = question;
  if (suggestions.length === 0) return [];
  const isRule = ({ type }: PermissionUpdate): boolean => type === 'addRules';
  const rules = wordsFor(suggestions.filter(isRule));
  const besides = wordsFor(suggestions.filter((update) => !isRule(update)));
  const { paint } = view.style;
  if (rules === '') {
    const reply = () => answered<PermissionAnswer>({ allow: true, updates: suggestions });
    return [{ key: '2', text: `yes, and ${paint('bold', besides)} in this session`, reply }];
  }
  const setting: AlwaysSetting = {
    rules,
    besides,
    about: aboutOf(question, view.cwd),
    to: (destination) => suggestions.map((update) => storedIn(update, destination)),
    back,
  };
  const more = besides === '' ? '' : `; and in this session ${besides}`;
  return [
    {
      key: '2',
      text: `yes, and don't ask again: ${paint('bold', rules)}${more}`,
      reply: () => ({ kind: 'more', dialog: scopeDialog(setting, view) }),
    },
    // Both answers at once.
    ...scopeChoices(setting, view, '2'),
  ];
}

/** The rules to store. */
interface AlwaysSetting {
  /** The rules as a settings file contains them. */
  readonly rules: string;
  /** The other changes, which apply to the session. */
  readonly besides: string;
  /** The call. */
  readonly about: string;
  readonly to: (destination: RuleScope) => readonly PermissionUpdate[];
  /** Returns the question before this one. */
  readonly back: () => Dialog<PermissionAnswer>;
}

function storedIn(update: PermissionUpdate, destination: RuleScope): PermissionUpdate {
  return update.type === 'addRules' ? { ...update, destination } : update;
}

type AddedRules = Extract<PermissionUpdate, { type: 'addRules' | 'replaceRules' | 'removeRules' }>;
type RuleScope = AddedRules['destination'];

/** Asks where the rules apply. Its keys are letters, so a number that was meant for the first question chooses nothing. */
function scopeDialog(setting: AlwaysSetting, view: AlwaysView): Dialog<PermissionAnswer> {
  const { rules, about, back } = setting;
  return choiceDialog(
    [`Allow it, and from now on ${view.style.paint('bold', rules)} in`],
    [
      ...scopeChoices(setting, view, ''),
      { key: 'b', text: 'back', reply: () => ({ kind: 'more', dialog: back() }) },
    ],
    { prompt: 'allow where? ', about },
  );
}

/** `before`: the key of the first question. Then the choices are shortcuts for both questions. */
function scopeChoices(
  setting: AlwaysSetting,
  view: AlwaysView,
  before: '' | '2',
): Choice<PermissionAnswer>[] {
  const { rules, besides, to } = setting;
  const hidden = before === '' ? {} : { isHidden: true as const };
  const choice = (key: string, where: string, destination: RuleScope): Choice<PermissionAnswer> => ({
    ...hidden,
    key: before + key,
    text: where,
    answer: `yes, and from now on ${rules} in ${where}${besides === '' ? '' : `; and in this session ${besides}`}`,
    reply: () => answered({ allow: true, updates: to(destination) }),
  });
  const fileOf = (scope: Scope): string => escapeLine(view.fileOf(scope));
  return [
    choice('p', `this project (${fileOf('local')})`, 'localSettings'),
    choice('s', 'this session', 'session'),
    choice('u', `all projects (${fileOf('user')})`, 'userSettings'),
    {
      ...hidden,
      key: `${before}e`,
      text: 'edit the rule first',
      reply: () => ({ kind: 'more', dialog: ruleDialog(setting, view) }),
    },
  ];
}

/** Asks for the rule. An empty or invalid one is asked for again. */
function ruleDialog(setting: AlwaysSetting, view: AlwaysView): Dialog<PermissionAnswer> {
  const dialog: Dialog<PermissionAnswer> = {
    lines: [
      'Edit the rule, and press Enter. Examples: Bash(npm run *), Edit(src/**), WebFetch(domain:example.com)',
    ],
    initial: setting.rules,
    prompt: 'rule> ',
    takesWords: true,
    read(line) {
      const parsed = parseRule(line, 'allow');
      if (!parsed.ok) return again(dialog, escapeControls(parsed.message));
      const { tool: toolName, specifier: ruleContent } = parsed;
      const rules = [ruleContent === undefined ? { toolName } : { toolName, ruleContent }];
      const edited: AlwaysSetting = {
        ...setting,
        rules: rules.map(ruleText).map(escapeLine).join(', '),
        besides: '',
        to: (destination) => [{ type: 'addRules', rules, behavior: 'allow', destination }],
      };
      return { kind: 'more', dialog: scopeDialog(edited, view) };
    },
  };
  return dialog;
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
      return update.rules.map(ruleText).map(escapeLine).join(', ');
    case 'setMode':
      return `allow all edits (mode ${update.mode})`;
    case 'addDirectories':
    case 'removeDirectories':
      return `allow changes in ${update.directories.map(escapeLine).join(', ')}`;
  }
}
