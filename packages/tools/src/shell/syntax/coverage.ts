/**
 * Checks the syntax tree against its text: only separators may be between two nodes. A parser that skips a character (as
 * unbash does with the bracket of `echo(`) would otherwise hide it.
 */
import { forEachChild, type SyntaxNode } from 'unbash';

const BLANKS = /^(?:[ \t]|\\\n)*$/;
const SEPARATORS = /^(?:[\s;&|]|\\\n|#[^\n]*)*$/;

/** Returns true if every gap between the children of a node contains only allowed text. */
export function isCovered(node: SyntaxNode, source: string): boolean {
  switch (node.type) {
    case 'Command':
      return gapsMatch(node, source, BLANKS, node.end);
    case 'Pipeline':
    case 'AndOr':
    case 'Statement':
    case 'CompoundList':
      return gapsMatch(node, source, SEPARATORS, node.end);
    case 'Script':
      return gapsMatch(node, source, SEPARATORS, node.end);
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
