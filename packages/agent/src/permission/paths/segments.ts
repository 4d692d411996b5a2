/**
 * Splits path patterns into segments, to decide whether two patterns can match the same path. Errs on the side of yes:
 * a set of letters counts as any letter.
 */

import { LETTER_SET } from '../rules/wildcard.ts';

/**
 * `**` matches any number of names, `visible` any number that are not hidden. `globstar` matches any number if a shell
 * option is set, and otherwise one name.
 */
export type Segment = '**' | 'visible' | 'globstar' | readonly Token[];

/** A letter, or a wildcard for one letter, for any number of letters, or for one letter of a kind. */
export type Token = string | typeof ONE | typeof MANY | typeof HEX | typeof WORD;
const ONE = Symbol('?');
const MANY = Symbol('*');
const HEX = Symbol('a digit of a hexadecimal number');
const WORD = Symbol('a letter or a digit');

/** Returns the tokens of a name with unknown parts: `#` is a hexadecimal digit, `@` a letter or digit. */
export function tokensOfKnownName(name: string): readonly Token[] {
  return Array.from(name, (letter) => (letter === '#' ? HEX : letter === '@' ? WORD : letter));
}

/** Sets are read only if they consist of letters, digits and ranges. Programs differ about all others. */
const PLAIN_NAME = /^(?:[^[\]\\/]|\[[!^]?[\w-]+\])+$/;

/**
 * Returns the tokens of a pattern for one name, as `find -name` and files of ignored names match it. Undefined if it is not
 * certain what the pattern matches.
 */
export function tokensOfName(pattern: string): readonly Token[] | undefined {
  if (!/^[ -~]+$/.test(pattern) || !PLAIN_NAME.test(pattern)) return undefined;
  return tokensOf(pattern.toLowerCase(), true);
}

/** Splits a shell glob, or with `escapes` a gitignore pattern of a rule. */
export function segmentsOf(pattern: string, escapes = false): Segment[] {
  // An extended glob may match anything.
  if (!escapes && /[?*+@!]\(/.test(pattern)) return ['**'];
  return pattern
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .map((name) => (name !== '**' ? tokensOf(name, escapes) : escapes ? name : 'globstar'));
}

const SET_AT = new RegExp(LETTER_SET, 'y');
const RULE_SET_AT = /\[[^\]]+\]/y;

function tokensOf(name: string, escapes: boolean): Token[] {
  const tokens: Token[] = [];
  const lastClose = name.lastIndexOf(']');
  const setAt = escapes ? RULE_SET_AT : SET_AT;
  for (let at = 0; at < name.length; ) {
    const letter = String.fromCodePoint(name.codePointAt(at) ?? 0);
    const isSet = letter === '[' && at < lastClose;
    setAt.lastIndex = at;
    const set = isSet ? (setAt.exec(name)?.[0] ?? '') : '';
    if (letter === '*') {
      if (tokens.at(-1) !== MANY) tokens.push(MANY);
    } else if (letter === '?' || set !== '') tokens.push(ONE);
    else if (isSet && !escapes) {
      // A set with an unclear end (`[]a]`, quotes in it) includes everything that follows.
      return [...tokens, MANY];
    } else if (escapes && letter === '\\' && at + 1 < name.length) {
      tokens.push(name[++at] ?? '');
    } else tokens.push(letter);
    at += set.length || letter.length;
  }
  return tokens;
}

export function literalSegments(path: string): Segment[] {
  return path
    .split('/')
    .filter((name) => name !== '')
    .map((name) => Array.from(name));
}

export function isLiteral(segment: Segment): segment is readonly string[] {
  return typeof segment !== 'string' && segment.every((token) => typeof token === 'string');
}

/** Returns whether a segment contains only wildcards. */
export function isOpen(segment: Segment): boolean {
  return typeof segment === 'string' || segment.every((token) => typeof token !== 'string');
}

/** Returns the segments for a shell with default options. */
export function withoutGlobstar(segments: readonly Segment[]): Segment[] {
  return segments.map((segment) => (segment === 'globstar' ? [MANY] : segment));
}

export function lowerCaseSegments(segments: readonly Segment[]): Segment[] {
  return segments.map((segment) =>
    typeof segment === 'string'
      ? segment
      : segment.map((token) => (typeof token === 'string' ? token.toLowerCase() : token)),
  );
}

/** Returns whether a path exists that both match. With `hidden`, a leading wildcard on the left also matches a dot. */
export function segmentsMeet(left: readonly Segment[], right: readonly Segment[], hidden: boolean): boolean {
  return canEndTogether(left, right, (at, other, go) => {
    const one = left[at];
    const two = right[other];
    if (typeof one === 'string') {
      go(at + 1, other);
      if (two !== undefined && canStand(one, two)) go(at, other + 1);
    }
    if (typeof two === 'string') {
      go(at, other + 1);
      if (one !== undefined) go(at + 1, other);
    }
    if (one === undefined || two === undefined || typeof one === 'string' || typeof two === 'string') return;
    if (namesMeet(one, two, hidden)) go(at + 1, other + 1);
  });
}

function canStand(any: Exclude<Segment, readonly Token[]>, name: Segment): boolean {
  return any !== 'visible' || typeof name === 'string' || name[0] !== '.';
}

export function namesMeet(one: readonly Token[], two: readonly Token[], hidden: boolean): boolean {
  if (!hidden && typeof one[0] !== 'string' && two[0] === '.') return false;
  const [left, right] = [forBytes(one, two), forBytes(two, one)];
  // Most names differ in their first letter.
  let at = 0;
  for (; at < left.length && at < right.length && left[at] !== MANY && right[at] !== MANY; at++) {
    if (!canBeSame(left[at], right[at])) return false;
  }
  return restMeets(left.slice(at), right.slice(at));
}

/** Returns whether two tokens for one letter can be the same letter. */
function canBeSame(one: Token | undefined, two: Token | undefined): boolean {
  if (one === two || one === ONE || two === ONE) return true;
  if (typeof one === 'string') return typeof two !== 'string' && isOfKind(one, two);
  return typeof two !== 'string' || isOfKind(two, one);
}

function isOfKind(letter: string, kind: Token | undefined): boolean {
  return kind === HEX ? /^[\da-f]$/i.test(letter) : kind === WORD && /^[\da-z]$/i.test(letter);
}

/** In some locales a wildcard for one letter matches one byte, and a letter of the other name has several. */
function forBytes(tokens: readonly Token[], other: readonly Token[]): readonly Token[] {
  if (!tokens.includes(ONE) || !other.some((token) => typeof token === 'string' && token > '\x7f'))
    return tokens;
  return tokens.map((token) => (token === ONE ? MANY : token));
}

function restMeets(left: readonly Token[], right: readonly Token[]): boolean {
  if (!right.some((token) => typeof token !== 'string')) return matchesName(left, right);
  if (left.length === 0 || right.length === 0) return [...left, ...right].every((token) => token === MANY);
  return canEndTogether(left, right, (at, other, go) => {
    const one = left[at];
    const two = right[other];
    if (one === MANY) {
      go(at + 1, other);
      if (two !== undefined) go(at, other + 1);
    }
    if (two === MANY) {
      go(at, other + 1);
      if (one !== undefined) go(at + 1, other);
    }
    if (one === undefined || two === undefined || one === MANY || two === MANY) return;
    if (canBeSame(one, two)) go(at + 1, other + 1);
  });
}

/** Returns whether a pattern matches a name without wildcards. After a mismatch, the last star takes one more letter. */
function matchesName(pattern: readonly Token[], name: readonly Token[]): boolean {
  let [at, other, star, taken] = [0, 0, -1, 0];
  while (other < name.length) {
    const token = pattern[at];
    if (token === MANY) [star, taken] = [at++, other];
    else if (token !== undefined && (token === ONE || token === name[other]))
      [at, other] = [at + 1, other + 1];
    else if (star < 0) return false;
    else [at, other] = [star + 1, ++taken];
  }
  return pattern.slice(at).every((token) => token === MANY);
}

/** Continues at one position in each list. */
type Go = (at: number, other: number) => void;

/** Walks two lists in parallel. `step` names the next positions. Each pair is visited once. */
function canEndTogether(
  left: readonly unknown[],
  right: readonly unknown[],
  step: (at: number, other: number, go: Go) => void,
): boolean {
  const width = right.length + 1;
  const seen = new Set<number>([0]);
  const open: number[] = [0];
  const go: Go = (at, other) => {
    const key = at * width + other;
    if (seen.has(key)) return;
    seen.add(key);
    open.push(key);
  };
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    const other = key % width;
    const at = (key - other) / width;
    if (at === left.length && other === right.length) return true;
    step(at, other, go);
  }
  return false;
}
