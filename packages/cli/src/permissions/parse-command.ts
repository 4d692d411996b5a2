/** Parses the arguments of `heddle permissions`. */
import { isJsonObject, type JsonObject, type PermissionMode } from '@heddle/core';
import type { RuleList } from '@heddle/agent';
import { type Scope, SCOPES, findRuleDoubt } from '@heddle/agent/settings';
import { type ListKind, UsageError, takeList } from '../arguments/list-flags.ts';
import { NO_FLAGS, type PermissionFlags } from './setup.ts';

export type PermissionsCommand =
  | {
      readonly name: 'explain';
      readonly tool: string;
      readonly input: JsonObject;
      readonly json: boolean;
      readonly flags: PermissionFlags;
    }
  | { readonly name: 'list' | 'test'; readonly json: boolean; readonly flags: PermissionFlags }
  | { readonly name: 'add' | 'remove'; readonly list: RuleList; readonly rule: string; readonly scope: Scope }
  | { readonly name: 'trust'; readonly trusted: boolean; readonly json: boolean }
  | { readonly name: 'help' };

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];
const LISTS: readonly RuleList[] = ['allow', 'ask', 'deny'];

/** Throws `UsageError` if the arguments are invalid. */
export function readPermissionsCommand(argv: readonly string[]): PermissionsCommand {
  const { words, values } = collect(argv);
  const [name, ...rest] = words;
  const json = values.has('--json');
  switch (name) {
    case 'explain': {
      const [tool, input, ...more] = rest;
      if (tool === undefined || more.length > 0 || (input === undefined && isToolName(tool)))
        throw new UsageError("permissions explain takes 'COMMAND' or TOOL INPUT_JSON");
      if (input === undefined)
        return { name, tool: 'Bash', input: { command: tool }, json, flags: flagsOf(values) };
      return { name, tool, input: bareInput(tool, input) ?? inputOf(input), json, flags: flagsOf(values) };
    }
    case 'list':
    case 'test':
      if (rest.length > 0) throw new UsageError(`permissions ${name} takes no arguments`);
      return { name, json, flags: flagsOf(values) };
    case 'add':
    case 'remove': {
      const [list, rule, ...more] = rest;
      if (list === undefined || rule === undefined || more.length > 0)
        throw new UsageError(`permissions ${name} takes allow|ask|deny RULE`);
      return {
        name,
        list: oneOf('the list', list, LISTS),
        rule,
        scope: oneOf('--scope', values.get('--scope')?.at(-1) ?? 'local', SCOPES),
      };
    }
    case 'trust':
      return { name, trusted: !values.has('--revoke'), json };
    case undefined:
    case 'help':
      return { name: 'help' };
    default:
      throw new UsageError(
        `permissions ${name} is not a command. Use explain, list, add, remove, test or trust.`,
      );
  }
}

/** The main argument of these tools, which the user may give without JSON. */
const BARE: Readonly<Record<string, string>> = {
  Bash: 'command',
  Read: 'file_path',
  Write: 'file_path',
  Edit: 'file_path',
  Glob: 'pattern',
  Grep: 'pattern',
  WebFetch: 'url',
};

function bareInput(tool: string, text: string): JsonObject | undefined {
  const field = Object.hasOwn(BARE, tool) ? BARE[tool] : undefined;
  return field === undefined || /^\s*[[{]/.test(text) ? undefined : { [field]: text };
}

const FLAGS: Readonly<Record<string, 'nothing' | 'value' | ListKind>> = {
  '--json': 'nothing',
  '--revoke': 'nothing',
  '--scope': 'value',
  '-s': 'value',
  '--permission-mode': 'value',
  '--allowed-tools': 'rules',
  '--allowedTools': 'rules',
  '--disallowed-tools': 'rules',
  '--disallowedTools': 'rules',
  '--settings': 'value',
  '--managed-settings': 'value',
  '--setting-sources': 'value',
  '--add-dir': 'folders',
};

const LONG: Readonly<Record<string, string>> = {
  '-s': '--scope',
  '--allowedTools': '--allowed-tools',
  '--disallowedTools': '--disallowed-tools',
};

type Values = ReadonlyMap<string, readonly string[]>;

function collect(argv: readonly string[]): { readonly words: readonly string[]; readonly values: Values } {
  const words: string[] = [];
  const values = new Map<string, string[]>();
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') {
      words.push(...argv.slice(at + 1));
      break;
    }
    // A JSON input or a rule never starts with a dash, so any other word is positional.
    if (!word.startsWith('-')) {
      words.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    const takes = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
    if (takes === undefined) throw new UsageError(`unknown flag ${name}. See heddle permissions help.`);
    const key = LONG[name] ?? name;
    const inline = equals < 0 ? undefined : word.slice(equals + 1);
    if (takes === 'nothing' || takes === 'value') {
      const value = takes === 'nothing' ? '' : (inline ?? argv[++at]);
      if (value === undefined) throw new UsageError(`${name} needs a value`);
      values.set(key, [...(values.get(key) ?? []), value]);
      continue;
    }
    const taken = takeList(name, takes, argv, at, inline);
    values.set(key, [...(values.get(key) ?? []), ...taken.items]);
    ({ at } = taken);
  }
  return { words, values };
}

function flagsOf(values: Values): PermissionFlags {
  const last = (name: string) => values.get(name)?.at(-1);
  const mode = last('--permission-mode');
  const sources = last('--setting-sources');
  return {
    ...NO_FLAGS,
    permissionMode:
      mode === undefined
        ? undefined
        : oneOf('--permission-mode', mode === 'manual' ? 'default' : mode, MODES),
    allowedTools: values.get('--allowed-tools') ?? [],
    disallowedTools: values.get('--disallowed-tools') ?? [],
    addDirs: values.get('--add-dir') ?? [],
    settings: last('--settings'),
    managedSettings: last('--managed-settings'),
    settingSources: sources
      ?.split(',')
      .filter(Boolean)
      .map((source) => oneOf('--setting-sources', source.trim(), SCOPES)),
  };
}

/** A single word that is the name of a tool is not meant as a command. */
function isToolName(word: string): boolean {
  return /^(mcp__\w+|[A-Z]\w*)$/.test(word) && findRuleDoubt(word, 'deny') === undefined;
}

function inputOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw new UsageError('permissions explain takes the input as a JSON object');
}

function oneOf<T extends string>(what: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (!found) throw new UsageError(`${what} is one of ${allowed.join(', ')}, not ${value}`);
  return found;
}
