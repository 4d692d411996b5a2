/** Proves sed scripts that only change the output, and calls that do not write files. */
import { type Arg, isName } from './options.ts';

const ALONE =
  /^(-[nErsuz]+|--(quiet|silent|regexp-extended|null-data|separate|unbuffered|posix|sandbox|version|help))$/;

export function isReadOnlySed(args: readonly Arg[]): boolean {
  const scripts: string[] = [];
  const operands: Arg[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === undefined) break;
    const { value, exact } = arg;
    if (!value.startsWith('-') || (exact && value === '-')) operands.push(arg);
    // Some versions read options only before the first operand.
    else if (!exact || operands.length > 0) return false;
    else if (/^(-[nErsuz]*e|--expression)$/.test(value)) {
      const script = args[++at];
      if (!script?.exact) return false;
      scripts.push(script.value);
    } else if (value.startsWith('--expression=')) scripts.push(value.slice('--expression='.length));
    else if (!ALONE.test(value)) return false;
  }
  if (scripts.length === 0) {
    const script = operands.shift();
    if (script && !script.exact) return false;
    scripts.push(script?.value ?? '');
  }
  return (
    scripts.every(isPlainScript) &&
    operands.every((file) => isName(file) || (file.exact && file.value === '-'))
  );
}

/** Allows commands that substitute, delete, print, insert or move lines. Other commands write files or run programs. */
export function isPlainScript(script: string): boolean {
  let rest = script;
  if (script.endsWith('\\')) return false;
  while (true) {
    rest = rest.replace(/^[\s;}]+/, '');
    if (rest === '') return true;
    const address = addressEnd(rest);
    const end = address === undefined ? undefined : commandEnd(rest.slice(address));
    if (address === undefined || end === undefined) return false;
    rest = rest.slice(address + end);
  }
}

/** A set that ends at the same place in every version. `[^]x]` and `[[:a]x]` do not. */
const SET = String.raw`\[(?!\^?\])(?:\[:[a-z]+:\]|[^\][\\/\n])+\]`;
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^\\/\n[]|\\.|${SET})+/I?)`;
const ADDRESSES = new RegExp(`^(?:${ADDRESS}(?:\\s*,\\s*(?:${ADDRESS}|[+~]\\d+))?)?\\s*!?\\s*`);

function addressEnd(text: string): number | undefined {
  return ADDRESSES.exec(text)?.[0].length;
}

/** Returns the length of the first command, or undefined if it is not an allowed one. */
function commandEnd(text: string): number | undefined {
  const [letter = ''] = text;
  if (letter === '{') return 1;
  if (/[aic]/.test(letter)) return /^[aic] ?[^\\\n]*(?=\n|$)/.exec(text)?.[0].length;
  if (/[sy]/.test(letter)) return substitutionEnd(text);
  return /^(?:[dDpPnNgGhHx=]|q\d*)\s*(?=[;}\n]|$)/.exec(text)?.[0].length;
}

/** A pattern with another delimiter. Escaped characters in a set are literal. */
const PATTERN = /^(?:[^\\[]|\\.|\[(?!\^?\])(?:\[:[a-z]+:\]|\\[^\]]|[^\][\\])+\])*$/;

/** `s/a/b/g` with any delimiter. A delimiter in brackets is not accepted, because versions of sed differ. */
function substitutionEnd(text: string): number | undefined {
  const delimiter = text[1] ?? '';
  if (!/^[!-/:-@^`{-~]$/.test(delimiter)) return undefined;
  const parts: string[] = [''];
  let at = 2;
  for (; at < text.length && parts.length < 3; at++) {
    const letter = text[at] ?? '';
    if (letter === '\n') return undefined;
    if (letter === delimiter) parts.push('');
    else parts.push(parts.pop() + (letter === '\\' ? letter + (text[++at] ?? '') : letter));
  }
  const [pattern = ''] = parts;
  if (parts.length < 3 || !PATTERN.test(pattern)) return undefined;
  const flags = /^[gpiI\d]*\s*(?=[;}\n]|$)/.exec(text.slice(at));
  return flags ? at + flags[0].length : undefined;
}
