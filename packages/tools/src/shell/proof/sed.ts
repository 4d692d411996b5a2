/** Scripts of sed that only change what passes through, and calls of it that leave the files as they are. */
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
    // Some versions look for options before the first operand only.
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

/** Substitute, delete, print, insert, and what moves lines about: other commands write files or run programs. */
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

/** A set that ends for every version where it ends for all others: `[^]x]` and `[[:a]x]` do not. */
const SET = String.raw`\[(?!\^?\])(?:\[:[a-z]+:\]|[^\][\\/\n])+\]`;
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^\\/\n[]|\\.|${SET})+/I?)`;
const ADDRESSES = new RegExp(`^(?:${ADDRESS}(?:\\s*,\\s*(?:${ADDRESS}|[+~]\\d+))?)?\\s*!?\\s*`);

function addressEnd(text: string): number | undefined {
  return ADDRESSES.exec(text)?.[0].length;
}

/** How long the command at the beginning is; undefined where it is none of those. */
function commandEnd(text: string): number | undefined {
  const [letter = ''] = text;
  if (letter === '{') return 1;
  if (/[aic]/.test(letter)) return /^[aic] ?[^\\\n]*(?=\n|$)/.exec(text)?.[0].length;
  if (/[sy]/.test(letter)) return substitutionEnd(text);
  return /^(?:[dDpPnNgGhHx=]|q\d*)\s*(?=[;}\n]|$)/.exec(text)?.[0].length;
}

/** The same in a pattern whose delimiter is another; what is escaped in a set counts for itself. */
const PATTERN = /^(?:[^\\[]|\\.|\[(?!\^?\])(?:\[:[a-z]+:\]|\\[^\]]|[^\][\\])+\])*$/;

/** `s/a/b/g` with any delimiter. In brackets one program ends at a delimiter where another does not: not known. */
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
