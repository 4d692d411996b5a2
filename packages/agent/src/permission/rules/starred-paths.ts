/** Finds parent folders in the part of a path that a star of an allow rule matches: `cat src/../key` for `cat src/*`. */
import type { StarText } from './wildcard.ts';

/** A word of a command as it is written, with its quotes. */
const WORD = /(?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^\s'"\\])+/g;

/**
 * Returns whether the path in which a star begins has a parent folder from there on. A star that is a whole word, or the
 * whole value of an option, matches any path.
 */
export function leavesFolder({ text, from }: StarText): boolean {
  if (!MAY_CLIMB.test(text)) return false;
  for (const { index, 0: word } of text.matchAll(WORD)) {
    if (index >= from) return false;
    if (index + word.length < from) continue;
    if (isWholeValue(word.slice(0, from - index))) return false;
    const start = word.lastIndexOf('/', from - index - 1) + 1;
    const rest = word.slice(start);
    // The text of such quotes can contain dots by number.
    return rest.includes("$'") || CLIMBS.test(rest.replace(/['"\\]/g, ''));
  }
  return false;
}

/** A code of an ASCII character. */
const ASCII_CODE = /%([0-7][\da-f])/gi;
/** Some servers ignore a parameter behind the name of a folder: `..;x`. */
const PARENT_IN_ADDRESS = /(?:^|[/\\])\.\.(?:[/\\;]|$)/;

/**
 * Returns whether the path of an address has a parent folder after a star begins, also with percent codes: `%2e%2e/x`. A path that
 * cannot be decoded may have one.
 */
export function leavesEncodedFolder({ text, from }: StarText): boolean {
  const [path = ''] = text.split(/[?#]/, 1);
  if (from > path.length) return false;
  const rest = path.slice(path.lastIndexOf('/', from - 1) + 1);
  const decoded = decodedText(rest);
  if (decoded === undefined) return true;
  // A second server may decode the path once more.
  const again = decoded.replace(ASCII_CODE, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return PARENT_IN_ADDRESS.test(decoded) || PARENT_IN_ADDRESS.test(again);
}

/** Undefined if it contains codes of no character. */
function decodedText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const MAY_CLIMB = /\.['"\\]*[.*?[{,}]|\$'/;
/** A glob that begins with a dot may match the parent folder, and braces may form its name. */
const CLIMBS = /(?:^|\/)\.(?:\.(?:\/|$)|[^/]*[*?[{])|[{,]\.*[,}]|\.[{,}]/;

/** `--dir=*` and `-C*` */
function isWholeValue(before: string): boolean {
  return /^-[A-Za-z]$|[=:]$/.test(before);
}
