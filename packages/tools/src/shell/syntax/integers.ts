/**
 * Accepts arithmetic that can neither run a command nor set an unknown variable. The shell evaluates the value of a variable
 * as an expression, and a subscript in it may contain a substitution. So only numbers and integer variables are accepted.
 */
import {
  type ArithmeticFor,
  type Assignment,
  type Command,
  forEachChild,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { isOwn } from '../variables.ts';

const NUMBER = /^-?\d+$/;

/** Names that the script sets to integers, and to nothing else anywhere in its text. */
export function integersOf(root: SyntaxNode): ReadonlySet<string> {
  const isInteger = new Map<string, boolean>();
  const settingTexts: string[] = [];
  const note = (name: string, holds: boolean): void => {
    isInteger.set(name, (isInteger.get(name) ?? true) && holds && isOwn(name));
  };
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Assignment') note(node.name, isIntegerAssignment(node));
    if (node.type === 'For' || node.type === 'Select') {
      note(
        node.name.text,
        node.type === 'For' && (node.wordlist ?? []).every(isIntegerWord) && node.wordlist !== undefined,
      );
    }
    if (node.type === 'ArithmeticFor') for (const name of initialized(node)) note(name, true);
    if (node.type === 'Command') settingTexts.push(...textsThatSet(node));
    forEachChild(node, visit);
  };
  visit(root);
  const maySet = (text: string, name: string): boolean => /[$`{]/.test(text) || text.includes(name);
  return new Set(
    [...isInteger].flatMap(([name, holds]) =>
      holds && !settingTexts.some((text) => maySet(text, name)) ? [name] : [],
    ),
  );
}

const SETTERS =
  /^(read|mapfile|readarray|getopts|let|export|declare|typeset|local|readonly|unset|wait|command|builtin|eval|trap|alias)$/;

/**
 * Returns texts that may contain the name of a variable that the command sets: `-ax`, `'x=a'`, the code of `eval`, and the
 * variable of a reference (`declare -n r=x`). The shell expands some of them first.
 */
function textsThatSet({ name, args }: Command): readonly string[] {
  const program = name?.value ?? '';
  const isPrinted = program === 'printf' && !args[0]?.text.replace(/["'\\]/g, '').startsWith('-v');
  if (isPrinted || !(program === 'printf' || SETTERS.test(program))) return [];
  return args.flatMap((arg) => {
    if (arg.type === 'Word') return [arg.value];
    return arg.value.type === 'Word' && !isIntegerAssignment(arg) ? [arg.value.text] : [];
  });
}

function isIntegerAssignment({ value, index }: Assignment): boolean {
  if (value.type !== 'Word' || index !== undefined) return false;
  const [part, ...more] = value.parts ?? [];
  return NUMBER.test(value.text) || (more.length === 0 && part?.type === 'ArithmeticExpansion');
}

function isIntegerWord({ text }: Word): boolean {
  return NUMBER.test(text) || /^\{\d+\.\.\d+\}$/.test(text);
}

/** The variables that the head of a loop sets: `i=0`. */
function initialized({ initialize }: ArithmeticFor): string[] {
  if (initialize?.type !== 'ArithmeticBinary' || initialize.operator !== '=') return [];
  const { left, right } = initialize;
  const isNumber = right.type === 'ArithmeticWord' && NUMBER.test(right.value);
  return isNumber && left.type === 'ArithmeticWord' ? [left.value] : [];
}

const TOKENS = /\$\{#?(\w+)\}|\$(\w+)|\$[?#]|([A-Za-z_]\w*)|0[xX][\da-fA-F]+|\d+|[-+*/%<>=!&|^~?:,;()\s]/y;

/** Returns true for an expression of numbers, operators and these variables, with balanced brackets. */
export function isIntegerExpression(text: string, integers: ReadonlySet<string>): boolean {
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    TOKENS.lastIndex = at;
    const token = TOKENS.exec(text);
    if (token === null) return false;
    const [whole, braced, simple, bare] = token;
    const name = braced ?? simple ?? bare;
    const isLength = whole.startsWith('${#');
    if (name !== undefined && !isLength && !integers.has(name)) return false;
    if (whole === '(') depth++;
    if (whole === ')' && --depth < 0) return false;
    at += whole.length;
    // `2#1` and `1a` are not plain numbers.
    if (/^\d/.test(whole) && /[\w#]/.test(text[at] ?? '')) return false;
  }
  return depth === 0 && /\S/.test(text);
}

/** Checks an operand of `-eq` or a similar operator, as it is written. */
export function isIntegerOperand(text: string, integers: ReadonlySet<string>): boolean {
  const bare = /^"[^"]*"$/.test(text) ? text.slice(1, -1) : text;
  if (NUMBER.test(bare) || /^(\$[?#]|\$\{#\w+\})$/.test(bare)) return true;
  const name = /^\$(?:\{(\w+)\}|([A-Za-z_]\w*))$/.exec(bare);
  return name !== null && integers.has(name[1] ?? name[2] ?? '');
}
