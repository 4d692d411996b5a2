/**
 * Places where the shell does what its grammar does not show: it expands what quotes seem to protect, or sets a variable.
 * Arithmetic reads its text once more, after the quotes are gone: `[[ 'a[$(x)]' -eq 0 ]]` runs x. Within double quotes and
 * here-documents a single quote in `${a:-'$(x)'}` is only a letter.
 */
import { forEachChild, type SyntaxNode, type Word } from 'unbash';

export function doesUnseen(node: SyntaxNode, source: string): boolean {
  switch (node.type) {
    case 'ArithmeticExpansion':
      return PROTECTED.test(node.text);
    case 'ArithmeticCommand':
      return PROTECTED.test(node.body);
    case 'ArithmeticFor':
      return PROTECTED.test(source.slice(node.pos, node.body.pos));
    case 'TestUnary':
      return /^-[vR]$/.test(node.operator) && isOpaque(node.operand);
    case 'TestBinary':
      return /^-(eq|ne|lt|le|gt|ge)$/.test(node.operator) && [node.left, node.right].some(isOpaque);
    case 'Assignment':
      return isOpaque(node.index);
    case 'ParameterExpansion': {
      const { index, operation } = node;
      const reckoned = operation?.type === 'Slice' ? [operation.offset, operation.length] : [];
      return [index, ...reckoned].some(isOpaque) || holdsQuotedSubstitution(node);
    }
    default:
      return false;
  }
}

const PROTECTED = /['\\]/;
/** A word that is reckoned with where nobody expects that it changes anything: `${x:PATH=1}`. */
const OPAQUE = /['\\=]|\+\+|--/;

function isOpaque(word: Word | undefined): boolean {
  return word !== undefined && OPAQUE.test(word.text);
}

/** The commands of a substitution have quotes of their own. */
function holdsQuotedSubstitution(node: SyntaxNode): boolean {
  let holds = false;
  forEachChild(node, (child) => {
    if (child.type === 'CommandExpansion' || child.type === 'ProcessSubstitution') return;
    const isQuoted = child.type === 'SingleQuoted' || child.type === 'AnsiCQuoted';
    holds ||= isQuoted
      ? /.[$`]/s.test(child.text.slice(child.text.indexOf("'")))
      : holdsQuotedSubstitution(child);
  });
  return holds;
}
