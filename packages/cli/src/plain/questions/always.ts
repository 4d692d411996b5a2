/** What a yes for ever would remember: the exact rules with the file they go to, and what ends with the session. */
import { type PermissionAnswer, type PermissionUpdate, ruleText } from '@heddle/agent';
import type { Scope } from '@heddle/agent/settings';
import { harmless } from '../../terminal/harmless.ts';
import type { Style } from '../style.ts';
import { answered, type Choice } from './dialog.ts';

export interface AlwaysView {
  readonly style: Style;
  /** Where a scope's rules are written. */
  readonly fileOf: (scope: Scope) => string;
}

export function alwaysChoices(
  suggestions: readonly PermissionUpdate[],
  { fileOf, style }: AlwaysView,
): Choice<PermissionAnswer>[] {
  if (suggestions.length === 0) return [];
  const yes = (updates: readonly PermissionUpdate[]) => () => answered({ allow: true, updates });
  const isRule = ({ type }: PermissionUpdate): boolean => type === 'addRules';
  const rules = wordsFor(suggestions.filter(isRule));
  // A mode and folders end with the session, whatever file the rules go to.
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
    { key: '2', text: text(`this project (${harmless(fileOf('local'))})`), reply: yes(to('localSettings')) },
    { key: '2s', text: text('this session'), reply: yes(to('session')) },
    { key: '2u', text: text(`all projects (${harmless(fileOf('user'))})`), reply: yes(to('userSettings')) },
  ];
}

/** The same rule may be meant for several places. */
function wordsFor(updates: readonly PermissionUpdate[]): string {
  return [...new Set(updates.map(wordsOf))].join(', and ');
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
