/** `heddle completions bash|zsh|fish`: prints a completion script, generated from the same tables as `--help`. */
import { type Candidates, COMMAND_TEXTS } from '../help/command-texts.ts';
import type { FlagHelp } from '../arguments/flag-kinds.ts';
import { FLAGS } from '../arguments/flags.ts';
import { misuse, writeMessage } from '../terminal/write-message.ts';

const HELP = `heddle completions bash|zsh|fish   prints a script for your shell

  bash   heddle completions bash > ~/.local/share/bash-completion/completions/heddle
  zsh    heddle completions zsh > a file named _heddle in a folder of your $fpath
  fish   heddle completions fish > ~/.config/fish/completions/heddle.fish
`;

export async function completions(argv: readonly string[]): Promise<number> {
  const [shell = 'help', ...more] = argv;
  if (shell === 'candidates') return (await import('./candidates.ts')).printCandidates(more);
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (script && more.length === 0) writeMessage(script());
  else if (shell === 'help' || shell === '--help' || shell === '-h') writeMessage(HELP);
  else return misuse(`completions takes bash, zsh or fish, not ${argv.join(' ')}`);
  return 0;
}

export const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

const COMMANDS = Object.entries(COMMAND_TEXTS);
const FLAG_ROWS = Object.entries<FlagHelp>(FLAGS).map(
  ([name, { text, value, words, candidates, aliases = [] }]) => ({
    text,
    value,
    offered: words ?? candidates,
    names: [name].concat(aliases),
    takesValue: value !== undefined || words !== undefined,
  }),
);
/** Values of these kinds are completed as file names. */
const PLACES: ReadonlySet<string> = new Set(['FILE', 'FOLDER']);

interface Following {
  /** A command, or a command and its subcommand. */
  readonly behind: readonly string[];
  readonly offered: Candidates;
}

/** The candidates after each command and subcommand. */
const FOLLOWING: readonly Following[] = COMMANDS.flatMap(([name, { words, completes = {} }]) => [
  ...(words ? [{ behind: [name], offered: words }] : []),
  ...Object.entries(completes).map(([verb, offered]) => ({
    behind: verb === '' ? [name] : [name, verb],
    offered,
  })),
]);

/**
 * bash splits words at colons and shows no descriptions. So the script splits the line itself and removes the part before
 * a colon from each candidate. It appends descriptions only when bash lists several candidates.
 */
function bash(): string {
  const names = FLAG_ROWS.flatMap((flag) => flag.names).join(' ');
  const offer = (offered: Candidates): string =>
    typeof offered === 'string' ? `_heddle_ask ${offered}` : `_heddle_words '${offered.join(' ')}'`;
  const values = FLAG_ROWS.filter(({ takesValue }) => takesValue).map(
    ({ names: flag, offered, value = '' }) => {
      const given = offered ? offer(offered) : PLACES.has(value) ? '_heddle_files' : 'COMPREPLY=()';
      return `    ${flag.join('|')}) ${given}; return ;;`;
    },
  );
  const following = FOLLOWING.map(
    ({ behind, offered }) => `    'heddle ${behind.join(' ')}') ${offer(offered)}; return ;;`,
  );
  return `# Completions for heddle in bash.
_heddle_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }
_heddle_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); }
_heddle_ask() {
  local line colon="\${word%"\${word##*:}"}"
  local -a values=() shown=()
  while IFS= read -r line; do
    [[ \${line%%$'\\t'*} == "$word"* ]] || continue
    line="\${line#"$colon"}"
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line%%$'\\t'*}  (\${line#*$'\\t'})")
  done < <(heddle completions candidates "$1" 2>/dev/null)
  if ((\${#values[@]} > 1)) && [[ $COMP_TYPE == 63 ]]; then COMPREPLY=("\${shown[@]}"); else COMPREPLY=("\${values[@]}"); fi
}
_heddle() {
  local line="\${COMP_LINE:0:COMP_POINT}"
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  local count=$((\${#words[@]} - 1))
  local word="\${words[count]}" before="\${words[count - 1]}"
  case "$before" in
${values.join('\n')}
  esac
  if [[ $word == -* ]]; then
    _heddle_words '${names}'
    return
  fi
  case "heddle \${words[*]:1:count - 1}" in
${following.join('\n')}
    'heddle ') _heddle_words '${COMMANDS.map(([name]) => name).join(' ')}'; [[ -z $word ]] || ((\${#COMPREPLY[@]})) || _heddle_files; return ;;
  esac
  _heddle_files
}
complete -F _heddle heddle
`;
}

function zsh(): string {
  const quoted = (text: string): string => text.replaceAll("'", "'\\''").replaceAll(/[[\]:]/g, '\\$&');
  const flags = FLAG_ROWS.flatMap(({ names, text, value, offered, takesValue }) => {
    const files = PLACES.has(value ?? '') ? '_files' : '';
    // zsh calls an action that starts with a space without adding arguments.
    const action =
      typeof offered === 'string' ? ` _heddle_ask ${offered}` : offered ? `(${offered.join(' ')})` : files;
    const takes = takesValue ? `:${(value ?? 'word').toLowerCase()}:${action}` : '';
    return names.map((name) => `    '${name}[${quoted(text)}]${takes}'`);
  });
  const commands = COMMANDS.map(([name, { text }]) => `      '${name}:${quoted(text)}'`);
  const following = FOLLOWING.map(({ behind, offered }) => {
    const given = typeof offered === 'string' ? `_heddle_ask ${offered}` : `compadd -- ${offered.join(' ')}`;
    return `      '${behind.join(' ')}') ${given}; return ;;`;
  });
  return `#compdef heddle
# Completions for heddle in zsh.
_heddle_ask() {
  local line value
  local -a found
  for line in \${(f)"$(heddle completions candidates $1 2>/dev/null)"}; do
    value=\${line%%$'\\t'*}
    found+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -V "$1" found
}
_heddle() {
  local -a flags commands
  flags=(
${flags.join('\n')}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    commands=(
${commands.join('\n')}
    )
    _describe command commands
    return
  fi
  if [[ $words[CURRENT] != -* ]]; then
    case "\${words[2,CURRENT-1]}" in
${following.join('\n')}
    esac
  fi
  _arguments -S $flags '*:prompt:_files'
}
if [[ $funcstack[1] == _heddle ]]; then _heddle "$@"; else compdef _heddle heddle; fi
`;
}

function fish(): string {
  const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
  const words = (offered: Candidates): string =>
    typeof offered === 'string'
      ? `'(heddle completions candidates ${offered} 2>/dev/null)'`
      : `'${offered.join(' ')}'`;
  const commands = COMMANDS.map(
    ([name, { text }]) => `complete -c heddle -n __heddle_behind -a ${name} -d ${quoted(text)}`,
  );
  const following = FOLLOWING.map(
    ({ behind, offered }) =>
      `complete -c heddle -f -k -n '__heddle_behind ${behind.join(' ')}' -a ${words(offered)}`,
  );
  const flags = FLAG_ROWS.map(({ names, text, value, offered, takesValue }) => {
    const forms = names.map((name) =>
      name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
    );
    const isFile = PLACES.has(value ?? '');
    const takes = offered ? `-x -k -a ${words(offered)}` : takesValue ? (isFile ? '-r' : '-x') : '';
    return ['complete -c heddle', ...forms, takes, `-d ${quoted(text)}`].filter(Boolean).join(' ');
  });
  return `# Completions for heddle in fish.
function __heddle_behind
    set -l words (commandline -opc)
    test "$words[2..]" = "$argv"
end
${[...commands, ...following, ...flags].join('\n')}
`;
}
