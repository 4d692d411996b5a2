/**
 * Reads the pattern of a file rule as its author meant it: `*.{pem,key}` is two patterns, `$HOME` is the home folder, and a name such
 * as `[id]` is a set of letters and a name. Forms without an effect are reported, because users would rely on them.
 */
import { parseRule, type RuleList } from './rule.ts';

/** Each alternative is compiled and compared like a rule, so their number is limited. */
const MOST_SPELLINGS = 100;

/** The depth of braces in braces that are expanded. */
const DEEPEST = 8;

/** Returns whether the specifier of rules for this tool is a pattern of paths. */
export function isAboutFiles(tool: string): boolean {
  return tool === 'Read' || tool === 'Edit';
}

/**
 * Returns the patterns without braces and variables that a pattern means. In deny and ask, these include the texts with literal
 * braces and brackets, because both may be names on the disk.
 */
export function spellingsOf(specifier: string, list: 'allow' | 'deny'): readonly string[] {
  const groups = groupsIn(specifier);
  const expanded = groups.length === 0 ? [specifier] : expand(specifier, groups, list);
  if (list === 'allow') return (expanded ?? [specifier]).map(inHome);
  const asWritten = mayBeginWithAnchor(specifier, groups) ? [] : [specifier];
  const all = [...asWritten, ...(expanded ?? [widened(specifier, groups)])].map(inHome);
  const patterns = [...new Set(all)];
  const choices = patterns.reduce((sum, one) => sum + 2 ** one.split('/').filter(hasBrackets).length, 0);
  const literals =
    choices > 2 * MOST_SPELLINGS
      ? patterns.flatMap((one) => [one, literalBrackets(one)])
      : patterns.flatMap(namesWithBrackets);
  return [...new Set(literals)];
}

function inHome(pattern: string): string {
  return pattern.replace(/^(?:\$HOME|\$\{HOME\})(?=\/|$)/, '~');
}

/** Braces that belong together, at these positions. A variable in braces is a text. */
interface Group {
  readonly open: number;
  readonly close: number;
  readonly commas: readonly number[];
  readonly inner: readonly Group[];
}

/** Returns the outermost groups. A brace without a counterpart is a letter. */
function groupsIn(pattern: string): readonly Group[] {
  const open: { readonly at: number; readonly commas: number[]; readonly inner: Group[] }[] = [];
  const outer: Group[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at];
    const around = open.at(-1);
    if (letter === '\\') at++;
    else if (letter === '{') open.push({ at, commas: [], inner: [] });
    else if (letter === ',') around?.commas.push(at);
    else if (letter === '}' && around !== undefined) {
      open.pop();
      if (pattern[around.at - 1] === '$') continue;
      const group = { open: around.at, close: at, commas: around.commas, inner: around.inner };
      (open.at(-1)?.inner ?? outer).push(group);
    }
  }
  // Groups after a brace that is never closed are outermost ones, too.
  return [...outer, ...open.flatMap(({ inner }) => inner)].toSorted((one, other) => one.open - other.open);
}

/** Returns undefined if the braces mean too many patterns. */
function expand(
  pattern: string,
  groups: readonly Group[],
  list: 'allow' | 'deny',
): readonly string[] | undefined {
  const between = (
    from: number,
    to: number,
    inside: readonly Group[],
    depth: number,
  ): string[] | undefined => {
    let texts = [''];
    let at = from;
    for (const group of inside) {
      const before = pattern.slice(at, group.open);
      const choices = depth < DEEPEST ? alternatives(group, depth) : undefined;
      if (choices === undefined || texts.length * choices.length > MOST_SPELLINGS) return undefined;
      texts = texts.flatMap((text) => choices.map((choice) => text + before + choice));
      at = group.close + 1;
    }
    return texts.map((text) => text + pattern.slice(at, to));
  };
  const alternatives = ({ open, close, commas, inner }: Group, depth: number): string[] | undefined => {
    const range = commas.length === 0 ? rangeOf(pattern.slice(open + 1, close)) : undefined;
    if (range !== undefined) return range === 'long' ? undefined : range;
    const starts = [open, ...commas];
    let next = 0;
    const found: string[] = [];
    for (const [index, start] of starts.entries()) {
      const end = starts[index + 1] ?? close;
      const first = next;
      while ((inner[next]?.open ?? close) < end) next++;
      const texts = between(start + 1, end, inner.slice(first, next), depth + 1);
      if (texts === undefined || found.length + texts.length > MOST_SPELLINGS) return undefined;
      found.push(...texts);
    }
    // To a shell, braces without a comma are text. For a rule that forbids, their content counts as well.
    return commas.length > 0 || list === 'deny' ? found : found.map((text) => `{${text}}`);
  };
  return between(0, pattern.length, groups, 0);
}

/** Expands `1..9` and `a..f`. */
function rangeOf(text: string): string[] | 'long' | undefined {
  const [, first = '', last = ''] = /^(\d{1,9}|[a-z]|[A-Z])\.\.(\d{1,9}|[a-z]|[A-Z])$/.exec(text) ?? [];
  const isNumber = /^\d/.test(first);
  if (first === '' || isNumber !== /^\d/.test(last)) return undefined;
  const codeOf = (end: string): number => (isNumber ? Number(end) : end.charCodeAt(0));
  const [low, high] = [codeOf(first), codeOf(last)].toSorted((one, other) => one - other);
  if (low === undefined || high === undefined || high - low >= MOST_SPELLINGS) return 'long';
  return Array.from({ length: high - low + 1 }, (_, at) =>
    isNumber ? String(low + at) : String.fromCharCode(low + at),
  );
}

/** Returns a pattern without braces that matches everything that the braces may mean. */
function widened(pattern: string, groups: readonly Group[]): string {
  if (mayBeginWithAnchor(pattern, groups)) return '//**';
  let at = 0;
  let plain = '';
  for (const { open, close } of groups) {
    const isDeep = pattern.slice(open, close).includes('/');
    plain += `${pattern.slice(at, open)}${isDeep ? '{**}' : '*'}`;
    at = close + 1;
  }
  plain += pattern.slice(at);
  const names = plain.split('/').map((name) => (name.includes('{**}') ? '**' : name));
  return names.join('/');
}

/** Returns whether an alternative in the first name may have an anchor of its own. */
function mayBeginWithAnchor(pattern: string, groups: readonly Group[]): boolean {
  const first = pattern.search(/\/|$/);
  return groups.some(({ open, close }) => open < first && /[/~$]/.test(pattern.slice(open, close)));
}

/** Returns a pattern with each choice of its sets of letters: as a set, and as letters of the name. */
function namesWithBrackets(pattern: string): readonly string[] {
  let found: readonly string[] = [''];
  for (const [at, name] of pattern.split('/').entries()) {
    const choices = hasBrackets(name) ? [name, literalBrackets(name)] : [name];
    found = found.flatMap((text) => choices.map((choice) => (at === 0 ? choice : `${text}/${choice}`)));
  }
  return found;
}

function hasBrackets(name: string): boolean {
  return name.includes('[') && name.includes(']');
}

/** Returns a pattern without sets of letters: `[id]` is `\[id\]`. */
function literalBrackets(pattern: string): string {
  return pattern.replace(/\\[\s\S]|[[\]]/g, (piece) => (piece.length > 1 ? piece : `\\${piece}`));
}

/** Returns a warning about a pattern of paths that may not match what its author means. Undefined if there is none. */
export function doubtAboutPath(text: string, list: RuleList): string | undefined {
  const specifier = list === 'allow' ? undefined : specifierOfPath(text, list);
  // `file_path:x` compares a field.
  if (specifier === undefined || /^[A-Za-z_]\w*:/.test(specifier)) return undefined;
  if (/^["'`]|["'`]$/.test(specifier)) return `${text}: quotes are a part of the pattern; leave them out`;
  const groups = groupsIn(specifier);
  if (hasOuterComma(specifier, groups))
    return `${text}: a comma is a part of the pattern; write one rule for each path, or {a,b}, or \\, for a name with a comma`;
  const starts = spellingsOf(specifier, 'deny');
  if (starts.some((start) => /^(?:\$|~[^/])/.test(start)))
    return `${text}: of variables and names of users, only $HOME and ~ are known at the start; write the path`;
  if (groups.length > 0 && expand(specifier, groups, 'deny') === undefined)
    return `${text}: more than ${MOST_SPELLINGS} alternatives; the braces match any text`;
  return undefined;
}

/** Returns the pattern of a rule about files. Undefined for other rules. */
export function specifierOfPath(text: string, list: RuleList): string | undefined {
  const parsed = parseRule(text, list);
  return parsed.ok && isAboutFiles(parsed.tool) ? parsed.specifier : undefined;
}

function hasOuterComma(pattern: string, groups: readonly Group[]): boolean {
  let at = 0;
  const outside = groups.map(({ open, close }) => {
    const text = pattern.slice(at, open);
    at = close + 1;
    return text;
  });
  const rest = [...outside, pattern.slice(at)].join('');
  return rest.replace(/\\[\s\S]|\[[^\]]*\]/g, '').includes(',');
}
