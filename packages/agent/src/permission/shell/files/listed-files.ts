/** Finds programs that read the names of their files from another file. */
import type { ShellWord } from '@heddle/tools/shell';
import { partOfWord, type Touch, touch, unknownWord } from './touch.ts';
import { optionPattern } from '../short-options.ts';

/** Returns the files in the list of `--files0-from=list`, and the list itself. Beginnings of the option count. */
export function listedFiles(args: readonly ShellWord[]): Touch[] {
  return args.flatMap((word, index) => {
    const [option, attached] = /^--fil[\w-]*(?:=(.*))?$/s.exec(word.value) ?? [];
    if (option === undefined) return [];
    const list = attached === undefined ? args[index + 1] : partOfWord(word, attached);
    return [...(list ? [touch('read', list)] : []), touch('read', unknownWord('the files of a list'))];
  });
}

/** `@list`: some programs read their arguments from such a file. For others, it is the name of a file. */
export function withListFile(word: ShellWord): readonly ShellWord[] {
  return word.value.startsWith('@') ? [word, partOfWord(word, word.value.slice(1))] : [word];
}

/** They read more words from a file after the sign, at any position. A glob may match a name with that sign. */
const AT_FILES = /^([\w.-]+-)?(strings|nm|objdump|readelf|size|ar|addr2line|c\+\+filt|ranlib|strip|objcopy)$/;
/**
 * Their options that read the names of files from a file, or load code that may read any file. Beginnings of long options
 * count. An object file names its sources, which `objdump -S` prints.
 */
const LIST_OPTIONS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(xz|unxz|xzcat|lzma|unlzma|lzcat|zstd|unzstd|zstdcat|zstdmt)$/, /^--fi?l?e?(s|l|$|=)/],
  [/^file$/, optionPattern({ letters: 'f', valued: 'eFmP', long: 'fi?l?e?(s|$|=)' })],
  [/^([\w.-]+-)?objdump$/, optionPattern({ letters: 'S', valued: 'bjmM', long: 'so|pl' })],
  [/^([\w.-]+-)?(nm|size|ar|ranlib|strip|objcopy)$/, /^--pl/],
  [/^mlr$/, /^(--files|-s|--mfrom|--load|--mload)$/],
  [/^ack$/, optionPattern({ letters: 'x', long: 'files-from|ackrc' })],
  [/^cloc$/, /^--(list-file|include-list|config)/],
];

/** Returns whether the program may read files whose names are in another file. */
export function readsNamesFromFile(program: string, args: readonly ShellWord[]): boolean {
  const options = LIST_OPTIONS.find(([programs]) => programs.test(program))?.[1];
  const mayBeginWithSign = ({ kind, value, begins }: ShellWord): boolean =>
    kind === 'dynamic' ? /^(@|$)/.test(begins) : (kind === 'pattern' ? /^[@*?[+!]/ : /^@/).test(value);
  return (
    (AT_FILES.test(program) && args.some(mayBeginWithSign)) ||
    (options !== undefined && args.some(({ value }) => options.test(value)))
  );
}
