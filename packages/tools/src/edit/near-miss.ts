/** Explains why a text was not found: the difference from the most similar place, and its line. Pure. */
import { lineAt, straightenQuotes } from './text-view.ts';

/** Above this many characters the search for a reason would take too long. */
const MAX_TEXT = 1_000_000;

/** Line breaks are `\n` in all three. */
export function explainMiss(text: string, oldText: string, newText: string): string {
  const missed = 'old_string was not found.';
  if (text === '') return `${missed} The file is empty.`;
  if (text.length > MAX_TEXT) return `${missed} Read the lines in question again and copy them exactly.`;
  const hint = mistakeOf(text, oldText) ?? differenceOf(text, oldText);
  if (hint !== undefined) return `${missed} ${hint}`;
  const done = newText.trim().length >= MIN_DONE ? text.indexOf(newText) : -1;
  if (done !== -1) {
    return `${missed} But new_string stands on line ${lineAt(text, done)}: was this edit made already?`;
  }
  const nearest = nearestLines(text, oldText);
  if (nearest.length === 0) return `${missed} Nothing in the file resembles it. Read the file again.`;
  return `${missed} The nearest ${nearest.length === 1 ? 'place' : 'places'}:\n${nearest.map(numbered).join('\n')}`;
}

/** A shorter new text occurs in many files by chance. */
const MIN_DONE = 12;

/** Finds mistakes of notation, such as line numbers in the old text. */
function mistakeOf(text: string, oldText: string): string | undefined {
  const found = (candidate: string): number => (candidate === '' ? -1 : text.indexOf(candidate));
  const bare = withoutLineNumbers(oldText);
  if (bare !== undefined && found(bare) !== -1)
    return `It contains the line numbers that Read shows. Without them it stands on line ${lineAt(text, found(bare))}.`;
  const unescaped = oldText.replaceAll(/\\([nt"'\\`$])/g, (_all, sign: string) => ESCAPES[sign] ?? sign);
  if (unescaped !== oldText && found(unescaped) !== -1)
    return `It contains backslash escapes where the file, on line ${lineAt(text, found(unescaped))}, has the characters themselves.`;
  const unbroken = oldText.replace(/(?<!\n)\n+$/, '');
  if (unbroken !== oldText && unbroken !== '' && text.replace(/(?<!\n)\n+$/, '').endsWith(unbroken))
    return 'It ends with a line break where the file ends.';
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

function withoutLineNumbers(text: string): string | undefined {
  const lines = text.split('\n');
  const numbered = lines.every((line) => line === '' || /^\s*\d+(?:\t|→)/.test(line));
  return numbered ? lines.map((line) => line.replace(/^\s*\d+(?:\t|→)/, '')).join('\n') : undefined;
}

interface Difference {
  readonly name: string | ((file: string, old: string) => string);
  readonly fold: (line: string) => string;
}

/** From the smallest difference to the largest: the first that explains the mismatch is reported. */
const DIFFERENCES: readonly Difference[] = [
  { name: 'trailing whitespace', fold: (line) => line.trimEnd() },
  { name: namesOfInvisible, fold: (line) => line.replaceAll(INVISIBLE, '') },
  { name: 'typographic characters (quotes, dashes, dots, spaces)', fold: plainCharacters },
  { name: kindOfIndentation, fold: (line) => line.trimStart() },
  { name: 'whitespace', fold: (line) => line.replaceAll(/\s+/g, ' ').trim() },
  { name: 'upper and lower case', fold: (line) => line.toLowerCase() },
  {
    name: 'whitespace and punctuation',
    fold: (line) => plainCharacters(line).replaceAll(/[\s\p{P}]+/gu, ''),
  },
];

const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\u034f|[\ufe00-\ufe0f]/g;

/** Lists the invisible characters that only one of the two has, by code point. */
function namesOfInvisible(file: string, old: string): string {
  const codes = (text: string): string[] =>
    [...new Set(text.match(INVISIBLE))].map(
      (character) => `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    );
  const [inFile, inOld] = [codes(file), codes(old)];
  const named = [
    ...(inFile.length > 0 ? [`${inFile.join(', ')} in the file`] : []),
    ...(inOld.length > 0 ? [`${inOld.join(', ')} in old_string`] : []),
  ];
  return `invisible characters (${named.join('; ')})`;
}

function kindOfIndentation(file: string, old: string): string {
  const tabbed = /^[ ]*\t/m;
  return tabbed.test(file) === tabbed.test(old) ? 'the indentation' : 'tabs and spaces in the indentation';
}

function differenceOf(text: string, oldText: string): string | undefined {
  for (const { name, fold } of DIFFERENCES) {
    const foldedText = foldLines(text, fold);
    const part = foldLines(oldText, fold).replace(/^\n+|(?<!\n)\n+$/g, '');
    // The rest is too short to identify a place.
    if (part.replaceAll(/\s/g, '').length < 2) continue;
    const index = foldedText.indexOf(part);
    if (index === -1) continue;
    const again = foldedText.indexOf(part, index + 1) !== -1 ? ' (among other places)' : '';
    const first = lineAt(foldedText, index);
    const lines = text.split('\n').slice(first - 1, first - 1 + part.split('\n').length);
    const shown = lines.slice(0, MAX_SHOWN).map((line, offset) => numbered({ line, number: first + offset }));
    const more = lines.length > MAX_SHOWN ? `\n… ${lines.length - MAX_SHOWN} more lines` : '';
    const what = typeof name === 'string' ? name : name(lines.join('\n'), oldText);
    return `Line ${first}${again} differs from it only in ${what}. The file has:\n${shown.join('\n')}${more}`;
  }
  return undefined;
}

const MAX_SHOWN = 8;
const MAX_LINE = 200;

function foldLines(text: string, fold: (line: string) => string): string {
  return text.split('\n').map(fold).join('\n');
}

function plainCharacters(line: string): string {
  return straightenQuotes(line.normalize('NFKC'))
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .replaceAll(INVISIBLE, '');
}

/** Makes tabs and spaces at the ends visible, because they are the usual difference. */
function numbered({ line, number }: { readonly line: string; readonly number: number }): string {
  const seen = line
    .replace(/^[\t ]+/, (lead) => lead.replaceAll('\t', '→'))
    .replace(/(?<![\t \u00a0])[\t \u00a0]+$/, (trail) =>
      trail.replaceAll('\t', '→').replaceAll(/[ \u00a0]/g, '·'),
    );
  return `${String(number).padStart(6)}\t${seen.length > MAX_LINE ? `${seen.slice(0, MAX_LINE)}…` : seen}`;
}

// Finds lines of a text that resemble a missing line. Pure.

interface NumberedLine {
  readonly number: number;
  readonly line: string;
}

const MAX_CANDIDATES = 3;
/** The share of common letter pairs above which two lines look similar. */
const MIN_LIKENESS = 0.5;
/** Only this much of a long line is compared. */
const MAX_COMPARED = 300;

/** Compares the longest line of `part`. Returns up to three similar lines of `text`, the nearest first. */
function nearestLines(text: string, part: string): NumberedLine[] {
  const telling = part
    .split('\n')
    .map((line) => line.trim())
    .reduce((longest, line) => (line.length > longest.length ? line : longest), '');
  const wanted = pairsOf(telling);
  if (wanted.size === 0) return [];
  return text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1, likeness: likeness(wanted, pairsOf(line.trim())) }))
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness || a.number - b.number)
    .slice(0, MAX_CANDIDATES)
    .map(({ line, number }) => ({ line, number }));
}

function pairsOf(line: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const compared = line.slice(0, MAX_COMPARED).toLowerCase();
  for (let at = 0; at + 1 < compared.length; at += 1) {
    const pair = compared.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Dice's coefficient: 1 for equal lines, 0 for lines with nothing in common. */
function likeness(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0;
  let total = 0;
  for (const [pair, count] of a) {
    common += Math.min(count, b.get(pair) ?? 0);
    total += count;
  }
  for (const count of b.values()) total += count;
  return total === 0 ? 0 : (2 * common) / total;
}
/** Returns `line 3` or `lines 3, 7, …`, each number once. */
export function describeLines(numbers: readonly number[], most: number): string {
  const lines = [...new Set(numbers)];
  const more = lines.length > most ? ', …' : '';
  return `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, most).join(', ')}${more}`;
}
