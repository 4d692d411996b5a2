/** Finds the commands behind runners that may access files: `sudo rm /`, `env cp a b`, `env xargs -0 cat`. */
import type { ShellWord } from '@heddle/tools/shell';
import type { FilePart } from '../part.ts';
import { touchesFiles } from './files/files-of.ts';
import { mayRunWords } from './possible-commands.ts';
import {
  baseName,
  commandTails,
  feedersIn,
  hasUncertainCommand,
  likelyTails,
  localTails,
  type Tails,
  tailsNamed,
} from './runners.ts';

/** The number of tails that are checked although the words behind a command are only data for it. */
const MOST_DATA = 8;

export function tailsWithFiles(words: readonly ShellWord[]): Tails {
  const likely = likelyTails(words);
  // Programs without a list of their files change some of them as well: `env split -a1 a .npmr`.
  const expected = [...localTails(words), ...likely.filter(hasFiles)];
  const { tails, isCut } = tailsNamed(words, touchesFiles);
  const [name, ...args] = likely.at(-1) ?? [];
  // `sudo apt-get install tar gzip …`
  const areData =
    name !== undefined && !hasUncertainCommand(words) && !mayRunWords(baseName(name.value), args);
  const checked = [...expected, ...(areData ? tails.slice(0, MOST_DATA) : tails)];
  return {
    tails: [...new Map(checked.map((tail) => [tail.length, tail])).values()],
    isCut: isCut && !areData,
  };
}

/** With options or behind a runner, `xargs` is not a plain wrapper, but its command still receives files. */
export function fedTails(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  return feedersIn(words).flatMap((feeder) => commandTails(feeder).filter(hasFiles));
}

function hasFiles([name]: readonly ShellWord[]): boolean {
  return name !== undefined && touchesFiles(name.value);
}

/** More words than are checked may be a command that changes files, also one that would be a disaster. */
export function unknownRemoval(shown: string): FilePart {
  const reason = 'Too many of its words may be commands that change files.';
  return {
    kind: 'remove',
    shown,
    tool: 'Bash',
    places: undefined,
    deep: 'no',
    by: 'command',
    glob: undefined,
    knowledge: 'known',
    concern: { level: 'always', reason },
  };
}
