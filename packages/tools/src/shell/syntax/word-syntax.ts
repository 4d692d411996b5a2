/**
 * Checks that every character of a word is understood. The kinds of parts are an allow-list. A word is rejected if it has a
 * part of another kind, a part that does not cover its text, or a character with another meaning for the shell.
 */
import type {
  CommandExpansionPart,
  HereDocBody,
  ParameterExpansionPart,
  ProcessSubstitutionPart,
  Word,
  WordPart,
} from 'unbash';
import { hasHiddenBraces } from '../shell-word.ts';
import type { Span } from './gaps.ts';
import { isIntegerExpression } from './integers.ts';

/** The reason why a part of a command is not understood, or undefined if it is. */
export type Refusal = string | undefined;

export interface WordContext {
  readonly source: string;
  readonly integers: ReadonlySet<string>;
  /** Checks the commands of a substitution, which must cover the given span. */
  readonly script: (node: CommandExpansionPart | ProcessSubstitutionPart, inner: Span) => Refusal;
}

/** The meaning of quotes depends on the place: a plain word, double quotes, a here-document, or `${x:-here}`. */
type Place = 'word' | 'quotes' | 'document' | 'operand' | 'quoted operand';

export function refuseWord(word: Word, context: WordContext): Refusal {
  const { text, pos, end, value } = word;
  if (context.source.slice(pos, end) !== text) return 'a word that does not match its text';
  if (text.startsWith('#')) return 'a word that starts like a comment';
  if (hasHiddenBraces(word)) return 'unusual braces';
  if (word.parts === undefined) return refuseLiteral(text, value, 'word');
  return refuseParts(word.parts, { pos, end }, 'word', context);
}

/** Checks the body of a here-document that expands variables. */
export function refuseDocument(body: HereDocBody, context: WordContext): Refusal {
  if (body.parts === undefined) return refuseLiteral(body.text, body.text, 'document');
  return refuseParts(body.parts, body, 'document', context);
}

function refuseParts(parts: readonly WordPart[], span: Span, place: Place, context: WordContext): Refusal {
  let at = span.pos;
  for (const [index, part] of parts.entries()) {
    if (part.pos !== at) return 'text between the parts of a word';
    if (joinsBraces(parts[index - 1], part)) return 'unusual braces';
    if (context.source.slice(part.pos, part.end) !== part.text) return 'a part that does not match its text';
    const refusal = refusePart(part, place, parts.length, context);
    if (refusal !== undefined) return refusal;
    at = part.end;
  }
  return at === span.end ? undefined : 'text behind the parts of a word';
}

/**
 * The shell expands braces before everything else, and reads the new text again. `$x{a,b}` becomes `$xa` and `$xb`, and
 * `{,a}~` becomes a home folder.
 */
function joinsBraces(before: WordPart | undefined, part: WordPart): boolean {
  if (part.type === 'BraceExpansion')
    return before?.type === 'SimpleExpansion' && /^\$[A-Za-z_]/.test(before.text);
  return before?.type === 'BraceExpansion' && part.text.startsWith('~');
}

function refusePart(part: WordPart, place: Place, count: number, context: WordContext): Refusal {
  switch (part.type) {
    case 'Literal':
      return refuseLiteral(part.text, part.value, place);
    case 'SingleQuoted':
      return refuseSingleQuoted(part.text, part.value, place);
    case 'DoubleQuoted':
      if (place !== 'word' && place !== 'operand') return 'quotes inside quotes';
      if (place === 'operand' && !/^"[^"$`\\]*"$/.test(part.text)) return 'quotes inside an expansion';
      return refuseParts(part.parts, { pos: part.pos + 1, end: part.end - 1 }, 'quotes', context);
    case 'AnsiCQuoted':
      if (place !== 'word') return 'escapes inside quotes';
      return decoded(part.text) === part.value ? undefined : 'an unusual escape';
    case 'SimpleExpansion':
      return /^\$(?:[A-Za-z_]\w*|\d|[?#@*$!-])$/.test(part.text) ? undefined : 'an unusual variable';
    case 'ParameterExpansion':
      return refuseExpansion(part, place, context);
    case 'CommandExpansion':
      return refuseCommandExpansion(part, context);
    case 'ArithmeticExpansion': {
      const isOne = part.text.startsWith('$((') && part.text.endsWith('))');
      const isPlain = isOne && isIntegerExpression(part.text.slice(3, -2), context.integers);
      return isPlain ? undefined : 'arithmetic with more than plain numbers';
    }
    case 'ProcessSubstitution': {
      const isWhole = place === 'word' && count === 1 && /^[<>]\(/.test(part.text) && part.text.endsWith(')');
      if (!isWhole) return 'a process inside a word';
      return context.script(part, { pos: part.pos + 2, end: part.end - 1 });
    }
    case 'Glob':
      if (place !== 'word' && place !== 'operand' && place !== 'quoted operand')
        return 'a pattern inside quotes';
      return /^(?:\*+|\?|\[[!^]?[\w.,:@%+=[\]-]+\])$/.test(part.text) ? undefined : 'an unusual pattern';
    case 'BraceExpansion':
      return place === 'word' && (LIST.test(part.text) || RANGE.test(part.text))
        ? undefined
        : 'unusual braces';
    case 'ExtendedGlob':
      return 'a pattern that depends on a shell option';
    case 'LocaleString':
      return 'a text that is translated';
    default:
      return unknownKind(part);
  }
}

/** A newer parser may return kinds that this list does not contain. */
function unknownKind(part: never): Refusal {
  return `an unknown part ${JSON.stringify(part)}`;
}

const LIST = /^\{[\w./@%+:=*?~-]*(?:,[\w./@%+:=*?~-]*)+\}$/;
/** Between `Z` and `a` are a backslash and a backquote. The shell reads them again, so they would change the text after them. */
const RANGE = /^\{(?:-?\d+\.\.-?\d+(?:\.\.-?\d+)?|[a-z]\.\.[a-z]|[A-Z]\.\.[A-Z])\}$/;

/** Plain or escaped characters. A single dollar sign is allowed at the end. */
const UNQUOTED = /^(?:[^\s;&|<>()`$'"\\*?[]|\\[^\n])*\$?$/;
/** Text between double quotes, without the start of an expansion and without continued lines. */
const QUOTED = /^(?:[^`$"\\]|\\[^\n]|\$(?![\w({[@*#?$!-]))*$/;
const DOCUMENT = /^(?:[^`$\\]|\\[^\n]|\$(?![\w({[@*#?$!'"-]))*$/;
const OPERAND = /^[^`$'"\\{}<>()]*$/;

function refuseLiteral(text: string, value: string, place: Place): Refusal {
  switch (place) {
    case 'word':
      if (text === '[') return undefined;
      if (!UNQUOTED.test(text)) return 'a letter that is not understood';
      if (mayExpandBraces(text)) return 'unusual braces';
      return text.replace(/\\([^])/g, '$1') === value ? undefined : 'an unusual escape';
    case 'quotes':
      if (!QUOTED.test(text)) return 'a letter in quotes that is not understood';
      return text.replace(/\\([$`"\\])/g, '$1') === value ? undefined : 'an unusual escape';
    case 'document':
      return DOCUMENT.test(text) ? undefined : 'a letter in a here-document that is not understood';
    case 'operand':
    case 'quoted operand':
      return OPERAND.test(text) ? undefined : 'a letter in an expansion that is not understood';
  }
}

/** The parser may read braces as literal text that the shell expands. */
function mayExpandBraces(text: string): boolean {
  const open = text.indexOf('{');
  const inside = open < 0 ? '' : text.slice(open, text.lastIndexOf('}') + 1);
  return inside.includes(',') || inside.includes('..');
}

/** Between double quotes a single quote is a literal character, and the text after it is expanded. */
function refuseSingleQuoted(text: string, value: string, place: Place): Refusal {
  const isWhole = text === `'${value}'` && !value.includes("'");
  if (!isWhole || (place !== 'word' && place !== 'operand')) return 'quotes that do not protect';
  return place === 'operand' && /[$`\\{}]/.test(value) ? 'quotes that do not protect' : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

/** `$'…'` with the common escapes only. */
function decoded(text: string): string | undefined {
  const inner = /^\$'((?:[^'\\]|\\[ntr\\'"])*)'$/.exec(text)?.[1];
  return inner?.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}

function refuseCommandExpansion(part: CommandExpansionPart, context: WordContext): Refusal {
  const { text, pos, end } = part;
  if (text.startsWith('`')) {
    const isPlain = /^`[^`\\]*`$/.test(text);
    return isPlain ? context.script(part, { pos: pos + 1, end: end - 1 }) : 'escapes inside backquotes';
  }
  // After two brackets the shell tries arithmetic first.
  const isPlain = /^\$\((?!\()/.test(text) && text.endsWith(')');
  return isPlain ? context.script(part, { pos: pos + 2, end: end - 1 }) : 'an unusual substitution';
}

const HEAD = /^\$\{(?:#?(?:[A-Za-z_]\w*|[1-9]\d*|[@*#?])(?:\[(?:\d+|@|\*)\])?|#)/;

function refuseExpansion(part: ParameterExpansionPart, place: Place, context: WordContext): Refusal {
  const { text, operation, prefix, pos, end } = part;
  const head = HEAD.exec(text)?.[0];
  if (head === undefined || prefix === '!') return 'an unusual expansion';
  if (operation === undefined) return text === `${head}}` ? undefined : 'an unusual expansion';
  const rest = text.slice(head.length, -1);
  const isPlaced = operation.pos === pos + head.length && operation.end === end - 1;
  if (!isPlaced || prefix !== undefined || !text.endsWith('}')) return 'an unusual expansion';
  const inner = place === 'word' || place === 'operand' ? 'operand' : 'quoted operand';
  const operands = (...words: readonly Word[]): Refusal => {
    for (const word of words) {
      const refusal = refuseOperand(word, inner, context);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  };
  switch (operation.type) {
    case 'Default':
      if (!/^:?[-+?]$/.test(operation.operator)) return 'an expansion that sets a variable';
      return rest === operation.operator + operation.operand.text
        ? operands(operation.operand)
        : 'an unusual expansion';
    case 'Remove':
      return rest === operation.operator + operation.operand.text
        ? operands(operation.operand)
        : 'an unusual expansion';
    case 'Replace': {
      const { operator, pattern, replacement } = operation;
      const written = [`${operator}${pattern.text}/${replacement.text}`, `${operator}${pattern.text}`];
      const isWhole = written.includes(rest);
      return isWhole ? operands(pattern, replacement) : 'an unusual expansion';
    }
    case 'Slice':
      return /^:(?: -)?\d+(?::(?: ?-)?\d+)?$/.test(rest) ? undefined : 'a slice by more than plain numbers';
    case 'CaseModification':
      return /^(?:\^\^?|,,?)$/.test(rest) ? undefined : 'an unusual expansion';
    case 'Transform':
    case 'Names':
    case 'Unknown':
      return 'an expansion that is evaluated again';
  }
}

function refuseOperand(word: Word, place: 'operand' | 'quoted operand', context: WordContext): Refusal {
  if (word.parts === undefined) return refuseLiteral(word.text, word.value, place);
  return refuseParts(word.parts, word, place, context);
}
