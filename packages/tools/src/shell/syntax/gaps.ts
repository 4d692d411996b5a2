/**
 * Checks the text between the pieces of a syntax node. A piece that the parser skipped would be there. So each gap must match
 * the text that the grammar allows at its place: blanks, separators, keywords and comments.
 */
import { forEachChild, type SyntaxNode } from 'unbash';

export interface Span {
  readonly pos: number;
  readonly end: number;
}

/** Blanks between words. */
export const BLANKS = /^[ \t]*$/;
/** Between two commands of a list. */
export const SEPARATOR = /^[ \t]*[;&\n]\s*$/;
/** After the last command of a list, before a closing bracket or the end of the text. */
export const END_OF_LIST = /^(?:[ \t]*[;&])?\s*$/;

/**
 * Returns the text between two positions, without comments and continued lines. Returns undefined if a `#` does not start a
 * comment, or if a continued line joins two tokens.
 */
function gapBetween(source: string, from: number, to: number): string | undefined {
  if (to < from) return undefined;
  let gap = '';
  for (let at = from; at < to; at++) {
    const letter = source[at];
    if (letter === '#') {
      if (!/[\s;&|(]/.test(source[at - 1] ?? ' ')) return undefined;
      const end = source.indexOf('\n', at);
      if (end < 0 || end >= to) {
        // The comment must end with the text. Otherwise it would contain the next piece.
        return to === source.length ? gap : undefined;
      }
      at = end - 1;
    } else if (letter === '\\') {
      const isBetweenBlanks = /[ \t]/.test(source[at - 1] ?? '') || /[ \t]/.test(source[at + 2] ?? '');
      if (source[at + 1] !== '\n' || at + 1 >= to || !isBetweenBlanks) return undefined;
      gap += ' ';
      at++;
    } else gap += letter;
  }
  return gap;
}

/** Returns true if the pieces are in order inside the node, and each gap before, between and after them matches its pattern. */
export function areGapsIn(
  source: string,
  node: Span,
  pieces: readonly Span[],
  { before, between, after }: { readonly before: RegExp; readonly between: RegExp; readonly after: RegExp },
): boolean {
  let at = node.pos;
  for (const [index, piece] of pieces.entries()) {
    if (!isGap(source, at, piece.pos, index === 0 ? before : between)) return false;
    at = piece.end;
  }
  return pieces.length > 0 && isGap(source, at, node.end, after);
}

export function isGap(source: string, from: number, to: number, pattern: RegExp): boolean {
  const gap = gapBetween(source, from, to);
  return gap !== undefined && pattern.test(gap);
}

const BLANKS_IN_COMMAND = /^(?:[ \t]|\\\n)*$/;
const SEPARATORS_IN_LIST = /^(?:[\s;&|]|\\\n|#[^\n]*(?![^\n]))*$/;

/**
 * Checks the syntax tree against its text: only separators may be between two nodes. A parser that skips a character (as
 * unbash does with the bracket of `echo(`) would otherwise hide it.
 */
export function isCovered(node: SyntaxNode, source: string): boolean {
  switch (node.type) {
    case 'Command':
      return gapsMatch(node, source, BLANKS_IN_COMMAND, node.end);
    case 'Pipeline':
    case 'AndOr':
    case 'Statement':
    case 'CompoundList':
      return gapsMatch(node, source, SEPARATORS_IN_LIST, node.end);
    case 'Script':
      return gapsMatch(node, source, SEPARATORS_IN_LIST, node.end);
    default:
      return true;
  }
}

function gapsMatch(node: SyntaxNode, source: string, allowed: RegExp, end: number): boolean {
  const pieces: SyntaxNode[] = [];
  forEachChild(node, (child) => pieces.push(child));
  let at = node.pos;
  for (const piece of pieces.sort((left, right) => left.pos - right.pos)) {
    if (piece.pos > at && !allowed.test(source.slice(at, piece.pos))) return false;
    at = Math.max(at, piece.end);
  }
  return at >= end || allowed.test(source.slice(at, end));
}

/** Blanks the bodies of here-documents, because they are between nodes to which they do not belong. */
export function withoutHereDocs(root: SyntaxNode, source: string): string {
  let text = source;
  const blank = (node: SyntaxNode): void => {
    if (node.type === 'HereDoc') {
      const end = node.closing?.end ?? node.body.end;
      text = text.slice(0, node.body.pos) + '\n'.repeat(end - node.body.pos) + text.slice(end);
    }
    // A script with its own source text is blanked when it is visited.
    if (node === root || node.type !== 'Script' || node.source === undefined) forEachChild(node, blank);
  };
  blank(root);
  return text;
}
