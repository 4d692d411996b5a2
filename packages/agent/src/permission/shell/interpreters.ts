/**
 * Programs that run code. Code on the command line or on standard input is unknown, unless it is a shell script that
 * the parser understands. A script file is not read: it runs like any other program.
 */
import { isPlainSedScript, type ShellRedirection, type ShellWord } from '@heddle/tools/shell';
import { argumentsOf } from './files/operands.ts';
import { findMakeCommand, isMake, makefilesOf, wordsForMake } from './make-words.ts';
import { baseName } from './runners.ts';
import { optionPattern, shortOption } from './short-options.ts';

/**
 * Matches long options, and their beginnings that a program may accept. A name is written as `c|olor`: the letters before
 * the bar are required.
 */
export function beginsOption(names: string, dashes = '--'): RegExp {
  const sources = names.split(' ').map((name) => {
    const [required = '', rest = ''] = name.split('|');
    const quoted = (text: string): string => text.replace(/[.]/g, '\\.');
    const optional = Array.from(rest).reduceRight((after, letter) => `(?:${quoted(letter)}${after})?`, '');
    return quoted(required) + optional;
  });
  return new RegExp(`^${dashes}(?:${sources.join('|')})(?:=|$)`);
}

/** Letters without a value that can be before another option of sed in the same word. */
export const SED_FLAGS = '[^-efil]*';

/** Returns whether the words run code in another language. The words begin with the program's name. */
export type TakesCode = (args: readonly ShellWord[], redirections: readonly ShellRedirection[]) => boolean;

/** The arguments of a program before a script file: its options, and those that take the next word. */
interface Interpreter {
  readonly alone?: RegExp;
  readonly valued?: RegExp;
  /** An option or a first word after which no code can follow. */
  readonly ends?: RegExp;
  /** A first word after which code follows. */
  readonly code?: RegExp;
  /** A first word that can be left out: `bun run x` is `bun x`. */
  readonly skipped?: RegExp;
}

const INTERPRETERS: readonly (readonly [RegExp, Interpreter])[] = [
  [
    /^(python|pypy)[\d.]*w?$/,
    {
      alone: /^(-[uBOsSEIbqvdx]+|-[WX].+|--(version|help))$/,
      valued: /^-[WX]$/,
      ends: /^-m(?!timeit|code|pdb|IPython)./,
    },
  ],
  [
    /^(node|nodejs|tsx|ts-node|babel-node|vite-node|jiti)$/,
    {
      alone:
        /^(-[vhc]|--(?!eval|print|input-type|interactive|require|import|loader|experimental-loader)[\w-]+(=.*)?|--(require|import|loader|experimental-loader)=(?!data:).+)$/,
      valued: /^(-r|--require|--import|--loader|--experimental-loader)$/,
      ends: /^(--test|--run|inspect)$/,
    },
  ],
  [
    /^bun$/,
    {
      alone: /^(--(?!eval|print)[\w-]+(=.*)?|-[bis])$/,
      valued: /^(--cwd|--filter|--env-file|-F|-c|-r)$/,
      skipped: /^run$/,
      ends: /^(test|install|add|remove|update|link|build|create|init|pm|x|outdated|publish|patch|audit|why)$/,
    },
  ],
  [
    /^deno$/,
    {
      alone: /^(-[A-Za-z]|--[\w-]+(=(?!data:).*)?)$/,
      valued: /^(-[cL]|--(config|import-map|log-level|cert|seed|location|v8-flags))$/,
      code: /^(eval|repl)$/,
      skipped: /^run$/,
      ends: /^[a-z]+$/,
    },
  ],
  [/^(zx|esno|esmo|tsimp)$/, { alone: /^--(?!eval|print)[\w-]+(=.*)?$/ }],
  [
    /^(j|tru)?ruby[\d.]*$/,
    {
      alone: /^(-[wWvd]\S*|-[Ir].+|-S|--[\w-]*(jit|enable|disable|version|help)[\w=-]*)$/,
      valued: /^-[Ir]$/,
    },
  ],
  // Programs in Perl with these names evaluate their first word, another one replaces a text.
  [
    /^(rename(\.perl)?|prename|perl-rename|file-rename)$/,
    { alone: /^(-[vnfoial]+|--version)$/, code: /[^\w .-]/ },
  ],
  [/^perl[\d.]*$/, { alone: /^(-[wWTtUv]+|-I.+)$/, valued: /^-I$/ }],
  [
    /^php[\d.]*$/,
    { alone: /^(-[nqvimlf]|--(version|ini|info|modules)|-d(?!.*(prepend|data:|php:)).+)$/, ends: /^-[St]$/ },
  ],
  [
    /^(java|kotlin|scala|groovy)$/,
    {
      alone: /^-(?!e|-execute|-source)[^-].*$/,
      valued: /^(-cp|-classpath|--class-path|-p|--module-path)$/,
      ends: /^-(version|-version|jar)$/,
    },
  ],
  [/^julia$/, { alone: /^(--project|--threads|--color|--version|-t|-q)(=?\S*)$/ }],
  [
    /^(lua(jit)?[\d.]*|tclsh[\d.]*|wish[\d.]*|expect|osascript|rscript|r|octave(-cli)?|gnuplot|m4|guile|racket|gosh|sbcl|clisp|ecl|ocaml|sml|erl|elixir|iex|irb|pry|ghci?|runghc|runhaskell|jshell|groovysh|swift|dc|bc|coffee|raku|rakudo|janet|fennel|hy|ipython[\d.]*|bpython|ptpython|psysh|bb|nbb|clj|clojure|swipl|gprolog|csi|gforth|qjs|gjs|d8|jsc|llrt|tjs|chez|scheme|newlisp|picolisp|pike|tarantool|nix-instantiate|jq-shell)$/i,
    { alone: /^--version$/ },
  ],
  // Shells with another language than the one that is parsed here.
  [
    /^(t?csh|fish|nu|pwsh|powershell|elvish|xonsh|es|rc|osh|ysh|ion|murex|cmd(\.exe)?|sash|scsh|rush)$/i,
    { alone: /^--version$/ },
  ],
];

/** Names of standard input, or of a file that another command creates on the fly. */
const INPUT = /^(-|\/dev\/(stdin|fd\/\d+|tty)|\/proc\/[^/]+\/fd\/\d+)$/;

/** Returns whether a word is standard input under any name, or unknown before the command runs. */
export function isFedIn(word: ShellWord): boolean {
  return word.kind === 'dynamic' || word.kind === 'pattern' || INPUT.test(word.value);
}

function interprets({ alone, valued, ends, code, skipped }: Interpreter): TakesCode {
  return (args) => {
    const first = args.findIndex(({ value }) => !value.startsWith('-'));
    const isSkipped = skipped?.test(args[first]?.value ?? '') === true;
    // Without a name, it prints the names.
    if (isSkipped && first === args.length - 1 && first === 0) return false;
    for (let at = 0; at < args.length; at++) {
      const word = args[at];
      const { value = '' } = word ?? {};
      if (word === undefined || isFedIn(word) || /^data:|^\(.*\)$/is.test(value)) return true;
      if (isSkipped && at === first) continue;
      const joined = value === '-m' ? `-m${args[at + 1]?.value ?? ''}` : value;
      if (code?.test(value)) return true;
      if (ends?.test(joined)) return false;
      if (valued?.test(value)) at++;
      else if (value.startsWith('-') && value !== '--') {
        if (!alone?.test(value)) return true;
        // It only prints a version or help.
        if (args.length === 1 && /version|help|^-[vV]$/.test(value)) return false;
      } else if (value !== '--') return false;
    }
    return true;
  };
}

/** Commands of database clients that run programs: `\!`, `.shell`, `COPY … PROGRAM`. */
const LEAVES_DATABASE =
  /\\!|\\[gos]?\s*\||\bprogram\b|(^|[\n;])\s*\.|\bsystem\b|edit["\]`]?\s*(\(|\/\*|--)|load_extension|readfile|writefile/i;

const queries: TakesCode = (args) =>
  !args.some(({ value }) => /^(-c|-e|--command|--execute|--eval)/.test(value) || /\s/.test(value)) ||
  args.some((word) => word.kind === 'dynamic' || LEAVES_DATABASE.test(word.value));

/** Calls of methods with data: `db.users.find({ a: 1 })`. Code for this client can start any program. */
const DATABASE_CALL = /^\s*(?:(?:db|rs|sh)(?:\.(?!constructor\b)[\w$]+(?:\([^()`\\]*\))?)+)?\s*$/;

const mongo: TakesCode = (args, redirections) =>
  queries(args, redirections) ||
  args.some((word, index) => {
    const [, attached] = /^--eval=(.*)$/s.exec(word.value) ?? [];
    const code = attached ?? (args[index - 1]?.value === '--eval' ? word.value : undefined);
    return code?.split(';').every((call) => DATABASE_CALL.test(call)) === false;
  });

const hasOption =
  (option: RegExp): TakesCode =>
  (args) =>
    args.some(({ value }) => option.test(value));

/** Features of awk that run a program, and ways to hide them. */
const AWK_RUNS = /system|\||getline|@|SYMTAB|FUNCTAB|\\\n/;

/** The next word is a file with code. */
const AWK_FILE = new RegExp(`^(?:${shortOption('fEil', 'evF')}|--file|--exec|--include|--load)$`);
const AWK_LOADS = optionPattern({ letters: 'lEiD', valued: 'efvF' });

const awk: TakesCode = (args) =>
  args.some((word, index) => {
    const before = args[index - 1]?.value ?? '';
    if (AWK_FILE.test(before)) return isFedIn(word);
    return word.kind === 'dynamic' || AWK_RUNS.test(word.value) || AWK_LOADS.test(word.value);
  });

const SED_CODE = new RegExp(`^(-${SED_FLAGS}e|--e[a-z]*)$`);
const SED_FILE = new RegExp(`^(-${SED_FLAGS}f|--fi[a-z]*)$`);
const SED_ATTACHED = new RegExp(`^(-${SED_FLAGS}[ef].|--fi[a-z]*=)`, 's');

const sed: TakesCode = (args) => {
  const isOption = ({ value }: ShellWord): boolean => value.startsWith('-');
  const scripts = args.flatMap((word, index) => {
    if (SED_CODE.test(word.value)) return args[index + 1] ?? [];
    const [, code] = /^--e[a-z]*=(.*)$/s.exec(word.value) ?? [];
    return code === undefined ? [] : { ...word, value: code };
  });
  const files = args.filter((_, index) => SED_FILE.test(args[index - 1]?.value ?? ''));
  const given =
    [...scripts, ...files].length > 0 ? scripts : args.filter((word) => !isOption(word)).slice(0, 1);
  return (
    args.some(({ value }) => SED_ATTACHED.test(value)) ||
    files.some(isFedIn) ||
    given.some((word) => word.kind === 'dynamic' || !isPlainSedScript(word.value))
  );
};

/** Accepts only these options, none of which names a program. Abbreviations and unlisted letters count as dangerous. */
const only =
  (...known: readonly RegExp[]): TakesCode =>
  (args) =>
    args.some(
      ({ value }) => value.startsWith('-') && value !== '-' && !known.some((option) => option.test(value)),
    );

/** A first word without a dash is letters of options. `letters`: the last ones take a value. */
const tarWith =
  (hasProgram: RegExp, letters: RegExp): TakesCode =>
  (args, redirections) => {
    const first = args[0]?.value ?? '';
    return (!first.startsWith('-') && hasProgram.test(first)) || only(letters, TAR_LONG)(args, redirections);
  };
const TAR_LONG =
  /^--(create|extract|get|list|append|update|diff|compare|delete|concatenate|file|directory|gzip|bzip2|xz|zstd|lz4|lzma|lzip|auto-compress|verbose|exclude(-from|-vcs.*|-caches.*)?|strip-components|transform|xform|files-from|preserve-permissions|same-permissions|no-same-(owner|permissions)|same-owner|owner|group|mode|mtime|sort|format|numeric-owner|keep-old-files|overwrite|touch|to-stdout|wildcards.*|no-recursion|one-file-system|dereference|hard-dereference|sparse|totals|checkpoint|anchored|no-anchored|ignore-case|null|remove-files|version|help|skip-old-files|absolute-names|no-wildcards.*|show-.*|warning|verify|acls|xattrs|selinux|posix|level|utc|full-time|index-file)(=.*)?$/;
const bsdTar = tarWith(/[IFW]/, /^-[cxtrudAvzjJZapPkmOhSUlowBGiMnRs]*([fCTXbgKLNV].*)?$/s);
/** With several volumes (`-M`, or a length after `-L`), it takes names of files and commands from its input. */
const gnuTar = tarWith(/[IFWML]/, /^-[cxtrudAvzjJZapPkmOhSUlowBGinRs]*([fCTXbgKNV].*)?$/s);

/** Letters of the ssh programs that take a value. */
const SSH_VALUED = 'BbcDEeFIiJLlmoPpQRSWw'.split('').map((letter) => `-${letter}`);
/** Options that name a program, a library, or a file with settings or commands. */
const SSH_RUNS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^ssh$/, ['-S', '-F', '-I']],
  [/^scp$/, ['-S', '-F', '-D']],
  [/^sftp$/, ['-S', '-F', '-D', '-b']],
];

const ssh =
  (program: string): TakesCode =>
  (args) => {
    if (args.some(({ value }) => SSH_SETTING.test(value))) return true;
    if (program === 'mosh') return args.some(({ value }) => MOSH_RUNS.test(value));
    const runs = SSH_RUNS.find(([names]) => names.test(program))?.[1] ?? [];
    const flags = program === 'ssh' ? SSH_VALUED : SSH_VALUED.filter((option) => !/[BLR]/.test(option));
    return argumentsOf(program === 'ssh' ? localWords(args) : args, flags).valuesOf(...runs).length > 0;
  };

const SSH_SETTING = /(Command|Include|Match|PKCS11|Provider|SmartcardDevice|XAuthLocation)\b/i;
const MOSH_RUNS = beginsOption('ss|h cl|ient', '-?-');

/** Returns the words before the command that runs on the other machine. */
export function localWords(args: readonly ShellWord[]): readonly ShellWord[] {
  let operands = 0;
  for (let at = 0; at < args.length; at++) {
    const { value = '' } = args[at] ?? {};
    if (/^-[46AaCfGgKkMNnqsTtVvXxYy]*[BbcDEeFIiJLlmOoPpQRSWw]$/.test(value)) at++;
    else if (!value.startsWith('-') && ++operands === 2) return args.slice(0, at);
  }
  return args;
}

/** `make -f -`, `make --eval=…`, and variables that run a command when they are set or expanded. */
const make =
  (program: string): TakesCode =>
  (args) => {
    const words = wordsForMake(program, args) ?? [];
    return makefilesOf(words).some(isFedIn) || findMakeCommand(program, words) !== undefined;
  };

const sourced: TakesCode = ([file]) => file === undefined || isFedIn(file);

const OTHERS: readonly (readonly [RegExp, TakesCode])[] = [
  [/^[gmn]?awk$/, awk],
  // They are scripts that run an option with a quote at its end.
  [/^(z|xz|bz|lz|zst)[ef]?grep$/, hasOption(/['\n]/)],
  [/^g?sed$/, sed],
  [/^bsdtar$/, bsdTar],
  [/^g?tar$/, gnuTar],
  [/^ssh$/, ssh('ssh')],
  [/^scp$/, ssh('scp')],
  [/^sftp$/, ssh('sftp')],
  [/^mosh$/, ssh('mosh')],
  [/^(\.|source)$/, sourced],
  [/^(ed|ex|red|vipe|crontab|visudo|vipw)$/, (args) => args[0]?.value !== '-l'],
  [/^(vim?|nvim|view|gvim|vimdiff|kak|hx|joe|micro)$/, hasOption(/^[-+]/)],
  [/^(emacs|emacsclient)$/, hasOption(/^-/)],
  [/^(less|more|most|pg)$/, hasOption(/^\+/)],
  [/^man$/, only(/^-[kfawMsS]+$/, /^--(version|help)$/)],
  [/^(gdb|lldb|rr)$/, hasOption(/^-(?!-args$|-version$)/)],
  [/^(socat)$/, hasOption(/(exec|system|shell):/i)],
  [/^(nc|ncat|netcat)$/, hasOption(optionPattern({ letters: 'ec', long: 'exec|sh-exec|lua-exec' }))],
  [/^(psql|mysql|mariadb|sqlite3?|sqlite|redis-cli|duckdb|clickhouse(-client)?|sqlcmd)$/, queries],
  [/^mongo(sh)?$/, mongo],
  [/^(enable|bind|complete)$/, hasOption(optionPattern({ letters: 'fxC' }))],
  [/^rpm$/, hasOption(optionPattern({ letters: 'ED', long: 'eval|define|load|pipe' }))],
  [/^(launchctl|at|batch|run-parts)$/, hasOption(/^(submit|bootstrap|load)$/)],
];

/** Returns whether a program runs the file in its arguments, or reads commands from it. */
export function runsFiles(program: string): boolean {
  return (
    /^(\.|source)$/.test(program) || isMake(program) || INTERPRETERS.some(([names]) => names.test(program))
  );
}

/** Returns the check for a program, if it takes code at all. */
export function takesCode(program: string): TakesCode | undefined {
  // `npx tsx@4` runs a version of `tsx`.
  const name = baseName(program).replace(/(?<=.)@[\w.^~-]+$/, '');
  if (isMake(name) || name === 'cmake') return make(name);
  const interpreter = INTERPRETERS.find(([names]) => names.test(name))?.[1];
  return interpreter ? interprets(interpreter) : OTHERS.find(([names]) => names.test(name))?.[1];
}
