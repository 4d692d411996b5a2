/**
 * Returns the values in a text of settings as lines for the shell, whatever their keys are called: JSON with comments, YAML, TOML, and
 * lines `KEY = VALUE`. Only values of keys for data are left out, such as lists of files to exclude.
 */
import { isRecord } from '@heddle/core';
import { isDataKey, PAIR, parseWithComments, TABLE } from './commands-in-settings.ts';

/** Values of such keys are entries of `PATH`: `_.path` of mise, and its folders of tasks. */
const PATH_KEY = /^(?:_\.path|includes)$/;
const VARIABLE = /^[A-Z][A-Z\d_]*$/;

const MOST_DEPTH = 12;
const MOST_VALUES = 2000;
/** A list on several lines. */
const MOST_JOINED = 64;
/** Longer lines are generated. */
const MOST_LETTERS = 4096;
/** The name of a table is shorter. */
const MOST_OF_TABLE = 256;

export function valuesInSettings(text: string): string {
  const found: string[] = [];
  const parsed = parseWithComments(text);
  if (parsed === undefined) addLines(withJoinedLists(text).split('\n'), found);
  else addValues(parsed, found, 0);
  return found.slice(0, MOST_VALUES).join('\n');
}

function addValues(value: unknown, found: string[], depth: number): void {
  if (depth > MOST_DEPTH || found.length > MOST_VALUES) return;
  if (typeof value === 'string') found.push(value);
  else if (Array.isArray(value)) {
    found.push(textsOf(value).join(' '));
    for (const item of value) if (typeof item !== 'string') addValues(item, found, depth + 1);
  } else if (isRecord(value)) {
    const command = value['command'] ?? value['cmd'];
    const { args } = value;
    const isJoined = typeof command === 'string' && Array.isArray(args);
    if (isJoined) found.push([command, ...textsOf(args)].join(' '));
    for (const [key, item] of Object.entries(value)) {
      if (isJoined && (key === 'args' || item === command)) continue;
      if (typeof item === 'string' && VARIABLE.test(key)) found.push(`${key}="${item.replaceAll('"', '')}"`);
      else if (!isDataKey(key)) addValues(item, found, depth + 1);
    }
  }
}

function textsOf(values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === 'string');
}

/** Returns the text with each list on one line, also the items of `args:` in YAML. */
export function withJoinedLists(text: string): string {
  const joined: string[] = [];
  let open: 'list' | 'items' | undefined;
  let count = 0;
  for (const line of text.split('\n')) {
    const isItem = /^[ \t]*-[ \t]/.test(line);
    if (open === 'list' || (open === 'items' && isItem)) {
      const item = line.replace(/(?:^|[ \t])#[ \t].*/, '').trim();
      joined.push(`${joined.pop() ?? ''} ${open === 'items' ? `${item.slice(1).trim()},` : item}`);
      if (open === 'list' && (/\][ \t,]*$/.test(item) || ++count > MOST_JOINED)) open = undefined;
      continue;
    }
    if (open === 'items') joined.push(`${joined.pop() ?? ''}]`);
    const [, , key, value = ''] = PAIR.exec(line) ?? [];
    const plain = value.replace(/(?:^|[ \t])#[ \t].*/, '');
    open = /^\[[^\]]*$/.test(plain) ? 'list' : key === 'args' && plain === '' ? 'items' : undefined;
    count = 0;
    joined.push(
      open === 'list' ? line.replace(/[ \t]#[ \t].*/, '') : open === 'items' ? `${line.trimEnd()} [` : line,
    );
  }
  return open === 'items' ? `${joined.join('\n')}]` : joined.join('\n');
}

function addLines(lines: readonly string[], found: string[]): void {
  /** The indentation of a key for data whose values are on the next lines. */
  let data: number | undefined;
  let last = '';
  for (const line of lines) {
    const indent = line.search(/\S/);
    if (indent < 0 || line[indent] === '#' || line.length > MOST_LETTERS) continue;
    const isItem = /^[ \t]*-[ \t]/.test(line);
    if (data !== undefined && (indent > data || (indent === data && isItem))) continue;
    data = undefined;
    if (line.length <= MOST_OF_TABLE && TABLE.test(line) && !/^[ \t]*\[[ \t]*["']/.test(line)) continue;
    const [, before = '', key, value = ''] = PAIR.exec(line) ?? [];
    if (key === undefined) found.push(withoutBrackets(line.replace(/^[ \t]*-[ \t]+/, '')));
    else if (PATH_KEY.test(key))
      found.push(`PATH="${value.replace(/["'[\] \t]/g, '').replaceAll(',', ':')}"`);
    else if (VARIABLE.test(key)) found.push(`${key}="${value.replace(/["']/g, '')}"`);
    else if (isDataKey(key)) {
      if (/^(?:[|>][-+\d]*)?[ \t]*$/.test(value)) data = before.length;
    } else if (key === 'args') found.push(`${last} ${withoutBrackets(value)}`);
    else {
      last = withoutBrackets(value);
      found.push(last);
    }
  }
}

/** The words of a list on one line are those of a command. */
function withoutBrackets(value: string): string {
  return /^[ \t]*[[{]/.test(value) ? value.replace(/[[\]{},]/g, ' ') : value;
}
