/** Scripts of sed: which only change what passes through, and which files they write themselves. */

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

const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^\\/\n[]|\\.|\[[^\]/\n\\]+\])+/I?)`;
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

/** `s/a/b/g` with any delimiter. In brackets one program ends at a delimiter where another does not: not known. */
function substitutionEnd(text: string): number | undefined {
  const delimiter = text[1] ?? '';
  if (!/^[^\\\s\w]$/.test(delimiter)) return undefined;
  const parts: string[] = [''];
  let at = 2;
  for (; at < text.length && parts.length < 3; at++) {
    const letter = text[at] ?? '';
    if (letter === '\n') return undefined;
    if (letter === delimiter) parts.push('');
    else parts.push(parts.pop() + (letter === '\\' ? letter + (text[++at] ?? '') : letter));
  }
  const [pattern = ''] = parts;
  const open = pattern.replace(/\\./g, '').replace(/\[\^?\]?[^\]]*\]/g, '');
  if (parts.length < 3 || open.includes('[')) return undefined;
  const flags = /^[gpiI\d]*\s*(?=[;}\n]|$)/.exec(text.slice(at));
  return flags ? at + flags[0].length : undefined;
}

/** Files behind a `w`, wherever one may be a command or a flag. Finds too many rather than too few. */
export function sedWrites(script: string): string[] {
  return Array.from(
    script.matchAll(/(?:^|[^\\A-Za-z])[gpiImMe\d]*[wW]\s*([^\s;}][^\n]*)/g),
    ([, file = '']) => file,
  );
}
