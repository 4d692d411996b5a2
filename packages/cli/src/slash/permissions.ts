/** `/mode` and `/permissions`. */
import type { PermissionUpdate, RuleList } from '@heddle/agent';
import type { PermissionMode } from '@heddle/core';
import { UsageError, splitRules } from '../arguments/list-flags.ts';
import { permissionsCommand } from '../permissions/permissions.ts';
import { readPermissionsCommand } from '../permissions/parse-command.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Chat } from './command.ts';

const MODES: Readonly<Record<PermissionMode, string>> = {
  default: 'asks before anything that is not allowed by a rule',
  acceptEdits: 'edits files in this folder without asking',
  plan: 'looks and plans, changes nothing',
  dontAsk: 'denies whatever would be asked',
  bypassPermissions: 'asks about nothing; deny and ask rules still hold',
};

export function mode(words: string, { started, say, style }: Chat): void {
  const { agent } = started;
  if (words === '') {
    const rows = Object.entries(MODES).map(([name, help]) => `  ${name.padEnd(18)} ${help}`);
    return say([`The mode is ${style.paint('bold', agent.permissionMode)}.`, ...rows].join('\n'));
  }
  const wanted = words === 'manual' ? 'default' : words;
  if (!isMode(wanted))
    return say(`There is no mode ${escapeControls(words)}. There are ${Object.keys(MODES).join(', ')}.`);
  if (!agent.setPermissionMode(wanted))
    return say('bypassPermissions must be allowed at the start: --allow-dangerously-skip-permissions');
  say(`The mode is ${wanted}: it ${MODES[wanted]}.`);
}

function isMode(word: string): word is PermissionMode {
  return Object.hasOwn(MODES, word);
}

export async function permissionsSlash(words: string, chat: Chat): Promise<void> {
  const [verb = 'list', list = '', ...rest] = words === '' ? [] : splitRules(words);
  if (verb === 'list') return say(chat);
  if (!chat.hasTerminal)
    return chat.say(`Use a shell to change the rules: heddle permissions ${escapeControls(words)}`);
  const wrong = wrongIn(splitRules(words));
  if (wrong !== undefined) return chat.say(escapeControls(wrong));
  if (verb !== 'add' && verb !== 'remove') {
    const code = await permissionsCommand(splitRules(words));
    if (verb === 'trust' && code === 0) chat.say('The change takes effect at the next start.');
    return;
  }
  const code = await permissionsCommand([verb, list, ...rest]);
  if (code === 0) applyNow(verb, list, rest, chat);
}

function wrongIn(words: readonly string[]): string | undefined {
  try {
    readPermissionsCommand(words);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof UsageError) return `/${thrown.message}`;
    throw thrown;
  }
}

/** Applies a rule that was written to a file to the running session, from its next decision on. */
function applyNow(
  verb: 'add' | 'remove',
  list: string,
  [rule = '', ...flags]: readonly string[],
  chat: Chat,
): void {
  const { rules } = chat.options;
  const [, toolName, ruleContent] = /^([^(]+)(?:\((.*)\))?$/s.exec(rule) ?? [];
  if (toolName === undefined || !isList(list)) return;
  const update: PermissionUpdate = {
    type: verb === 'add' ? 'addRules' : 'removeRules',
    rules: [ruleContent === undefined ? { toolName } : { toolName, ruleContent }],
    behavior: list,
    destination: DESTINATIONS[flags.at(-1) ?? ''] ?? 'localSettings',
  };
  rules.apply([update]);
}

const DESTINATIONS: Readonly<Record<string, PermissionUpdate['destination']>> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
};

function isList(word: string): word is RuleList {
  return word === 'allow' || word === 'ask' || word === 'deny';
}

function say({ options, started, say: print }: Chat): void {
  const { rules, directories } = options.rules;
  const lists: readonly RuleList[] = ['deny', 'ask', 'allow'];
  const lines = lists.flatMap((list) =>
    rules[list].map(
      ({ text, source, file }) =>
        `  ${list.padEnd(5)} ${escapeControls(text)}  (${source}${file === undefined ? '' : `, ${escapeControls(file)}`})`,
    ),
  );
  const folders = directories.map((folder) => `  folder ${escapeControls(folder)}`);
  const head = `The mode is ${started.agent.permissionMode}.`;
  print([head, ...folders, ...(lines.length > 0 ? lines : ['  There are no rules.'])].join('\n'));
}
