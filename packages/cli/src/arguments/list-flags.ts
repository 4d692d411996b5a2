/**
 * Flags that take a list, such as `--allowed-tools Read "Bash(git:*)"`. As in other clients, every word up to the next flag
 * belongs to the list. `--flag=VALUE` takes that one value. A word that cannot belong to the list is probably a prompt and
 * is refused: as a rule it would be ignored, and the prompt would be lost.
 */

/** A mistake of the person at the keyboard. */
export class UsageError extends Error {}

/** The kind of items in a list. Names and rules may also be separated by commas or spaces within one word. */
export type ListKind = 'rules' | 'tools' | 'betas' | 'folders' | 'configs';

export interface TakenList {
  readonly items: readonly string[];
  /** The index of the last argument that was used. */
  readonly at: number;
}

/** `at`: the index of the flag, `inline`: the value behind its equals sign. Throws `Refused` for an empty list. */
export function takeList(
  name: string,
  kind: ListKind,
  argv: readonly string[],
  at: number,
  inline: string | undefined,
): TakenList {
  if (inline !== undefined) return { items: itemsOf(name, kind, inline), at };
  let end = at;
  while (isListWord(argv[end + 1])) end++;
  if (end === at) throw new UsageError(`${name} needs a value`);
  const words = argv.slice(at + 1, end + 1);
  return { items: words.flatMap((word) => itemsOf(name, kind, word)), at: end };
}

function isListWord(argument: string | undefined): boolean {
  return argument !== undefined && (argument === '-' || !argument.startsWith('-'));
}

function itemsOf(name: string, kind: ListKind, word: string): string[] {
  const items = kind === 'rules' ? splitRules(word) : isOneItem(kind) ? [word] : word.split(/[\s,]+/);
  const wanted = FORMS[kind];
  const wrong = items.find((item) => item !== '' && !wanted.form.test(item));
  if (wrong === undefined) return items.filter((item) => item !== '' || kind === 'folders');
  throw new UsageError(`${name}: ${shortened(word)} is not ${wanted.what}. ${promptHint(name)}`);
}

/** A folder or a file may have commas and spaces in its name. */
function isOneItem(kind: ListKind): boolean {
  return kind === 'folders' || kind === 'configs';
}

export function promptHint(name: string): string {
  return `${name} takes every word up to the next flag: put the prompt before it, or after --`;
}

/** Whether each exists is checked later; here only what can be seen from the word itself. */
const FORMS: Readonly<Record<ListKind, { readonly form: RegExp; readonly what: string }>> = {
  // A word that opens a parenthesis was meant as a rule: what is wrong with it is reported when rules are parsed.
  rules: { form: /^(?:[A-Z]\w*|mcp__[^()]+|[^()]*\*[^()]*)?(?:\(|$)/, what: 'a tool or a rule' },
  tools: { form: /^(?:[A-Z]\w*|mcp__.+|default)$/, what: 'a tool' },
  betas: { form: /^[A-Za-z_.:-]*\d[\w.:-]*$/, what: 'the name of a beta feature' },
  folders: { form: /^/, what: 'a folder' },
  configs: { form: /^(?:\S+|\s*[{[][^]*|.*\.json)$/, what: 'a file or JSON' },
};

const LONGEST_SHOWN = 60;

function shortened(word: string): string {
  return JSON.stringify(word.length > LONGEST_SHOWN ? `${word.slice(0, LONGEST_SHOWN)}…` : word);
}

/** Rules are separated by commas or spaces; those inside parentheses belong to the rule. */
export function splitRules(value: string): string[] {
  const rules: string[] = [];
  let rule = '';
  let depth = 0;
  for (const letter of value) {
    if (letter === '(') depth++;
    if (letter === ')') depth = Math.max(0, depth - 1);
    if (depth > 0 || !/[\s,]/.test(letter)) rule += letter;
    else {
      rules.push(rule);
      rule = '';
    }
  }
  return [...rules, rule].filter(Boolean);
}
