/**
 * Searches without ripgrep: slower, with the same results. It uses JavaScript expressions, which differ in
 * rare cases.
 */
import type { Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { createContext, isContext, Script } from 'node:vm';
import { isRecord } from '@heddle/core';
import { OPEN_FOR_READING } from '../files/content.ts';
import { pinFile, type PinnedFile, PinnedFolder, requireSame } from '../files/pinned.ts';
import { type FilePattern, filePattern } from './file-pattern.ts';
import { IgnoreRules } from './ignore-rules.ts';
import {
  CUT_LINE,
  type FileMatches,
  type FileQuery,
  MAX_COLUMNS,
  type SearchEngine,
  type TextQuery,
} from './query.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Larger files are data. */
const LARGEST_FILE = 64 * 1024 * 1024;
const AT_ONCE = 16;

export class WalkEngine implements SearchEngine {
  async files(query: FileQuery, signal: AbortSignal): Promise<{ names: string[]; isCut: boolean }> {
    return { names: await this.#names(query, signal), isCut: false };
  }

  async #names(query: FileQuery, signal: AbortSignal): Promise<string[]> {
    if (query.file !== undefined) return [query.file];
    const type = query.type === undefined ? undefined : patternOfType(query.type);
    const found: string[] = [];
    const walk = async (folder: string, above: IgnoreRules): Promise<void> => {
      signal.throwIfAborted();
      const entries = await entriesOf(folder);
      const hasRules = entries.some((entry) => entry.name.endsWith('ignore'));
      const rules = hasRules ? await above.entering(folder) : above;
      for (const entry of entries) {
        const file = path.join(folder, entry.name);
        if (entry.name === '.git' || rules.ignores(file, entry.isDirectory())) continue;
        if (entry.isDirectory()) await walk(file, rules);
        else if (entry.isFile()) {
          const name = path.relative(query.root, file).replaceAll(path.sep, '/');
          if ((query.pattern?.matches(name) ?? true) && (type?.matches(name) ?? true)) found.push(name);
        }
      }
    };
    await walk(query.root, await IgnoreRules.above(query.root));
    return found;
  }

  async search(query: TextQuery, signal: AbortSignal): Promise<{ matches: FileMatches[]; isCut: boolean }> {
    const expression = compileExpression(query);
    const files = await this.#names(query, signal);
    const matches: FileMatches[] = [];
    let bytes = 0;
    for (let at = 0; at < files.length && bytes <= MAX_BYTES; at += AT_ONCE) {
      signal.throwIfAborted();
      const batch = files.slice(at, at + AT_ONCE);
      const texts = await Promise.all(batch.map((name) => textOf(path.join(query.root, name))));
      for (const match of runWithinTime(() => searchAll(batch, texts, expression, query), charsOf(texts))) {
        matches.push(match);
        for (const line of match.lines) bytes += line.length;
      }
      await breathe();
    }
    return { matches, isCut: bytes > MAX_BYTES };
  }
}

function searchAll(
  names: readonly string[],
  texts: readonly (string | undefined)[],
  expression: RegExp,
  query: TextQuery,
): FileMatches[] {
  return names.flatMap((path, index) => {
    const text = texts[index];
    const match = text === undefined ? undefined : searchText(text, expression, query);
    return match === undefined ? [] : [{ path, ...match }];
  });
}

function charsOf(texts: readonly (string | undefined)[]): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

/** `folder` is a real path: one that became a link has no entries. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const pinned = PinnedFolder.open(folder);
    try {
      return await readdir(pinned.at('.'), { withFileTypes: true });
    } finally {
      pinned.close();
    }
  } catch {
    return [];
  }
}

/**
 * Returns undefined for files that are not text or cannot be read. `file` is a real path: a link in it is
 * not followed.
 */
async function textOf(file: string): Promise<string | undefined> {
  try {
    const pinned = pinFile(file);
    try {
      return pinned.about.isFile() ? await textIn(pinned) : undefined;
    } finally {
      pinned.close();
    }
  } catch {
    return undefined;
  }
}

async function textIn(pinned: PinnedFile): Promise<string | undefined> {
  const handle = await open(pinned.path, OPEN_FOR_READING | pinned.flags);
  try {
    const about = await handle.stat();
    requireSame(pinned, about);
    if (about.size > LARGEST_FILE) return undefined;
    const bytes = await handle.readFile();
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le');
    if (bytes.includes(0)) return undefined;
    return bytes.toString('utf8').replace(/^\ufeff/, '');
  } finally {
    await handle.close();
  }
}

/** Throws if the expression is invalid. */
export function compileExpression({ expression, ignoreCase, multiline }: TextQuery): RegExp {
  const [, letters = ''] = /^\(\?([imsx]+)\)/.exec(expression) ?? [];
  const source = posix(letters === '' ? expression : expression.slice(letters.length + 3));
  const flags = new Set(`gm${letters.replace('x', '')}`.split(''));
  if (ignoreCase) flags.add('i');
  if (multiline) flags.add('s');
  const shared = [...flags].join('');
  try {
    return new RegExp(source, `${shared}u`);
  } catch {
    // Without `u` more escapes are allowed, as in ripgrep.
    return new RegExp(source, shared);
  }
}

export function searchText(
  text: string,
  expression: RegExp,
  query: TextQuery,
): Omit<FileMatches, 'path'> | undefined {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const matched = query.multiline
    ? linesOfMatches(text, expression)
    : matchingLines(lines, expression, query);
  if (matched.length === 0) return undefined;
  if (query.mode !== 'content') return { count: matched.length, lines: [] };
  return { count: matched.length, lines: shown(lines, matched, query) };
}

function matchingLines(lines: readonly string[], expression: RegExp, { mode }: TextQuery): number[] {
  const matched: number[] = [];
  for (const [index, line] of lines.entries()) {
    expression.lastIndex = 0;
    if (!expression.test(line.endsWith('\r') ? line.slice(0, -1) : line)) continue;
    matched.push(index);
    if (mode === 'files_with_matches') break;
  }
  return matched;
}

function linesOfMatches(text: string, expression: RegExp): number[] {
  const matched = new Set<number>();
  let line = 0;
  let at = 0;
  for (const match of text.matchAll(expression)) {
    for (; at < match.index; at++) if (text[at] === '\n') line++;
    const spanned = match[0].replace(/\n$/, '').split('\n').length;
    for (let index = 0; index < spanned; index++) matched.add(line + index);
  }
  return [...matched];
}

function shown(lines: readonly string[], matched: readonly number[], query: TextQuery): string[] {
  const isMatch = new Set(matched);
  const result: string[] = [];
  let last = -1;
  for (const index of matched) {
    const from = Math.max(index - query.before, last + 1);
    if (last >= 0 && from > last + 1 && (query.before > 0 || query.after > 0)) result.push('--');
    for (let line = from; line <= Math.min(index + query.after, lines.length - 1); line++) {
      result.push(format(lines[line] ?? '', line, isMatch.has(line), query.lineNumbers));
      last = line;
    }
  }
  return result;
}

function format(line: string, index: number, isMatch: boolean, numbers: boolean): string {
  const text = line.replace(/\r+$/, '');
  const cut = Buffer.byteLength(text) > MAX_COLUMNS ? text.slice(0, MAX_COLUMNS) + CUT_LINE : text;
  return numbers ? `${index + 1}${isMatch ? ':' : '-'}${cut}` : cut;
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: String.raw`\s`,
  punct: String.raw`!-\/:-@\[-\`{-~`,
  xdigit: '0-9a-fA-F',
  word: String.raw`\w`,
};

function posix(source: string): string {
  return source.replaceAll(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole);
}

const TYPES: Readonly<Record<string, string>> = {
  c: '*.{c,h,H,cats}',
  cpp: '*.{C,H,cc,cpp,cxx,hh,hpp,hxx,inl}',
  cs: '*.cs',
  css: '*.{css,scss}',
  go: '*.go',
  html: '*.{htm,html,ejs}',
  java: '*.{java,jsp,jspx,properties}',
  js: '*.{js,jsx,vue,cjs,mjs}',
  json: '{*.json,composer.lock,*.sarif}',
  kotlin: '*.{kt,kts}',
  lua: '*.lua',
  md: '*.{markdown,md,mdown,mdwn,mdx,mkd,mkdn}',
  php: '*.{php,php3,php4,php5,php7,php8,pht,phtml}',
  py: '*.{py,pyi}',
  ruby: '{config.ru,Gemfile,.irbrc,Rakefile,*.gemspec,*.rb,*.rbw}',
  rust: '*.rs',
  sh: '*.{bash,bashrc,csh,cshrc,ksh,kshrc,sh,tcsh,tcshrc,zsh}',
  sql: '*.{sql,psql}',
  swift: '*.swift',
  toml: '{*.toml,Cargo.lock}',
  ts: '*.{ts,tsx,cts,mts}',
  txt: '*.txt',
  xml: '*.{xml,xml.dist,dtd,xsd,xsl,xslt,rng,sch,xhtml}',
  yaml: '*.{yaml,yml}',
};

export function patternOfType(type: string): FilePattern {
  const pattern = TYPES[type];
  if (pattern === undefined)
    throw new Error(`unrecognized file type: ${type}. Known: ${Object.keys(TYPES).join(', ')}`);
  return filePattern(pattern);
}

/** The base time limit, and the addition for the size. */
const SEARCH_MS = 500;
const CHARS_PER_MS = 20_000;

const room: { work: () => void } = { work: () => undefined };
let script: Script | undefined;

/** `chars` is the size of the searched text. Throws if it takes too long. */
export function runWithinTime<T>(work: () => T, chars: number): T {
  let found: { readonly value: T } | undefined;
  room.work = () => void (found = { value: work() });
  script ??= new Script('work()');
  try {
    // The only way to stop a running expression.
    script.runInContext(isContext(room) ? room : createContext(room), {
      timeout: SEARCH_MS + Math.ceil(chars / CHARS_PER_MS),
    });
  } catch (thrown) {
    if (codeOf(thrown) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw thrown;
  }
  if (!found) throw new Error('The expression takes too long; write one that repeats less.');
  return found.value;
}

/** The error may come from the other context, whose errors are not instances of ours. */
function codeOf(thrown: unknown): unknown {
  return isRecord(thrown) ? thrown['code'] : undefined;
}
