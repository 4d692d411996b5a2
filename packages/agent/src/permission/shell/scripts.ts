/**
 * Reads the scripts in the arguments, the input and the variables of a command. A script that cannot be parsed, or that is
 * not in the command, is reported as unknown: a deny or ask rule may concern its commands.
 */
import { type ReadCommand, readCommand, type ShellWord, type SimpleCommand } from '@heddle/tools/shell';
import { findSyntaxDoubt } from './doubts.ts';
import { commandWords, runsElsewhere } from './runners.ts';
import { expandsInput, findScriptTexts, type ScriptTexts, type ScriptUse } from './script-texts.ts';
import { setsVariablesElsewhere } from './shell-state.ts';

/** A script that can be parsed. */
export interface Script {
  readonly text: string;
  readonly read: Extract<ReadCommand, { ok: true }>;
  readonly use: ScriptUse;
  /** No shell expands the text before it runs, and nothing outside of it sets variables that are not mentioned there. */
  readonly isSeparate: boolean;
}

export interface Embedded {
  readonly scripts: readonly Script[];
  /** A script could not be parsed. */
  readonly isUnknown: boolean;
  /** Scripts that a shell certainly runs, and that are not understood completely. */
  readonly unclear: readonly Unclear[];
}

export interface Unclear {
  readonly text: string;
  readonly reason: string;
  /** Nothing in it was looked at. */
  readonly isUnread?: boolean;
}

const DEEPEST = 3;
/** The number of commands in all scripts of one command. More take too long to decide. */
const MOST_COMMANDS = 200;

/** `bash -c '…'`, `eval …`, `bash <<< '…'`, `PAGER='…' git log`. */
export function findEmbeddedScripts(command: SimpleCommand, words = commandWords(command)): Embedded {
  const known = embedded.get(words)?.get(command) ?? scriptsIn(command, words, 0);
  embedded.set(words, (embedded.get(words) ?? new WeakMap<SimpleCommand, Embedded>()).set(command, known));
  return known;
}

/** Cached, because one decision asks for the same scripts several times. */
const embedded = new WeakMap<readonly ShellWord[], WeakMap<SimpleCommand, Embedded>>();

function scriptsIn(command: SimpleCommand, words: readonly ShellWord[], depth: number): Embedded {
  const found = findScriptTexts(command, words);
  if (depth >= DEEPEST) return unreadScripts(found, words);
  const isSeparate = words.every(({ kind }) => kind === 'literal') && !expandsInput(command.redirections);
  const scripts: Script[] = [];
  const unclear: Unclear[] = found.strange.map((text) => ({
    text,
    reason: 'options of a shell that are not known',
  }));
  let { isUnknown } = found;
  let count = 0;
  for (const [text, use] of found.texts) {
    const read = readCommand(text);
    const reason = read.ok ? (read.strange ?? findSyntaxDoubt(text)?.reason) : read.reason;
    if (reason !== undefined && isSeparate && use === 'run') unclear.push({ text, reason });
    count += read.ok ? read.commands.length : 0;
    if (!read.ok || count > MOST_COMMANDS) {
      isUnknown = true;
      continue;
    }
    isUnknown ||= reason !== undefined;
    if (read.commands.length === 0 && read.redirections.length === 0) continue;
    scripts.push({ text, read, use, isSeparate });
    const isClosed = isSeparate && !read.commands.some(setsVariablesElsewhere);
    for (const inner of read.commands) {
      const deeper = scriptsIn(inner, commandWords(inner), depth + 1);
      scripts.push(...deeper.scripts.map((script) => (isClosed ? script : { ...script, isSeparate: false })));
      unclear.push(...deeper.unclear);
      isUnknown ||= deeper.isUnknown;
    }
  }
  return { scripts, isUnknown, unclear };
}

/** Scripts inside too many others are not looked at. */
function unreadScripts({ texts, strange, isUnknown }: ScriptTexts, words: readonly ShellWord[]): Embedded {
  const unread = runsElsewhere(words) ? [] : [...texts.keys(), ...strange];
  const reason = 'too many scripts inside each other';
  return {
    scripts: [],
    isUnknown: isUnknown || texts.size > 0,
    unclear: unread.map((text) => ({ text, reason, isUnread: true })),
  };
}

export function commandsIn(scripts: readonly Script[]): readonly SimpleCommand[] {
  return scripts.flatMap(({ read }) => read.commands);
}

/** Returns the commands of a text, if it can be parsed as a script. */
export function parseScriptText(text: string): readonly SimpleCommand[] | undefined {
  const read = readCommand(text);
  return read.ok && read.commands.length > 0 && read.commands.length <= MOST_COMMANDS
    ? read.commands
    : undefined;
}
