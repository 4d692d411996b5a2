/** Reads the words of build tools as they do: GNU make, ninja and rake. Options and targets may be in any order. */

/** The options of a tool. A letter represents those with several names. */
interface ToolOptions {
  /** Letters whose value is the rest of the word, or the next word. */
  readonly valued: string;
  /** Letters whose value is the rest of the word, or the next word if that is a number. */
  readonly counted: string;
  /** Letters whose value can only be the rest of the word. */
  readonly attached: string;
  /** Long names, and the letter with the same meaning. `!` follows those that take no value. */
  readonly long: Readonly<Record<string, string>>;
  /** The letters of a folder in which it runs, and of files and texts that contain its rules. */
  readonly folder: string;
  readonly rules: string;
}

function longNames(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(' ').map((entry) => {
      const [name = '', letter = ''] = entry.split(':');
      return [name, letter];
    }),
  );
}

const MAKE: ToolOptions = {
  valued: 'CEfIoW',
  counted: 'jl',
  attached: 'O',
  long: longNames(
    'always-make:B! assume-new:W assume-old:o check-symlink-times:L! debug:! directory:C dry-run:n! environment-overrides:e! ' +
      'eval:E file:f help:h! ignore-errors:i! include-dir:I jobs:j jobserver-auth:! jobserver-style:! just-print:n! keep-going:k! ' +
      'load-average:l makefile:f max-load:l new-file:W no-builtin-rules:r! no-builtin-variables:R! no-keep-going:S! ' +
      'no-print-directory:! no-silent:! old-file:o output-sync:O print-data-base:p! print-directory:w! question:q! quiet:s! recon:n! ' +
      'shuffle:! silent:s! stop:S! touch:t! trace:! version:v! warn-undefined-variables:! what-if:W',
  ),
  folder: 'C',
  rules: 'fIE',
};

const NINJA: ToolOptions = {
  valued: 'Cfjkldtw',
  counted: '',
  attached: '',
  long: longNames('help:h! quiet:! verbose:v! version:!'),
  folder: 'C',
  rules: 'ft',
};

const RAKE: ToolOptions = {
  valued: 'CefIpErR',
  counted: 'j',
  attached: 'DTWP',
  long: longNames(
    'all:A! backtrace:! build-all:B! comments:! describe:D directory:C dry-run:n! execute:e execute-continue:E execute-print:p help:h! ' +
      'job-stats:! jobs:j libdir:I multitask:m! no-deprecation-warnings:X! no-search:N! no-system:G! nosearch:N! nosystem:G! prereqs:P! ' +
      'quiet:q! rakefile:f rakelib:R rakelibdir:R require:r rules:! silent:s! suppress-backtrace:S system:g! tasks:T trace:t! ' +
      'verbose:v! version:V! where:W',
  ),
  folder: 'C',
  rules: 'feEprRI',
};

const TOOLS: ReadonlyMap<string, ToolOptions> = new Map([
  ['make', MAKE],
  ['gmake', MAKE],
  ['ninja', NINJA],
  ['rake', RAKE],
]);

export interface ToolOption {
  /** A letter, or a long name without one. */
  readonly name: string;
  readonly value: string | undefined;
  /** The position of the word. */
  readonly at: number;
  /** The position of the word that contains the value. */
  readonly valueAt: number;
}

export interface ToolWords {
  readonly targets: readonly { readonly value: string; readonly at: number }[];
  /** Words that set a variable. */
  readonly definitions: readonly string[];
  readonly options: readonly ToolOption[];
}

/** Returns whether an option chooses a folder, or other rules than those of the folder. */
export function choosesRules(program: string, name: string): boolean {
  const tool = TOOLS.get(program);
  return tool !== undefined && name.length === 1 && `${tool.folder}${tool.rules}`.includes(name);
}

export function choosesFolder(program: string, name: string): boolean {
  return TOOLS.get(program)?.folder === name;
}

/** Returns undefined for another program. */
export function readToolWords(program: string, values: readonly string[]): ToolWords | undefined {
  const tool = TOOLS.get(program);
  if (tool === undefined) return undefined;
  const targets: { readonly value: string; readonly at: number }[] = [];
  const definitions: string[] = [];
  const options: ToolOption[] = [];
  let isEnded = false;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? '';
    if (isEnded || !value.startsWith('-') || value === '-') {
      if (/^[^/[]*=/.test(value)) definitions.push(value);
      else targets.push({ value, at });
    } else if (value === '--') isEnded = true;
    else {
      const next = values[at + 1];
      const found = value.startsWith('--') ? [longOption(value, tool)] : lettersIn(value, tool);
      const last = found.at(-1);
      const takesNext = last !== undefined && last.value === undefined && takesWord(last.name, next, tool);
      for (const option of found)
        options.push(
          takesNext && option === last
            ? { ...option, at, value: next, valueAt: at + 1 }
            : { ...option, at, valueAt: at },
        );
      if (takesNext) at++;
    }
  }
  return { targets, definitions, options };
}

function takesWord(name: string, next: string | undefined, { valued, counted }: ToolOptions): boolean {
  if (next === undefined || name.length !== 1) return false;
  return valued.includes(name) || (counted.includes(name) && /^\d*\.?\d+$/.test(next));
}

/** Names may be shortened. */
function longOption(word: string, { long }: ToolOptions): Pick<ToolOption, 'name' | 'value'> {
  const [, given = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const names = Object.keys(long).filter((name) => (given in long ? name === given : name.startsWith(given)));
  const letters = new Set(names.map((name) => long[name] ?? ''));
  const [letter = ''] = letters.size === 1 ? letters : [];
  return { name: letter.replace('!', '') || (names.length === 1 ? (names[0] ?? given) : given), value };
}

function lettersIn(
  word: string,
  { valued, counted, attached }: ToolOptions,
): Pick<ToolOption, 'name' | 'value'>[] {
  const found: Pick<ToolOption, 'name' | 'value'>[] = [];
  for (let at = 1; at < word.length; at++) {
    const name = word[at] ?? '';
    const rest = word.slice(at + 1);
    const takesRest = (valued + attached).includes(name) || (counted.includes(name) && /^[\d.]/.test(rest));
    if (!takesRest || rest === '') {
      found.push({ name, value: undefined });
      if (takesRest) break;
      continue;
    }
    found.push({ name, value: rest });
    break;
  }
  return found;
}
