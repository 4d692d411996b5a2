/**
 * Patterns of paths, taken apart, so that two of them can be asked whether any path is meant by both. Errs to yes: a set of
 * letters counts as any letter.
 */

import { LETTER_SET } from '../rules/wildcard.ts';

/**
 * `**` stands for any number of names, `visible` for any number that are not hidden, `globstar` for any number where an option
 * of the shell is set, and else for one.
 */
export type Segment = '**' | 'visible' | 'globstar' | readonly Token[];

/** A letter, or what stands for one or for any number of them. */
type Token = string | typeof ONE | typeof MANY;
const ONE = Symbol('?');
const MANY = Symbol('*');

/** Of a glob as the shell knows it, or with `escapes` of a rule as gitignore does. */
export function segmentsOf(pattern: string, escapes = false): Segment[] {
  // An extended glob may stand for anything.
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
      // A set whose end is not clear (`[]a]`, quotes in it) takes all that follows with it.
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

/** Nothing but wildcards: it aims at no name in particular. */
export function isOpen(segment: Segment): boolean {
  return typeof segment === 'string' || segment.every((token) => typeof token !== 'string');
}

/** As a shell reads it whose options are as they come. */
export function withoutGlobstar(segments: readonly Segment[]): Segment[] {
  return segments.map((segment) => (segment === 'globstar' ? [MANY] : segment));
}

export function lowered(segments: readonly Segment[]): Segment[] {
  return segments.map((segment) =>
    typeof segment === 'string'
      ? segment
      : segment.map((token) => (typeof token === 'string' ? token.toLowerCase() : token)),
  );
}

/** Whether some path is meant by both. `hidden`: a wildcard at the beginning of a name on the left finds a dot there, too. */
export function meet(left: readonly Segment[], right: readonly Segment[], hidden: boolean): boolean {
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

export function namesMeet(left: readonly Token[], right: readonly Token[], hidden: boolean): boolean {
  if (!hidden && typeof left[0] !== 'string' && right[0] === '.') return false;
  // Most names differ in their first letter.
  let at = 0;
  for (; at < left.length && at < right.length && left[at] !== MANY && right[at] !== MANY; at++) {
    if (left[at] !== right[at] && left[at] !== ONE && right[at] !== ONE) return false;
  }
  return restMeets(left.slice(at), right.slice(at));
}

function restMeets(left: readonly Token[], right: readonly Token[]): boolean {
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
    if (one === two || one === ONE || two === ONE) go(at + 1, other + 1);
  });
}

/** Continues from one place in each list. */
type Go = (at: number, other: number) => void;

/** Walks two lists side by side from their beginnings. `step` names the next places; each pair is visited once. */
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
