/** Finds the words of a configured command that an interpreter certainly runs. Such a file counts as a program, whatever its name is. */
import path from 'node:path';
import type { ConfiguredCommand } from '../permissions/named-files.ts';

/** Programs that run a file which their words name, also `awk -f x` and `make -f x`. */
const INTERPRETER =
  /^(\.|source|eval|exec|(ba|da|z|k|fi|a|c|tc)?sh|node(js)?|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua(jit)?|deno|bunx?|npx|pnpx|tsx|ts-node|Rscript|pwsh|expect|tclsh|osascript|java|groovy|[gmn]?awk|g?sed|[gb]?make|just|run-parts)$/;

/** The next word may be the value of such an option. */
const TAKES_VALUE = /^([-+]\w*[oOWXrIfFcC]|--[\w-]+)$/;

/** Variables with a file that a program runs at its start. */
const START_FILES = /^(BASH_ENV|ENV|ZDOTDIR|NODE_OPTIONS|PYTHONSTARTUP|RUBYOPT|PERL5OPT)=/;

/** Returns the last parts of their paths. */
export function programNames({ command, environment = {} }: ConfiguredCommand): ReadonlySet<string> {
  const text = textOf(command);
  const assigned = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  if (PIPED.test(text)) return new Set(wordsOf(text).flatMap(namesIn));
  const started = [...assigned, ...wordsOf(text)].filter((word) => START_FILES.test(word));
  return new Set([...started.flatMap(namesIn), ...text.split(/[;&|()`\n]+/).flatMap(operandsOf)]);
}

/** An interpreter reads the output of another program: `cat x | bash`. */
const PIPED =
  /\|\s*(?:(?:sudo|env|exec|\w+=[^\s|]*)\s+)*(?:[^\s|]*\/)?(?:(?:ba|da|z|k|fi)?sh|node|python[\d.]*|ruby|perl|php)\b/;

function textOf(command: ConfiguredCommand['command']): string {
  return typeof command === 'string' ? command : command.join(' ');
}

function wordsOf(text: string): readonly string[] {
  return text.replace(/(?<!<)<(?![<(])/g, ' < ').split(/[\s"'\\;&|()`]+/);
}

/** The parts of `--require=./x`, `BASH_ENV=x` and `x`. */
function namesIn(word: string): readonly string[] {
  return [word, ...word.split(/[=:,]/)].filter((part) => part !== '').map((part) => path.basename(part));
}

/** The values of options, the first operand and the input of each interpreter in a simple command. */
function operandsOf(part: string): readonly string[] {
  const found: string[] = [];
  const words = wordsOf(part);
  let isOpen = false;
  let hasInterpreter = false;
  for (const [at, word] of words.entries()) {
    const before = words[at - 1] ?? '';
    if (INTERPRETER.test(path.basename(word))) {
      isOpen = true;
      hasInterpreter = true;
    } else if (before === '<' && hasInterpreter) found.push(...namesIn(word));
    else if (isOpen && /^[-+]/.test(word)) found.push(...namesIn(word), word.slice(2));
    else if (isOpen && word !== '<' && !/^\w+=/.test(word)) {
      found.push(...namesIn(word));
      isOpen = TAKES_VALUE.test(before);
    }
  }
  return found;
}

export interface SelectedFiles {
  readonly folder: string;
  /** Receives a path relative to the folder. */
  readonly isSelected: (file: string) => boolean;
  readonly isDeep: boolean;
}

/** An interpreter runs a file of a variable or a pattern: `for f in checks/*; do . "$f"; done`. */
const RUNS_SELECTED =
  /(?:^|[\s;&|("'])(?:[^\s;&|("']*\/)?(?:\.|source|exec|(?:ba|da|z|k|fi)?sh|node|python[\d.]*|ruby|perl|php)\s+(?:-\S+\s+)*["']?(?:\$|[^\s;&|]*[*?[])/;

const PATTERN = /[*?[]/;

/** Returns the patterns of a text whose files an interpreter runs. Other programs take such files as data. */
export function globbedPattern({ command }: ConfiguredCommand): readonly SelectedFiles[] {
  const text = textOf(command);
  if (!PATTERN.test(text) || (!RUNS_SELECTED.test(text) && !PIPED.test(text))) return [];
  const patterns = wordsOf(text.replace(/\$\{?\w+\}?/g, '.')).filter((word) => PATTERN.test(word));
  return patterns.map((word) => {
    const folder = path.dirname(`${word.slice(0, word.search(PATTERN))}x`);
    const rest = path.relative(folder, word);
    const tested = new RegExp(
      `^${rest.replace(/\*\*+\/|\[[^\]]*\]?|\{[^}]*\}?|\*+|\?|[^\w/-]/g, asExpression)}$`,
    );
    return { folder, isSelected: (file) => tested.test(file), isDeep: rest.includes('/') };
  });
}

function asExpression(sign: string): string {
  if (sign.endsWith('/')) return '(.*/)?';
  if (sign.startsWith('**') || sign.startsWith('{')) return '.*';
  if (sign.startsWith('*')) return '[^/]*';
  return sign === '?' || sign.startsWith('[') ? '[^/]' : `\\${sign}`;
}
