/**
 * Replaces the expressions with which a start-up file names its own place, such as `"$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"`,
 * by a variable that has the names of the file as its values.
 */

/** The variable of the text that means the file itself. */
export const OWN_FILE = 'OWN_PLACE_OF_FILE';

const OWN = `\${${OWN_FILE}}`;
/** The file itself, or a folder around it. */
const PLACE = String.raw`\$\{${OWN_FILE}\}(?:\/\.\.)*`;
const WORD = String.raw`((?:"[^"()\x60\n]*"|'[^'()\x60\n]*'|[^\s"'()\x60;&|<>])+)`;
const OPEN = String.raw`(?:\$?\(|\x60)\s*(?:(?:command|builtin|path)\s+|\\)*`;
const CLOSE = String.raw`[^()\x60\n]*[)\x60]`;

/** Only texts with one of these are changed. */
const MENTIONED =
  /\bBASH_SOURCE\b|\$\{?(?:\([^()\n]*\))?0\b|\$\{\.sh\.file|%[xN]\}|%\d?[xN]\)|\bfuncsourcetrace\b|\b(?:readlink|realpath)\b|<(?:sfile|script)>|\bstatus\s+(?:-f|(?:--)?(?:current-)?(?:filename|dirname))|debug\.getinfo|\b(?:load|buffer)-file-name\b|#\{(?:d:)?current_file\}/;

type Replacement = readonly [
  form: RegExp,
  by: (whole: string, ...groups: readonly (string | undefined)[]) => string,
];

const above = (modifiers: string | undefined): string => '/..'.repeat(modifiers?.match(/h/g)?.length ?? 0);
const withoutQuotes = (word: string | undefined): string => (word ?? '').replace(/["']/g, '');

/** The file itself in the languages of shells, editors and terminals. */
const NAMED: readonly Replacement[] = [
  [/\$(?:BASH_SOURCE(?:\[\w*\])?|0(?!\w))/g, () => OWN],
  [/\$\{\(%\):-%\d?[xN]\}/g, () => OWN],
  [/\$\(\s*print\s[^()]*%\d?[xN]["']?\s*\)/g, () => OWN],
  [/\$\{?funcsourcetrace\[[^\]]*\](?:%:\S*\})?\}?/g, () => OWN],
  [/\$?\(\s*status\s+(?:-f|(?:--)?(?:current-)?filename)\s*\)/g, () => OWN],
  [/\$?\(\s*status\s+(?:--)?(?:current-)?dirname\s*\)/g, () => `${OWN}/..`],
  [
    /\bexpand\(\s*["']<(?:sfile|script)>((?::\w)*)["'][^()]*\)/g,
    (_, modifiers) => `'${OWN}${above(modifiers)}'`,
  ],
  [/<(?:sfile|script)>((?::\w)*)/g, (_, modifiers) => `${OWN}${above(modifiers)}`],
  [/\bdebug\.getinfo\([^()]*\)\.(?:short_)?source\b(?::(?:sub|gsub)\([^()]*\))*/g, () => `'${OWN}'`],
  [/\b(?:load|buffer)-file-name\b/g, () => `"${OWN}"`],
  [/#\{(d:)?current_file\}/g, (_, folder) => `${OWN}${folder === undefined ? '' : '/..'}`],
];

/** Other names from a name: its folder, its value without links, and the folder that a command enters. */
const DERIVED: readonly Replacement[] = [
  [
    new RegExp(
      String.raw`\$\{(?:\([^()]*\))?(?:0|BASH_SOURCE(?:\[[^\]\n]*\])?|\.sh\.file|"?(${PLACE})"?)(?:((?::[a-zA-Z])+)|(%{1,2}\/\*)|(?:[:%#/+=?-](?:${PLACE}|[^{}])*)?)\}`,
      'g',
    ),
    (_, place, modifiers, folder) => `${place ?? OWN}${folder === undefined ? above(modifiers) : '/..'}`,
  ],
  [new RegExp(String.raw`\$\{[^{}]*:?[-=]"?(${PLACE})"?\}`, 'g'), (_, place = OWN) => place],
  [
    new RegExp(`${OPEN}dirname\\s+(?:-\\S+\\s+)*${WORD}${CLOSE}`, 'g'),
    (_, word) => `${withoutQuotes(word)}/..`,
  ],
  [
    new RegExp(
      String.raw`${OPEN}(?:(?:unset\s+CDPATH|CDPATH=\S*)\s*(?:;|&&)?\s*)?(?:builtin\s+|command\s+|\\)*cd\s+(?:-\S+\s+)*${WORD}\s*(?:&?\d?>\s*[^\s<>;|()]+\s*){0,3}(?:&&|;|\|\|[^()\x60;&]*;)\s*(?:builtin\s+|command\s+|\\)*(?:\/bin\/)?pwd${CLOSE}`,
      'g',
    ),
    (_, word) => withoutQuotes(word),
  ],
  [new RegExp(String.raw`\bresolve\(\s*(["'](?:${PLACE})["'])\s*\)`, 'g'), (_, quoted = '') => quoted],
  [
    new RegExp(String.raw`\bfnamemodify\(\s*["'](${PLACE})["']\s*,\s*["']((?::\w)*)["']\s*\)`, 'g'),
    (_, place = '', modifiers) => `'${place}${above(modifiers)}'`,
  ],
  [
    new RegExp(String.raw`["'](${PLACE})["']:match\([^\n]*?["']\s*\)`, 'g'),
    (_, place = '') => `'${place}/..'`,
  ],
  [
    new RegExp(
      String.raw`\((?:or|file-truename|expand-file-name)\s+("${PLACE}")(?:\s+"${PLACE}")*\s*\)`,
      'g',
    ),
    (_, quoted = '') => quoted,
  ],
  [
    new RegExp(String.raw`\(file-name-directory\s+"(${PLACE})"\s*\)`, 'g'),
    (_, place = '') => `"${place}/.."`,
  ],
  [
    new RegExp(
      String.raw`\((?:concat|expand-file-name\s+"([^"\n]*)")\s+"(${PLACE})"(?:\s+"([^"\n]*)")?\s*\)`,
      'g',
    ),
    (_, name = '', place = '', tail = '') => `"${place}/${name}${tail}"`,
  ],
  // `'/dot' . '/x.vim'`, also with the operator of Lua.
  [new RegExp(String.raw`(${PLACE})["'][ \t]*\.{1,2}[ \t]*["']`, 'g'), (_, place = '') => place],
];

const RESOLVED = new RegExp(
  String.raw`${OPEN}(?:g?readlink|g?realpath|resolve)\s+(?:-\S+\s+)*${WORD}${CLOSE}`,
  'g',
);

/** Expressions are nested. */
const MOST_ROUNDS = 6;

/** A program forms a name from the own place. Programs that only cut or print the own name form none. */
const UNCLEAR = new RegExp(
  String.raw`(?:\$\(|\x60)(?!\s*(?:basename|awk|sed|grep|echo|date)\b)[^)\x60\n]{0,400}${PLACE}`,
);

export interface OwnPlaceText {
  readonly text: string;
  /** The text refers to its own place. */
  readonly isMentioned: boolean;
  /** A name that the text forms from its own place cannot be told. */
  readonly isUnclear: boolean;
}

/** The base names of the file are in expressions such as `readlink -f ~/.bashrc`. */
export function withOwnPlace(text: string, baseNames: readonly string[]): OwnPlaceText {
  if (!MENTIONED.test(text)) return { text, isMentioned: false, isUnclear: false };
  const isOwn = (word: string): boolean => baseNames.some((name) => word.endsWith(`/${name}`));
  const forms: readonly Replacement[] = [
    ...DERIVED,
    [RESOLVED, (_, word) => (isOwn(withoutQuotes(word)) ? OWN : withoutQuotes(word))],
  ];
  const changedBy = (before: string, list: readonly Replacement[]): string =>
    list.reduce((changed, [form, by]) => changed.replace(form, by), before);
  let changed = changedBy(text, NAMED);
  for (let round = 0, before = ''; round < MOST_ROUNDS && changed !== before; round++) {
    before = changed;
    changed = changedBy(before, forms);
  }
  return { text: changed, isMentioned: changed.includes(OWN), isUnclear: UNCLEAR.test(changed) };
}

const TAIL = /(?:\$\w+|\}|["')\x60=\s,[])\/?((?:[\w.+@-]+\/)*[\w.+@-]+)/g;

/** Words of a text that may be names in its own folder: those with a slash or an ending, or all of them. */
export function tailsIn(text: string, areAll: boolean): readonly string[] {
  const tails = new Set<string>();
  for (const { 0: whole, 1: name = '' } of text.matchAll(TAIL))
    if ((areAll || whole.includes('/') || /\.\w+$/.test(name)) && /\w/.test(name) && tails.size < MOST_TAILS)
      tails.add(name);
  return [...tails];
}

const MOST_TAILS = 1000;
