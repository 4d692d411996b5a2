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

/** A set of letters; one whose end is not clear (`[]a]`, quotes in it) takes all that follows with it. */
const GLOB_PIECES = new RegExp(String.raw`\*+|${LETTER_SET}|\[.*\].*|[\s\S]`, 'gs');
const UNCLEAR_SET = new RegExp(String.raw`^(?!${LETTER_SET}$)\[.`, 's');

function tokensOf(name: string, escapes: boolean): Token[] {
  const pieces = name.match(escapes ? /\\[\s\S]|\*+|\[[^\]]+\]|[\s\S]/g : GLOB_PIECES) ?? [];
  return pieces.map((piece) => {
    if (piece.startsWith('*') || UNCLEAR_SET.test(piece)) return MANY;
    if (piece === '?' || (piece.startsWith('[') && piece.length > 1)) return ONE;
    return escapes && piece.length > 1 ? piece.slice(1) : piece;
  });
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
  return canEndTogether(left, right, (at, other, from) => {
    const one = left[at];
    const two = right[other];
    if (
      typeof one === 'string' &&
      (from(at + 1, other) || (two !== undefined && canStand(one, two) && from(at, other + 1)))
    )
      return true;
    if (typeof two === 'string') return from(at, other + 1) || (one !== undefined && from(at + 1, other));
    if (one === undefined || two === undefined || typeof one === 'string') return false;
    return namesMeet(one, two, hidden) && from(at + 1, other + 1);
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
  return canEndTogether(left, right, (at, other, from) => {
    const one = left[at];
    const two = right[other];
    if (one === MANY && (from(at + 1, other) || (two !== undefined && from(at, other + 1)))) return true;
    if (two === MANY && (from(at, other + 1) || (one !== undefined && from(at + 1, other)))) return true;
    if (one === undefined || two === undefined || one === MANY || two === MANY) return false;
    return (one === two || one === ONE || two === ONE) && from(at + 1, other + 1);
  });
}

/** From one place in each list, whether both can come to their ends. */
type From = (at: number, other: number) => boolean;

/** Walks two lists side by side from their beginnings; `step` says how it may go on. Each pair of places is tried once. */
function canEndTogether(
  left: readonly unknown[],
  right: readonly unknown[],
  step: (at: number, other: number, from: From) => boolean,
): boolean {
  const seen = new Set<number>();
  const from: From = (at, other) => {
    const key = at * (right.length + 1) + other;
    if (seen.has(key)) return false;
    seen.add(key);
    return (at === left.length && other === right.length) || step(at, other, from);
  };
  return from(0, 0);
}
