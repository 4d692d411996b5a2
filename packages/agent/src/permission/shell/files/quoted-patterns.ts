/**
 * Finds words that the shell passes on as they are, and that a program may expand as patterns of files:
 * `prettier --write 'lib/.vsc*'`. They are checked like globs of the shell.
 */
import { omitUndefined } from '@heddle/core';
import type { ShellWord } from '@heddle/tools/shell';
import { gitArguments } from './git-arguments.ts';
import { isMessage } from './message-options.ts';
import { partsOfPattern } from './parts-of-words.ts';
import { fixedFolder } from './quoted-matches.ts';
import { scannedEndings } from './scanned-files.ts';
import { partOfWord, type Touch, touch } from './touch.ts';

/** They use their arguments as they are, or as patterns that do not select files to change. */
const LITERAL_PROGRAMS =
  /^(cp|mv|ln|install|rm|rmdir|unlink|mkdir|touch|chmod|chown|chgrp|tee|dd|truncate|split|csplit|cat|head|tail|sort|uniq|cut|tr|wc|ls|stat|diff|cmp|patch|sed|[gmn]?awk|perl|jq|yq|gojq|jaq|xmllint|\w*grep|rg|ag|ack|find|fd|fdfind|g?tar|bsdtar|zip|unzip|7z[ar]?|rsync|scp|sftp|ssh|curl|wget|aws|az|gcloud|gh|glab|docker|podman|nerdctl|kubectl|helm|oc|terraform|tofu|psql|mysql|sqlite3|redis-cli|mongosh|http|https|xh|bash|sh|dash|zsh|ksh|g?cc|g\+\+|clang|clang\+\+|ld|ar|sudo|env|nice|timeout|xargs|parallel|tmux|screen|systemctl|journalctl|apt|apt-get|brew|pip3?|uv|conda|jest|vitest|pytest)$/;

/** Their value is code: `node -e 'a[0]'`. */
const CODE = /^(-[a-z]*[cepr]|--eval|--print|--command|--execute)$/;
const INTERPRETERS =
  /^(node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|php|lua|Rscript|julia|osascript)$/;

/** Their value is a regular expression, or selects what is left out. */
const NOT_SELECTING =
  /^--?(exclude|extend-exclude|force-exclude|exclude-dir|ignore-pattern|skip-glob|extend-skip-glob|testNamePattern|testPathPatterns?|testPathIgnorePatterns|coveragePathIgnorePatterns|modulePathIgnorePatterns|watchPathIgnorePatterns|grep|fgrep|test-name-pattern|reporter)$/;

/** Other commands of git with patterns are checked elsewhere, or only read. */
const RESTORING = /^(checkout|restore|stash|reset)$/;

/** Characters with a meaning in patterns, and quotes. A program that gives the word to a shell has names without them. */
const MAGIC = /[*?[\]{}()\\"']/;

/** Returns the patterns that a word may be, and the names that a shell would read in it. `values` are its possible texts. */
export function quotedPatterns(
  program: string,
  args: readonly ShellWord[],
  index: number,
  values?: readonly string[],
): readonly ShellWord[] {
  const word = args[index];
  if (word === undefined) return [];
  return quotedTexts(program, args, index, values).flatMap((text) =>
    patternsIn(text).map((pattern) => readAs(word, pattern)),
  );
}

/** Returns the texts of a word that may be patterns. */
function quotedTexts(
  program: string,
  args: readonly ShellWord[],
  index: number,
  values?: readonly string[],
): readonly string[] {
  const word = args[index];
  if (word === undefined || LITERAL_PROGRAMS.test(program)) return [];
  const texts = (values ?? (word.kind === 'literal' ? [word.value] : [])).filter((text) => MAGIC.test(text));
  if (texts.length === 0 || isMessage(program, args, index)) return [];
  if (program === 'git' && !RESTORING.test(gitArguments(args).command)) return [];
  const before = args[index - 1]?.value ?? '';
  if (NOT_SELECTING.test(before) || (INTERPRETERS.test(program) && CODE.test(before))) return [];
  return texts.flatMap((text) => {
    const [, option = '', value = text] = OPTION.exec(text) ?? [];
    return NOT_SELECTING.test(option) ? [] : [value];
  });
}

const OPTION = /^(--?[\w-]+)=(.*)$/s;

const WILDCARD = /[*?[(]/;

function readAs(word: ShellWord, text: string): ShellWord {
  return { ...partOfWord(word, text), kind: WILDCARD.test(text) ? 'pattern' : 'literal' };
}

/**
 * The program may read or change the files that such a word matches. Beside a rule, names with a leading dot count as well, because
 * many programs find them with a star. For protected places they do not count, as such patterns are common.
 */
export function quotedTouches(program: string, args: readonly ShellWord[]): Touch[] {
  const endings = scannedEndings(program);
  return args.flatMap((word, index) => {
    // If a glob matches nothing, the shell passes its text on.
    const isGlob = word.kind === 'pattern';
    const texts = quotedTexts(program, args, index, isGlob ? [word.value] : undefined).flatMap(plainPatterns);
    const more = { knowledge: 'mentioned', ...(isGlob ? { unlessMatched: word } : {}) } as const;
    const flat = texts.filter((text) => text.length > 1 && !ANY_DEPTH.test(text));
    const patterns = new Set([...flat, ...flat.flatMap(withDots)]);
    // The glob itself counts already.
    if (isGlob) patterns.delete(word.value);
    return [
      ...Array.from(patterns, (pattern) => touch('read', readAs(word, pattern), undefined, more)),
      ...treesIn(word, texts, endings, more),
    ];
  });
}

/** Two stars, or an extended pattern with them, match any number of folders. */
const ANY_DEPTH = /(?:^|[/(|])\*\*(?:$|[/)|])|\*\*\.\w/;
/** The end of a name after its last wildcard. */
const FIXED_END = /[^/*?[\](){}|!+@\\]+$/;

/** Returns the folders whose files at any depth a pattern selects, with the ends of their names. */
function treesIn(
  word: ShellWord,
  texts: readonly string[],
  scanned: readonly string[] | undefined,
  more: Pick<Touch, 'knowledge' | 'unlessMatched'>,
): readonly Touch[] {
  const deep = texts.filter((text) => ANY_DEPTH.test(text));
  const byFolder = Map.groupBy(deep, (text) => fixedFolder(text) || '.');
  return Array.from(byFolder, ([folder, patterns]) => {
    const ends = patterns.map((text) => FIXED_END.exec(text)?.[0]);
    const known = ends.filter((end) => end !== undefined);
    const endings = known.length === ends.length ? known : scanned;
    const start: ShellWord = { ...partOfWord(word, folder), kind: 'literal' };
    return touch('read', start, 'all', {
      ...more,
      skipsGit: true,
      skipsModules: true,
      ...omitUndefined({ endings }),
    });
  });
}

/** A segment that may begin with any name: `*`, `*x`, `@(a|b)`. */
const OPEN_SEGMENT = /^(?:\*(?!\*$)|[?*+@!]\()/;
/** The number of such segments that get a leading dot one by one. In more of them, all get one. */
const MOST_OPEN = 3;

/** Returns the pattern with leading dots for its open segments, in any combination. */
function withDots(pattern: string): readonly string[] {
  const segments = pattern.split('/');
  const open = segments.flatMap((segment, at) => (OPEN_SEGMENT.test(segment) ? [at] : []));
  const dotted = (which: readonly number[]): string =>
    segments.map((segment, at) => (which.includes(at) ? withDot(segment) : segment)).join('/');
  const subsets: (readonly number[])[] = [];
  for (const at of open.slice(0, MOST_OPEN)) subsets.push(...subsets.map((one) => [...one, at]), [at]);
  if (open.length > MOST_OPEN) subsets.push(open);
  return subsets.map(dotted);
}

/** A name of two dots is a folder above, so a whole segment gets two more letters. */
function withDot(segment: string): string {
  return /^\*+[^*(]/.test(segment) ? `.${segment}` : '.??*';
}

/** Git has words before a pattern: `:(glob)src`, `:/src`. */
const PATHSPEC = /^:(?:\([^)]*\)|[/^!]+)/;
/** A set or a sign for one letter can also be a leading dot. */
const LEADING = /(^|\/)(?:\[[^\]]*\]|\?(?!\())/g;
/** So can a star before a name. In a part of a word, such patterns are common: `name=*foo*`. */
const LEADING_STAR = /(^(?:!!)?|\/)(?=\*+[A-Za-z])/g;

const DEPTHS = ['**/', '', '*/', '*/*/'];

/** Returns the alternatives of a pattern, also with a leading dot for a wildcard, and with `..` for `.[.]`. */
function patternsIn(text: string): readonly string[] {
  const all = plainPatterns(text)
    // Two stars match any number of folders.
    .flatMap((one) => (one.includes('**/') ? DEPTHS.map((depth) => one.replaceAll('**/', depth)) : [one]));
  return [...new Set(all)].filter((one) => one.length > 1);
}

/** The same with two stars for any number of folders. */
function plainPatterns(text: string): readonly string[] {
  const selecting = alternatives(withBraces(text.replace(PATHSPEC, '')))
    .flatMap((one) => [one, one.replace(LEADING_STAR, '$1.')])
    .flatMap(partsOfPattern)
    // A pattern after an exclamation mark is left out. Two of them select it again.
    .filter((one) => !/^![^!(]/.test(one));
  const plain = selecting
    .map((one) => one.replace(/^!!/, ''))
    .flatMap((one) => [one.replace(/\\(?=.)/gs, ''), one.replaceAll('\\', '/'), one.replace(/["'\\]/g, '')])
    // A quote is rarely a part of a name. In JSON, a set of letters would seem to begin at each bracket.
    .filter((one) => one === text || !/["']/.test(one));
  return [...new Set(plain.flatMap((one) => [one, climbing(one), one.replace(LEADING, '$1.')]))];
}

/** A set of characters other than letters and digits may contain a dot. */
const DOT = String.raw`(?:\.|\[(?!(?:\w-\w|\w)+\])[^\]]+\])`;
const CLIMBING = new RegExp(String.raw`(^|/)${DOT}(?:${DOT}|\?(?!\())(?=/|$)`, 'g');

/** Programs take a set of one letter for that letter. */
function climbing(pattern: string): string {
  return pattern.replace(CLIMBING, '$1..');
}

/** Some programs also take `(a|b)` for alternatives. */
const PARENTHESES = /(?<![+@!?*])\(([^()]*)\)/g;

function withBraces(pattern: string): string {
  return pattern.replace(PARENTHESES, (_, names: string) => `{${names.replaceAll('|', ',')}}`);
}

/** The number of alternatives that are looked at one by one. */
const MOST = 32;
const GROUP = /\{([^{}]*)\}/;
const RANGE = /^[^,]+\.\.[^,]+$/;

/** `{a,b}/c` is `a/c` and `b/c`. In a range, a group can be any text. */
function alternatives(text: string): readonly string[] {
  let all: readonly string[] = [text];
  for (let depth = 0; all.some((one) => GROUP.test(one)); depth++) {
    const next = all.flatMap((one) => {
      const group = GROUP.exec(one);
      if (group === null) return [one];
      const [whole, inner = ''] = group;
      const names = RANGE.test(inner) ? ['*'] : inner.split(',');
      return names.map((name) => one.slice(0, group.index) + name + one.slice(group.index + whole.length));
    });
    if (next.length > MOST || depth > MOST) return manyAlternatives(text);
    all = next;
  }
  return all;
}

/** Returns few patterns for very many alternatives. A group can be any text, and a hidden name or a step up if it has dots. */
function manyAlternatives(text: string): readonly string[] {
  const [groups = ''] = /\{.*\}/s.exec(text) ?? [];
  const withGroups = (any: string): string => text.replace(groups, () => any);
  const isHidden = /[{,/]\.|[{,][,}]|\[/.test(groups);
  const mayClimb = /\.\.|[{,]\.?[,}/]|\.[,}]|\[/.test(groups);
  return [
    withGroups('*'),
    ...(isHidden ? [withGroups('.*'), withGroups('**/.*')] : []),
    ...(mayClimb ? ['../*'] : []),
  ];
}
