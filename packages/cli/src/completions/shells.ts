/** One script for each shell. */
import { COMMAND_TEXTS } from '../help/command-texts.ts';
import { FLAG_TEXTS } from '../help/flag-texts.ts';

export const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

const COMMANDS = Object.entries(COMMAND_TEXTS);
const FLAGS = Object.entries(FLAG_TEXTS).map(([name, { text, value, words, aliases = [] }]) => ({
  text,
  value,
  words,
  names: [name].concat(aliases),
  takesValue: value !== undefined || words !== undefined,
}));
/** Flags whose value is a place on the disk. */
const PLACES: ReadonlySet<string> = new Set(['FILE', 'FOLDER']);

function bash(): string {
  const names = FLAGS.flatMap((flag) => flag.names).join(' ');
  const values = FLAGS.filter(({ takesValue }) => takesValue).map(({ names: flag, words, value = '' }) => {
    const given = words ? `compgen -W '${words.join(' ')}'` : PLACES.has(value) ? 'compgen -f' : undefined;
    return `    ${flag.join('|')}) ${given ? `mapfile -t COMPREPLY < <(${given} -- "$word")` : 'COMPREPLY=()'}; return ;;`;
  });
  const inner = COMMANDS.filter(([, { words }]) => words).map(
    ([name, { words = [] }]) =>
      `    ${name}) mapfile -t COMPREPLY < <(compgen -W '${words.join(' ')}' -- "$word"); return ;;`,
  );
  return `# Completions of heddle for bash.
_heddle() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}"
  case "$before" in
${values.join('\n')}
  esac
  if ((COMP_CWORD == 2)); then
    case "$before" in
${inner.map((line) => `  ${line}`).join('\n')}
    esac
  fi
  case "$word" in
    -*) mapfile -t COMPREPLY < <(compgen -W '${names}' -- "$word") ;;
    *)
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      if ((COMP_CWORD == 1)); then
        mapfile -t -O "\${#COMPREPLY[@]}" COMPREPLY < <(compgen -W '${COMMANDS.map(([name]) => name).join(' ')}' -- "$word")
      fi
      ;;
  esac
}
complete -o filenames -F _heddle heddle
`;
}

function zsh(): string {
  const quoted = (text: string): string => text.replaceAll("'", "'\\''").replaceAll(/[[\]:]/g, '\\$&');
  const flags = FLAGS.flatMap(({ names, text, value, words, takesValue }) => {
    const action = words ? `(${words.join(' ')})` : PLACES.has(value ?? '') ? '_files' : '';
    const takes = takesValue ? `:${(value ?? 'word').toLowerCase()}:${action}` : '';
    return names.map((name) => `    '${name}[${quoted(text)}]${takes}'`);
  });
  const commands = COMMANDS.map(([name, { text }]) => `      '${name}:${quoted(text)}'`);
  const inner = COMMANDS.filter(([, { words }]) => words).map(
    ([name, { words = [] }]) => `        ${name}) compadd -- ${words.join(' ')} ;;`,
  );
  return `#compdef heddle
# Completions of heddle for zsh.
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
  if (( CURRENT == 3 )) && [[ $words[3] != -* ]]; then
    case $words[2] in
${inner.join('\n').replaceAll('        ', '      ')}
    esac
  fi
  _arguments -S $flags '*:prompt:_files'
}
_heddle "$@"
`;
}

function fish(): string {
  const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
  const commands = COMMANDS.map(
    ([name, { text }]) => `complete -c heddle -n __fish_use_subcommand -a ${name} -d ${quoted(text)}`,
  );
  const inner = COMMANDS.filter(([, { words }]) => words).map(
    ([name, { words = [] }]) =>
      `complete -c heddle -f -n '__fish_seen_subcommand_from ${name}' -a '${words.join(' ')}'`,
  );
  const flags = FLAGS.map(({ names, text, value, words, takesValue }) => {
    const forms = names.map((name) =>
      name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
    );
    const takes = words
      ? `-x -a '${words.join(' ')}'`
      : takesValue
        ? PLACES.has(value ?? '')
          ? '-r'
          : '-x'
        : '';
    return ['complete -c heddle', ...forms, takes, `-d ${quoted(text)}`].filter(Boolean).join(' ');
  });
  return `# Completions of heddle for fish.\n${[...commands, ...inner, ...flags].join('\n')}\n`;
}
