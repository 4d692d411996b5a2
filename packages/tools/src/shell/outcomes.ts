/**
 * What becomes of a word with globs or braces. The names that a glob finds keep its literal beginning, and where it finds none
 * the word stays as it is, or goes away: so its beginning tells whether it can become an option. Braces are only a list.
 */
import type { WordPart } from 'unbash';
import type { Outcome } from './command.ts';
import { isPlainPart } from './plain.ts';

/** `{a,b}` of plain names: nothing nested, no ranges, no globs. */
const BRACES = /^\{[\w./@%+:=-]*(?:,[\w./@%+:=-]*)+\}$/;
const MOST = 64;

/** Undefined where it holds more than plain text, globs and simple braces. */
export function outcomesOf(parts: readonly WordPart[]): readonly Outcome[] | undefined {
  let outcomes: readonly Outcome[] = [{ begins: '', exact: true }];
  for (const part of parts) {
    if (part.type === 'Glob' && isPlainGlob(part.text)) {
      outcomes = outcomes.map(({ begins }) => ({ begins, exact: false }));
    } else if (part.type === 'BraceExpansion' && BRACES.test(part.text)) {
      const choices = part.text.slice(1, -1).split(',');
      outcomes = outcomes.flatMap((outcome) => choices.map((choice) => extended(outcome, choice)));
    } else if (isPlainPart(part)) {
      const text = textOf(part);
      outcomes = outcomes.map((outcome) => extended(outcome, text));
    } else return undefined;
    if (outcomes.length > MOST) return undefined;
  }
  return outcomes;
}

/** A star, a question mark, or a set without anything that other shells read otherwise. */
function isPlainGlob(text: string): boolean {
  return /^(\*+|\?)$/.test(text) || /^\[[!^]?[\w.:[\]-]+\]$/.test(text);
}

/** Behind a glob nothing is certain any more. */
function extended({ begins, exact }: Outcome, text: string): Outcome {
  return exact ? { begins: begins + text, exact } : { begins, exact };
}

function textOf(part: WordPart): string {
  if (part.type === 'DoubleQuoted') return part.parts.map(textOf).join('');
  return 'value' in part && typeof part.value === 'string' ? part.value : '';
}
