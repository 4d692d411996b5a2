/** Checks the flags whose values name folders, files and rules, and reads the prompts of files. */
import { readFileSync, statSync } from 'node:fs';
import { parseRule, readFileOrPipe } from '@heddle/agent/settings';
import { errorMessage } from '@heddle/core';
import type { PromptText, RunOptions } from '../arguments/arguments.ts';
import { promptHint } from '../arguments/list-flags.ts';

/** Returns the problem with a folder or file that a flag names, or undefined if there is none. */
export function wrongPlace({
  addDirs,
  settings,
  projectConfigRoot: root,
}: Pick<RunOptions, 'addDirs' | 'settings' | 'projectConfigRoot'>): string | undefined {
  if (root !== undefined && !isFolder(root)) return `--project-config-root: there is no folder ${root}`;
  const missing = addDirs.find((folder) => !isFolder(folder));
  if (missing !== undefined)
    return `--add-dir: there is no folder ${missing}${missing.includes(' ') ? `. ${promptHint('--add-dir')}` : ''}`;
  return settings === undefined ? undefined : wrongSettings(settings);
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

type PipedFlags = Pick<RunOptions, 'settings' | 'mcpConfig'>;
type PipesRead =
  | { readonly ok: true; readonly texts: PipedFlags }
  | { readonly ok: false; readonly message: string };

/** Returns the texts of pipes instead of their names, because a pipe can be read only once. Every other value stays. */
export function flagsFromPipes({ settings, mcpConfig }: PipedFlags): PipesRead {
  let flag = '--settings';
  try {
    const ownSettings = settings === undefined ? undefined : textOfPipe(settings);
    flag = '--mcp-config';
    return { ok: true, texts: { settings: ownSettings, mcpConfig: mcpConfig.map(textOfPipe) } };
  } catch (thrown) {
    return { ok: false, message: `${flag}: ${errorMessage(thrown)}` };
  }
}

/** Throws with the name of the pipe if it cannot be used. */
function textOfPipe(value: string): string {
  if (value.trimStart().startsWith('{') || statSync(value, { throwIfNoEntry: false })?.isFIFO() !== true)
    return value;
  try {
    const text = readFileOrPipe(value)
      .replace(/^\uFEFF/, '')
      .trim();
    if (!text.startsWith('{')) throw new Error('it does not contain a JSON object');
    JSON.parse(text);
    return text;
  } catch (thrown) {
    throw new Error(`${value} cannot be used: ${errorMessage(thrown)}`, { cause: thrown });
  }
}

/** The value is JSON, or names a file with JSON. */
function wrongSettings(value: string): string | undefined {
  const isJson = value.trimStart().startsWith('{');
  const file = isJson ? undefined : statSync(value, { throwIfNoEntry: false });
  if (!isJson && file === undefined) return `--settings: there is no file ${value}`;
  try {
    JSON.parse(isJson ? value : readFileSync(value, 'utf8').replace(/^\uFEFF/, ''));
    return undefined;
  } catch (thrown) {
    return `--settings: ${isJson ? 'it' : value} cannot be used: ${errorMessage(thrown)}`;
  }
}

/** Returns the problem with the rules of the command line, or undefined if there is none. */
export function wrongRule({
  allowedTools,
  disallowedTools,
}: Pick<RunOptions, 'allowedTools' | 'disallowedTools'>): string | undefined {
  const lists = [
    { flag: '--allowed-tools', list: 'allow', rules: allowedTools },
    { flag: '--disallowed-tools', list: 'deny', rules: disallowedTools },
  ] as const;
  for (const { flag, list, rules } of lists)
    for (const rule of rules) {
      const parsed = parseRule(rule, list);
      if (!parsed.ok) return `${flag}: ${parsed.message}`;
    }
  return undefined;
}

type PromptTexts =
  | { readonly ok: true; readonly own: string | undefined; readonly appended: string | undefined }
  | { readonly ok: false; readonly message: string };

/** The system prompts of the flags, as text or from files. */
export function promptTexts({
  systemPrompt,
  appendSystemPrompt,
}: Pick<RunOptions, 'systemPrompt' | 'appendSystemPrompt'>): PromptTexts {
  try {
    return { ok: true, own: readPrompt(systemPrompt), appended: readPrompt(appendSystemPrompt) };
  } catch (thrown) {
    return {
      ok: false,
      message: `the system prompt cannot be read: ${errorMessage(thrown)}`,
    };
  }
}

function readPrompt(prompt: PromptText | undefined): string | undefined {
  return prompt && 'file' in prompt ? readFileOrPipe(prompt.file) : prompt?.text;
}
