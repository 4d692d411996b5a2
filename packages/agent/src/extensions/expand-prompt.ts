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
    parts.push(
      insert(file.body.slice(at, found.index)),
      lead,
      await outputOf(file, command.trim(), insert, run),
    );
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
  { shell }: LoadedPrompt,
  command: string,
  insert: (text: string) => string,
  run: RunPromptCommand,
): Promise<string> {
  let line = command;
  try {
    line = insertQuoted(command, insert, isPowerShell(shell) ? quoteForPowerShell : quoteForShell);
    return (await run(line)).replace(/\n$/, '');
  } catch (thrown) {
    return `[The command ${JSON.stringify(line)} failed: ${errorMessage(thrown)}]`;
  }
}

/** Returns whether the header of a file selects PowerShell. */
export function isPowerShell(shell: string | undefined): boolean {
  return shell?.toLowerCase() === 'powershell';
}

/** Quotes a value for its place in a command. `before` is the command up to this place. Undefined: the place has no variable. */
type QuoteAt = (value: string, before: string) => string | undefined;

/** An argument inside a command is text of the shell, whatever it contains. Throws if the shell might read it as code. */
function insertQuoted(command: string, insert: (text: string) => string, quote: QuoteAt): string {
  return command.replace(/\$(?:ARGUMENTS(?:\[\d+\])?|\d+)/g, (variable, at: number) => {
    const value = insert(variable);
    return value === variable ? variable : (quote(value, command.slice(0, at)) ?? variable);
  });
}

const quoteForShell: QuoteAt = (value, before) => {
  const inSingle = value.replaceAll("'", `'\\''`);
  switch (quotingAfter(before)) {
    case 'none':
      return `'${inSingle}'`;
    case 'single':
      return inSingle;
    case 'double':
      return value.replaceAll(/[\\$`"]/g, String.raw`\$&`);
    case 'escaped':
      return undefined;
    case 'unclear':
      throw new Error('an argument can only be a word of the command, or a part of a quoted text');
  }
};

/** In PowerShell, all of these are single quotes. */
const SINGLE_QUOTES = /['\u2018-\u201b]/g;

const quoteForPowerShell: QuoteAt = (value, before) => {
  if (/[^\w\s./\\:=,|;-]/.test(before)) throw new Error('an argument can only be a word of a plain command');
  return `'${value.replaceAll(SINGLE_QUOTES, '$&$&')}'`;
};

type Quoting = 'none' | 'single' | 'double' | 'escaped' | 'unclear';

/** Parts of a shell command without quotes. Comments end with their line. */
const PLAIN_PART =
  /\\[^]|<<<|\$\{\w+\}|(?<=^|[\s;&|(])#[^\n]*\n|[^\\'"`#$<(]|\$(?![{'"]|\(\()|<(?!<)|\((?!\()|(?<![\s;&|(]|^)#/y;
/** Parts of a text in double quotes. */
const QUOTED_PART = /\\[^]|\$\{\w+\}|[^\\"`$]|\$(?![{(])/y;

/** Returns the quotes that are open after the beginning of a shell command. Constructs that it does not know are unclear. */
function quotingAfter(beginning: string): Quoting {
  let at = 0;
  const skip = (part: RegExp): void => {
    for (part.lastIndex = at; part.test(beginning); part.lastIndex = at) at = part.lastIndex;
  };
  for (;;) {
    skip(PLAIN_PART);
    if (at === beginning.length) return 'none';
    const opened = beginning[at];
    if (opened === "'") {
      const end = beginning.indexOf("'", at + 1);
      if (end < 0) return 'single';
      at = end + 1;
    } else if (opened === '"') {
      at++;
      skip(QUOTED_PART);
      if (at === beginning.length) return 'double';
      if (beginning[at] !== '"') return isLoneBackslash(beginning, at) ? 'escaped' : 'unclear';
      at++;
    } else return isLoneBackslash(beginning, at) ? 'escaped' : 'unclear';
  }
}

function isLoneBackslash(text: string, at: number): boolean {
  return text[at] === '\\' && at === text.length - 1;
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
