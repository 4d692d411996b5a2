/**
 * Finds every word of a text for the shell that may name a file. Any program may run a file that its words name, so no list of programs
 * decides what counts. Only the operands of programs that are known to never run them are left out.
 */
import path from 'node:path';
import { expand } from './files-in-command.ts';
import type { PreparedText } from './started-names.ts';

/** Programs that only read or print their operands. If their output reaches another program, the operands count. */
const READERS =
  /^(?:\[\[?|test|echo|printf|cat|ls|head|tail|wc|sort|uniq|cut|tr|diff|cmp|grep|egrep|fgrep|rg|ag|jq|yq|stat|file|du|basename|dirname|realpath|readlink|md5sum|sha\d+sum|rm|rmdir|mkdir|touch|chmod|chown|cp|mv|ln|watch_file|watch_dir|return|exit|unset|local|export)$/;

/** Programs that check, format or search their operands. Some of their options name code. */
const LINTERS =
  /^(?:eslint|eslint_d|oxlint|prettier|biome|dprint|stylelint|tsc|ruff|black|isort|flake8|pylint|mypy|pyright|shellcheck|shfmt|rubocop|gofmt|gofumpt|goimports|rustfmt|clang-format|yamllint|markdownlint|markdownlint-cli2|hadolint|actionlint|cspell|codespell|typos|taplo|xmllint|htmlhint|ktlint|swiftformat|swiftlint|[gm]?awk|sed|nixfmt|alejandra|djlint|sqlfluff)$/;
const CODE_OPTION =
  /^(?:-[crf]|--(?:config|config-file|config-path|rcfile|rulesdir|rules-dir|plugin|plugins|load-plugins|parser|format|formatter|require|custom-syntax|init-hook|resolve-plugins-relative-to))$/;
/** `-c` of these programs checks, and is not followed by settings. */
const CHECKS_ONLY = /^(?:prettier|black|isort|shfmt|shellcheck|ruff|gofmt)$/;

/** With these as its first word, git takes files as data. */
const GIT_DATA =
  /^(?:add|diff|diff-index|diff-files|diff-tree|status|log|show|rm|mv|commit|stash|checkout|restore|reset|ls-files|ls-tree|rev-parse|cat-file|check-ignore|check-attr|hash-object|update-index|blame)$/;

/** A program follows these words. */
const BEFORE_PROGRAM =
  /^(?:[!{]|if|elif|then|else|do|while|until|time|command|builtin|env|exec|nice|nohup|sudo|xargs|npx|pnpx|bunx|uvx|pipx|npm|pnpm|yarn|bun|uv|poetry|pipenv|pdm|hatch|rye|bundle|composer|x|run|dlx|mise|--?[\w-]*)$/;

/** Not a name of a file. */
const NO_NAME = /[*?$\0]|^[./]*$|^-/;
const MOST_LETTERS = 1024;
const MOST_WORDS = 4000;

/** A program runs such a folder as a whole. */
const FOLDER_RUNNER =
  /^(?:node(?:js)?|nodemon|electron|bun|deno|tsx|ts-node|vite-node|python[\d.]*|pypy[\d.]*|uv|java|go|cargo|run-parts)$/;
const RUNS = /^(?:run|exec|x|watch|--?[\w-]+(?:=.*)?)$/;
/** After these, the operands are data. */
const ENDS_OPTIONS = /^(?:--?test|--?check|-[A-Za-z]*[cemp])$/;

export interface NamedWords {
  /** Names that count if such a file exists. */
  readonly words: readonly string[];
  /** Names that an interpreter runs, also if they are folders. */
  readonly run: readonly string[];
}

export function namedWords({ lines, known, assigned }: PreparedText, keepsVariables: boolean): NamedWords {
  const words = new Set<string>();
  const run = new Set<string>();
  const add = (word: string): void => {
    if (words.size < MOST_WORDS) for (const part of partsOf(word)) words.add(part);
  };
  // A program that the script starts may use the value.
  if (keepsVariables) for (const value of Object.values(assigned)) value?.split(/\s+/).forEach(add);
  for (const line of lines) {
    const pieces = expand(line.replace(REDIRECTION, ' '), known).split(/(\|\|?|&&?|[;()`])/);
    const commands = pieces.map((piece) =>
      piece
        .replace(/["'\\]/g, '')
        .split(/[\s<>{}]+/)
        .filter(Boolean),
    );
    for (const [at, command] of commands.entries()) {
      if (at % 2 === 1) continue;
      for (const word of countingWords(command, pieces[at + 1] === '|' ? commands[at + 2] : undefined))
        add(word);
      const folder = runOperand(command);
      if (folder !== undefined && !NO_NAME.test(folder)) run.add(folder);
    }
  }
  return { words: [...words], run: [...run] };
}

/** The target of a redirection is written. */
const REDIRECTION = /(?<!\d)\d*>[>&|]*\s*("[^"\n]*"|'[^'\n]*'|[^\s;&|()]+)/g;

/** `next`: the command that gets the output. */
function countingWords(command: readonly string[], next: readonly string[] | undefined): readonly string[] {
  const start = command.findIndex((word) => !BEFORE_PROGRAM.test(word) && !/^\w+=/.test(word));
  if (start < 0) return command;
  const before = command.slice(0, start);
  const operands = command.slice(start + 1);
  switch (kindOf(command, start)) {
    case 'reader':
      return next === undefined || isData(next) ? before : command;
    case 'linter': {
      const checks = CHECKS_ONLY.test(path.posix.basename(command[start] ?? ''));
      return before.concat(
        operands.flatMap((word, at) => {
          const option = operands[at - 1] ?? '';
          const [name = '', value] = word.split('=', 2);
          if (value !== undefined && CODE_OPTION.test(name)) return [value];
          return CODE_OPTION.test(option) && !(checks && /^-\w$/.test(option)) ? [word] : [];
        }),
      );
    }
    case 'other':
      return command;
  }
}

function isData(command: readonly string[]): boolean {
  const start = command.findIndex((word) => !BEFORE_PROGRAM.test(word) && !/^\w+=/.test(word));
  return start >= 0 && kindOf(command, start) !== 'other';
}

function kindOf(command: readonly string[], start: number): 'reader' | 'linter' | 'other' {
  const program = command[start] ?? '';
  // A program of the project can have any name.
  if (program.includes('/') && !/(?:^|\/)(?:node_modules\/\.bin|vendor\/bin|usr\/bin)\/[^/]+$/.test(program))
    return 'other';
  const name = path.posix.basename(program);
  if (READERS.test(name)) return 'reader';
  if (name === 'git') return GIT_DATA.test(command[start + 1] ?? '') ? 'reader' : 'other';
  return LINTERS.test(name) ? 'linter' : 'other';
}

/** Returns the first operand of a program that may run a folder: `node tools/x`, `go run ./tools/x`. */
function runOperand(command: readonly string[]): string | undefined {
  const at = command.findIndex((word) => FOLDER_RUNNER.test(path.posix.basename(word)));
  if (at < 0) return undefined;
  const isManager = /^(?:go|cargo|uv|bun|deno)$/.test(path.posix.basename(command[at] ?? ''));
  for (const word of command.slice(at + 1)) {
    if (ENDS_OPTIONS.test(word)) return undefined;
    if (RUNS.test(word)) continue;
    // The first word of a manager is a task: `go build ./x`.
    return !isManager || word.includes('/') ? word : undefined;
  }
  return undefined;
}

/** The parts of `--config=./a.js`, `-r./a.js`, `@check` and `a.jar:b.jar` that may be files. */
function partsOf(word: string): readonly string[] {
  if (word.length > MOST_LETTERS) return [];
  const attached = /^-\w[^-]/.test(word) ? [2, 3, 4].map((letters) => word.slice(letters)) : [];
  return [word, ...attached, ...word.split(/[=:@,[\]]/)].filter((part) => part !== '' && !NO_NAME.test(part));
}
