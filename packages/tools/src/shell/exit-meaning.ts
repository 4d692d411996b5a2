/** Programs whose exit code 1 is an answer, not a failure. */
import { readCommand } from './read-command.ts';

const ANSWERS: ReadonlyMap<string, string> = new Map([
  ['grep', 'no match'],
  ['egrep', 'no match'],
  ['fgrep', 'no match'],
  ['rg', 'no match'],
  ['pgrep', 'no match'],
  ['diff', 'the files differ'],
  ['cmp', 'the files differ'],
  ['test', 'false'],
  ['[', 'false'],
]);

/** Returns the meaning of exit code 1, or undefined if it is a failure. The last command of a list or pipe sets the code. */
export function meaningOfOne(command: string): string | undefined {
  const read = readCommand(command);
  if (!read.ok || [...read.constructs].some((construct) => construct !== 'pipeline' && construct !== 'list'))
    return undefined;
  const { name } = read.commands.at(-1) ?? {};
  return name?.kind === 'literal' ? ANSWERS.get(name.value) : undefined;
}
