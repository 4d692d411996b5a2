/**
 * Finds globs that may become an option of the program, also of a file that another call creates before the command runs:
 * `sleep 5; git log * -- a.txt` with a file `--output=x`.
 */
import type { ReadCommand, ShellRedirection, ShellWord } from '@heddle/tools/shell';
import { isProjectRunner } from './files/files-of.ts';
import { gitArguments, takesDangerousOptions } from './files/git-arguments.ts';
import { hasProgramOption } from './program-options.ts';
import type { WordScope } from './possible-values.ts';
import { baseName, likelyTails } from './runners.ts';

/** Returns whether a word of the command is such a glob. `glob`: its text with known values of variables. */
export function mayBecomeOption(
  glob: string,
  word: ShellWord,
  words: readonly ShellWord[],
  { world }: WordScope,
): boolean {
  // Other characters of a glob come after those at its beginning.
  if (!/^[-*?[]/.test(glob)) return false;
  return [words, ...likelyTails(words)].some(([name, ...args]) => {
    const index = args.indexOf(word);
    const end = args.findIndex(({ value }) => value === '--');
    if (index < 0 || (end >= 0 && end < index)) return false;
    const program = baseName(name?.value ?? '');
    if (program === 'git') return takesDangerousOptions(gitArguments(args).command);
    // Otherwise, nothing comes between the decision and the expansion.
    return (
      (world.takesLong === true || world.createsFiles === true) &&
      (hasProgramOption(program) || !NAMED_FILES.test(glob))
    );
  });
}

/** The names of common files. A program without options for programs would write or load a file with such a name. */
const NAMED_FILES = /^[^-].*\.\w+$/s;

const CREATES_FILES = /^(?:touch|mkdir|cp|mv|ln|install|rsync|tee)$/;
const OUTPUT = /^(?:>|>>|>\||&>|&>>|<>)$/;

/** Returns whether a command of the script may create files that a later glob finds. */
export function mayCreateFiles({ commands, redirections }: Extract<ReadCommand, { ok: true }>): boolean {
  const before = commands.length < 2 ? [] : commands;
  const isOutput = (one: ShellRedirection): boolean =>
    one.kind === 'file' && OUTPUT.test(one.operator) && one.target.value !== '/dev/null';
  return (
    before.some(
      ({ name, args, redirections: own }) =>
        CREATES_FILES.test(baseName(name?.value ?? '')) ||
        isProjectRunner(name?.value ?? '') ||
        (name?.value === 'git' && args.some(({ value }) => value === 'stash')) ||
        own.some(isOutput),
    ) ||
    (before.length > 0 && redirections.some(isOutput))
  );
}
