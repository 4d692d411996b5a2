/** The body of a skill or command with its arguments, command output and variables filled in. */
import { errorMessage } from '@heddle/core';
import type { LoadedPrompt } from './prompt-file.ts';

export interface PromptArguments {
  /** Everything after the command's name, as typed. */
  readonly text: string;
  readonly sessionId: string;
  readonly effort?: string | undefined;
}

/** Runs a command of the prompt and returns its output. A rejection becomes text in the prompt. */
export type RunPromptCommand = (command: string) => Promise<string>;

/**
 * Returns the prompt's text.
 * - Arguments are inserted as they are: a command in an argument never runs.
 * - Commands run in the order of the text, before any argument is inserted, so their text comes from the file alone.
 */
export async function expandPrompt(
  file: LoadedPrompt,
  given: PromptArguments,
  run: RunPromptCommand,
): Promise<string> {
  const values = argumentValues(file, given);
  let usesArguments = false;
  const insert = (text: string): string =>
    text.replace(VARIABLE, (whole, escaped: string | undefined) => {
      if (escaped !== undefined) return escaped;
      const value = values(whole);
      if (value === undefined) return whole;
      if (!whole.startsWith('${')) usesArguments = true;
      return value;
    });
  const parts: string[] = [];
  let at = 0;
  for (const found of file.body.matchAll(COMMAND)) {
    const command = found.groups?.['block'] ?? found.groups?.['inline'] ?? '';
    const lead = found.groups?.['lead'] ?? '';
    parts.push(insert(file.body.slice(at, found.index)), lead, await outputOf(command.trim(), insert, run));
    at = found.index + found[0].length;
  }
  parts.push(insert(file.body.slice(at)));
  const text = parts.join('').trim();
  const rest = given.text.trim();
  return usesArguments || rest === '' ? text : `${text}\n\nARGUMENTS: ${rest}`;
}

/** `` !`command` `` after a space or at the start of a line, or a code block with the language `!`. */
const COMMAND = /(?<lead>^|\s)(?:```!\s*\n(?<block>[\s\S]*?)\n```|!`(?<inline>[^`\n]+)`)/g;
const VARIABLE =
  /\\(\$)|\$\{CLAUDE_(?:SESSION_ID|SKILL_DIR|EFFORT|PLUGIN_ROOT)\}|\$ARGUMENTS(?:\[\d+\])?|\$\d+|\$[A-Za-z_]\w*/g;

async function outputOf(
  command: string,
  insert: (text: string) => string,
  run: RunPromptCommand,
): Promise<string> {
  const line = insertQuoted(command, insert);
  try {
    return (await run(line)).replace(/\n$/, '');
  } catch (thrown) {
    return `[The command ${JSON.stringify(line)} failed: ${errorMessage(thrown)}]`;
  }
}

/** An argument inside a command is one word of the shell, whatever it contains. */
function insertQuoted(command: string, insert: (text: string) => string): string {
  return command.replace(/\$(?:ARGUMENTS(?:\[\d+\])?|\d+)/g, (variable) => {
    const value = insert(variable);
    return value === variable ? variable : `'${value.replaceAll("'", `'\\''`)}'`;
  });
}

function argumentValues(file: LoadedPrompt, { text, sessionId, effort }: PromptArguments) {
  const words = splitArguments(text);
  const names = new Map(file.argumentNames.map((name, at) => [name, at]));
  return (variable: string): string | undefined => {
    switch (variable) {
      case '${CLAUDE_SESSION_ID}':
        return sessionId;
      case '${CLAUDE_SKILL_DIR}':
        return file.folder;
      case '${CLAUDE_PLUGIN_ROOT}':
        return file.pluginFolder;
      case '${CLAUDE_EFFORT}':
        return effort ?? '';
      case '$ARGUMENTS':
        return text.trim();
    }
    const [, index] = /^\$(?:ARGUMENTS\[)?(\d+)\]?$/.exec(variable) ?? [];
    if (index !== undefined) return words[Number(index)] ?? '';
    const at = names.get(variable.slice(1));
    return at === undefined ? undefined : (words[at] ?? '');
  };
}

/** Splits like a shell: quotes keep words together and are removed. */
export function splitArguments(text: string): readonly string[] {
  const words = text.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g,
      (_, double?: string, single?: string, escaped?: string) =>
        double === undefined ? (single ?? escaped ?? '') : double.replace(/\\(["\\$`])/g, '$1'),
    ),
  );
}
