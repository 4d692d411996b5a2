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
    rest = rest.replace(/^[\t-\r ;}]+/, '');
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
const ADDRESSES = new RegExp(
  `^(?:${ADDRESS}(?:[\\t-\\r ]*,[\\t-\\r ]*(?:${ADDRESS}|[+~]\\d+))?)?[\\t-\\r ]*!?[\\t-\\r ]*`,
);

function addressEnd(text: string): number | undefined {
  return ADDRESSES.exec(text)?.[0].length;
}

/** Returns the length of the first command, or undefined if it is not an allowed one. */
function commandEnd(text: string): number | undefined {
  const [letter = ''] = text;
  if (letter === '{') return 1;
  if (/[aic]/.test(letter)) return /^[aic] ?[^\\\n]*(?=\n|$)/.exec(text)?.[0].length;
  if (/[sy]/.test(letter)) return substitutionEnd(text);
  return /^(?:[dDpPnNgGhHx=]|q\d*)[\t-\r ]*(?=[;}\n]|$)/.exec(text)?.[0].length;
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
  const flags = /^[gpiI\d]*[\t-\r ]*(?=[;}\n]|$)/.exec(text.slice(at));
  return flags ? at + flags[0].length : undefined;
}

/** The delimiters of an address: `/a/`, `\\,a,`. */
const ADDRESS_DELIMITER = /\/|\\[^\n\\]/y;
const LINE_ADDRESS = /\d+(?:~\d+)?|\$|[+~]\d+/y;
/** Commands up to their end. The names of files and the added text continue to the end of the line. */
const PLAIN_COMMAND =
  /(?:[=dDgGhHnNpPxzF]|[qQlL][\t-\r ]*\d*|[btT][ \t]*[^\t-\r ;}]*|:[ \t]*[^\t-\r ;]+)[ \t]*(?=[;}#\n]|$)|[rRwW][^\n]*|[aic](?:[^\\\n]|\\[^])*(?=\n|$)|\{/y;
const END_OF_COMMAND = /[ \t]*(?=[;}#\n]|$)/y;
/** A set that ends at the same place in every version. */
const PLAIN_SET = /\[(?!\^?\])(?:\[:[a-z]+:\]|\\[^\]\n]|[^\][\\\n])+\]/y;
const FLAGS = /[gpiImM\d]*(?:w[^\n]*)?/y;
/** Blanks can be before each of them, and a command directly after them: `/a/I r x`, `/a/Ir x`. */
const ADDRESS_FLAGS = /[IM \t]*/y;

/** A file that a script of sed reads or writes. */
export interface SedFile {
  readonly kind: 'read' | 'write';
  readonly name: string;
}

/** Returns whether a script may run a program, with its command `e` or a flag. A script that is not understood may. */
export function maySedRunProgram(script: string): boolean {
  return sedFiles(script) === undefined;
}

/** Returns the files that a script names. Undefined if it may run a program, or is not understood. */
export function sedFiles(script: string): readonly SedFile[] | undefined {
  const files: SedFile[] = [];
  let at = 0;
  const accept = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(script)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  /** Moves behind the next delimiter. */
  const acceptText = (delimiter: string, isPattern = false): boolean => {
    for (; at < script.length && script[at] !== '\n'; at++) {
      if (script[at] === delimiter) return ++at > 0;
      if (script[at] === '\\') at++;
      else if (isPattern && script[at] === '[') {
        // Only some versions of sed end a pattern at a delimiter in brackets.
        const set = accept(PLAIN_SET);
        if (set === undefined || set.replace(/\\[^]/g, '').includes(delimiter)) return false;
        at--;
      }
    }
    return false;
  };
  const acceptAddress = (): 'none' | 'whole' | 'unclear' => {
    const delimiter = accept(ADDRESS_DELIMITER)?.at(-1);
    if (delimiter === undefined) return accept(LINE_ADDRESS) === undefined ? 'none' : 'whole';
    if (!acceptText(delimiter, true)) return 'unclear';
    accept(ADDRESS_FLAGS);
    return 'whole';
  };
  while (true) {
    accept(/(?:[\t-\r ;}]|#[^\n]*)*/y);
    if (at >= script.length) return files;
    const first = acceptAddress();
    const isRange = first === 'whole' && accept(/[\t-\r ]*,[\t-\r ]*/y) !== undefined;
    if (first === 'unclear' || (isRange && acceptAddress() !== 'whole')) return undefined;
    accept(/[\t-\r !]*/y);
    const letter = script[at] ?? '';
    if (letter === 's' || letter === 'y') {
      const delimiter = script[at + 1] ?? '\n';
      at += 2;
      if (/[\n\\]/.test(delimiter) || !acceptText(delimiter, letter === 's') || !acceptText(delimiter))
        return undefined;
      const flags = letter === 's' ? (accept(FLAGS) ?? '') : '';
      if (flags.includes('w')) files.push({ kind: 'write', name: nameAfter(flags, flags.indexOf('w')) });
      if (accept(END_OF_COMMAND) === undefined) return undefined;
    } else {
      const command = accept(PLAIN_COMMAND);
      if (command === undefined) return undefined;
      if (/[rRwW]/.test(letter))
        files.push({ kind: /[rR]/.test(letter) ? 'read' : 'write', name: nameAfter(command, 0) });
    }
  }
}

/** Sed skips only these two blanks. Others, such as U+00A0, belong to the name. */
function nameAfter(command: string, at: number): string {
  return command.slice(at + 1).replace(/^[ \t]+/, '');
}
