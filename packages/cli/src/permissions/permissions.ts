/** `heddle permissions`: explains decisions, and lists and changes the rules. */
import os from 'node:os';
import path from 'node:path';
import {
  addRuleTo,
  appliedSettings,
  doubtAboutPlace,
  findRuleDoubt,
  removeRuleFrom,
  trustFolder,
} from '@heddle/agent/settings';
import type { RuleList } from '@heddle/agent';
import { isRecord } from '@heddle/core';
import { UsageError } from '../arguments/list-flags.ts';
import { setVariables } from '../keys.ts';
import { escapeControls, escapeLine, jsonText } from '../terminal/escape-controls.ts';
import { misuse, warn, writeMessage } from '../terminal/write-message.ts';
import { type PermissionSetup, permissionSetup } from './setup.ts';
import { type PermissionsCommand, readPermissionsCommand } from './parse-command.ts';

const HELP = `heddle permissions explain [--json] 'COMMAND'            explains the decision about a command, without running it
heddle permissions explain [--json] TOOL INPUT         the same for any tool; INPUT is JSON, or a command, file or address
heddle permissions list [--json]                       lists the rules in effect here, and their sources
heddle permissions add allow|ask|deny RULE             --scope local (default), project or user
heddle permissions remove allow|ask|deny RULE          --scope local (default), project or user
heddle permissions test                                checks the examples of rules in settings files
heddle permissions trust [--revoke] [--json]           trusts this folder, so that its project settings take effect

explain, list and test also accept --permission-mode, --allowed-tools, --disallowed-tools, --settings,
--setting-sources and --add-dir.
`;

export async function permissionsCommand(argv: readonly string[]): Promise<number> {
  let command: PermissionsCommand;
  try {
    command = readPermissionsCommand(argv);
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    return misuse(thrown.message);
  }
  return run(command);
}

async function run(command: PermissionsCommand): Promise<number> {
  switch (command.name) {
    case 'help':
      print(HELP);
      return 0;
    case 'explain': {
      const [{ explainPermission }, { explanationText }] = await Promise.all([
        import('./explain.ts'),
        import('./explanation.ts'),
      ]);
      const setup = await permissionSetup(command.flags);
      setVariables(appliedSettings(setup.loaded).env);
      const explained = await explainPermission(command.tool, command.input, setup);
      if (command.json) {
        const { decision, rule, source, file, reason, parts, suggestions } = explained;
        const output = {
          decision,
          rule: rule ?? null,
          source: source ?? null,
          file: file ?? null,
          reason,
          parts,
          suggestions,
        };
        printJson({ ...output, notes: setup.notes });
      } else {
        setup.notes.forEach(warn);
        print(explanationText(explained));
      }
      return 0;
    }
    case 'list': {
      const setup = await permissionSetup(command.flags);
      if (command.json)
        printJson({
          mode: setup.mode,
          rules: setup.rules,
          directories: setup.directories,
          notes: setup.notes,
        });
      else {
        setup.notes.forEach(warn);
        print(listed(setup));
      }
      return 0;
    }
    case 'test':
      return test(await permissionSetup(command.flags), command.json);
    case 'add':
    case 'remove':
      return changeRules(command);
    case 'trust': {
      const done = trustFolder({ ...places(), cwd: process.cwd() }, command.trusted);
      if (!done.ok) return misuse(done.message);
      const { folder, coveredBy } = done;
      const { trustedParts, trustedPartsText } = await import('./trusted-parts.ts');
      const parts = command.trusted ? await trustedParts([process.cwd(), folder], places()) : undefined;
      if (command.json)
        printJson({
          folder,
          trusted: command.trusted,
          coveredBy: coveredBy ?? null,
          switchesOn: parts ?? null,
        });
      else {
        print(`${trustMessage(folder, command.trusted, coveredBy)}\n`);
        if (parts) print(`${trustedPartsText(parts)}\n`);
      }
      return 0;
    }
  }
}

function trustMessage(named: string, trusted: boolean, coveredBy: string | undefined): string {
  const folder = escapeLine(named);
  if (trusted) return `${folder} is trusted now, with its subfolders.`;
  if (coveredBy === undefined) return `${folder} is no longer trusted.`;
  return `${folder} is no longer trusted itself, but it is inside ${coveredBy}, which is trusted.`;
}

function changeRules({
  name,
  list,
  rule,
  scope,
}: Extract<PermissionsCommand, { name: 'add' | 'remove' }>): number {
  const change = name === 'add' ? addRuleTo : removeRuleFrom;
  const edited = change(scope, list, rule, { ...places(), cwd: process.cwd() });
  const { file } = edited;
  if (!edited.ok) return misuse(edited.message);
  const inUser = scope === 'user' ? doubtAboutPlace(rule, list, path.dirname(file)) : undefined;
  const doubt = name === 'add' ? (findRuleDoubt(rule, list) ?? inUser) : undefined;
  if (doubt !== undefined) warn(doubt);
  const done = name === 'add' ? 'added' : 'removed';
  print(
    edited.changed
      ? `${list} ${escapeLine(rule)}: ${done} (${scope}, ${file})\n`
      : `${list} ${escapeLine(rule)}: nothing to change (${scope}, ${file})\n`,
  );
  return edited.changed || name === 'add' ? 0 : 1;
}

/** The examples were checked when the files were loaded. The notes contain the failures. */
function test({ loaded, notes, doubts }: PermissionSetup, json: boolean): number {
  const examples = loaded.files.reduce((count, { settings }) => count + countExamples(settings), 0);
  const failed = notes.filter((note) => note.includes('its own example'));
  doubts.forEach(warn);
  if (json) printJson({ examples, failed, doubts });
  else print(`${failed.map((note) => `${note}\n`).join('')}${examples} examples, ${failed.length} failed\n`);
  return failed.length === 0 ? 0 : 1;
}

function countExamples(settings: unknown): number {
  const examples = field(field(settings, 'permissions'), 'examples');
  if (typeof examples !== 'object' || examples === null) return 0;
  return Object.values(examples).reduce<number>(
    (count, example) => count + size(example, 'match') + size(example, 'not_match'),
    0,
  );
}

function size(example: unknown, name: string): number {
  const list = field(example, name);
  return Array.isArray(list) ? list.length : 0;
}

function field(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function listed({ rules, mode, directories }: PermissionSetup): string {
  const lists: readonly RuleList[] = ['deny', 'ask', 'allow'];
  const lines = lists.flatMap((list) =>
    rules[list].map(
      ({ text, source, file }) =>
        `${list.padEnd(5)} ${escapeLine(text)}  (${source}${file === undefined ? '' : `, ${escapeLine(file)}`})`,
    ),
  );
  const folders = directories.map((folder) => `folder ${escapeLine(folder)}`);
  return `${[`mode ${mode}`, ...folders, ...lines, ...(lines.length === 0 ? ['no rules'] : [])].join('\n')}\n`;
}

function places() {
  return { home: os.homedir(), env: process.env };
}

/**
 * Rules, paths and commands come from files and models, so their control characters are escaped. A pipe may lead to a terminal
 * (`| less`, `| head`), so it makes no difference.
 */
function print(text: string): void {
  writeMessage(escapeControls(text));
}

/** JSON has its own escapes for these characters, so it keeps the exact texts. */
function printJson(value: unknown): void {
  writeMessage(`${jsonText(value, 2)}\n`);
}
