/** Updates as a host sends them: checked before anything is changed. */
import type { PermissionMode } from '@heddle/core';
import type { PermissionUpdate } from './live.ts';
import type { RuleList } from './rules/rule.ts';

const LISTS: readonly RuleList[] = ['allow', 'ask', 'deny'];
const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];
const DESTINATIONS: readonly PermissionUpdate['destination'][] = [
  'userSettings',
  'projectSettings',
  'localSettings',
  'session',
  'cliArg',
];

/** What is not an update is left out. */
export function permissionUpdates(value: unknown): PermissionUpdate[] {
  return Array.isArray(value) ? value.flatMap((item: unknown) => updateOf(item) ?? []) : [];
}

function updateOf(item: unknown): PermissionUpdate | undefined {
  const type = field(item, 'type');
  const destination = oneOf(DESTINATIONS, field(item, 'destination'));
  if (destination === undefined) return undefined;
  switch (type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules': {
      const behavior = oneOf(LISTS, field(item, 'behavior'));
      const rules = field(item, 'rules');
      if (behavior === undefined || !Array.isArray(rules)) return undefined;
      return { type, behavior, destination, rules: rules.flatMap((rule: unknown) => ruleOf(rule) ?? []) };
    }
    case 'setMode': {
      const mode = oneOf(MODES, field(item, 'mode'));
      return mode && { type, mode, destination };
    }
    case 'addDirectories':
    case 'removeDirectories': {
      const folders = field(item, 'directories');
      if (!Array.isArray(folders)) return undefined;
      const directories = folders.filter((folder: unknown): folder is string => typeof folder === 'string');
      return { type, directories, destination };
    }
    default:
      return undefined;
  }
}

function ruleOf(rule: unknown): { readonly toolName: string; readonly ruleContent?: string } | undefined {
  const toolName = field(rule, 'toolName');
  const ruleContent = field(rule, 'ruleContent');
  if (typeof toolName !== 'string' || toolName === '') return undefined;
  return typeof ruleContent === 'string' ? { toolName, ruleContent } : { toolName };
}

function oneOf<T>(allowed: readonly T[], value: unknown): T | undefined {
  return allowed.find((candidate) => candidate === value);
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
