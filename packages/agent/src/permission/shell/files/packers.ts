/** Other programs for archives: the folders in which they unpack, and files that they take or remove without naming them. */
import type { ShellWord } from '@heddle/tools/shell';
import { isOneKnownWord } from './option-tables.ts';
import { fixedFolder } from './quoted-matches.ts';
import { completedWord, HERE, partOfWord, type Touch, touch, unknownWord } from './touch.ts';
import { optionPattern } from '../short-options.ts';

interface Packer {
  readonly programs: RegExp;
  /** The word that makes the program pack files. `moves`: it also removes them. */
  readonly command: RegExp;
  readonly moves?: RegExp;
  /** The form of an option, if it is not a dash and more. */
  readonly option?: RegExp;
  /** Options that select no files. Any other option may select all files below the working folder. */
  readonly options: RegExp;
  /** Those of them whose value is the next word. */
  readonly valued?: RegExp;
  /** Options that remove the packed files. */
  readonly removes?: RegExp;
  /** The number of operands before the names of files. */
  readonly leading: number;
  /** Without names, it takes all files below the folder, or those in a list. */
  readonly withoutNames: 'all' | 'list';
}

const PACKERS: readonly Packer[] = [
  {
    programs: /^(7z[azr]?|7zz|7zzs|p7zip)$/,
    command: /^[au]$/i,
    options:
      /^-(t\w+|m\w.*|p.*|y|bb[0-3]?|bd|bs[oep][012]|bt|v\d+[bkmg]?|ssc-?|x[r\d-]*[!@].*|ao[asut]|s[io]\S*|snl|snh|slp|ssw|stl|scs\S+|spd|r-|sdel)$/is,
    removes: /^-sdel$/i,
    leading: 2,
    withoutNames: 'all',
  },
  {
    programs: /^rar$/,
    command: /^([auf]|mf?)$/i,
    moves: /^mf?$/i,
    options:
      /^-(m[0-5]|ma\d?|md\w+|mt\d+|ep[123]?|y|o[+-]|h?p.*|s|v\d*[kmgb]?|x[^@].*|idq?|inul|rr\d*[p%]?|k|r-|d[frw])$/is,
    removes: /^-d[frw]/i,
    leading: 2,
    withoutNames: 'all',
  },
  {
    programs: /^pax$/,
    command: optionPattern({ letters: 'w', valued: 'bfopsx' }),
    options: /^-[rwvdtuXHLPikzjJZnac]*([fbxp].*)?$/s,
    valued: /^-[rwvdtuXHLPikzjJZnac]*[fbxp]$/,
    leading: 0,
    withoutNames: 'list',
  },
  {
    programs: /^star$/,
    command: /^(-?[a-zA-Z]*c|-create)/,
    option: /^-.|=/,
    options: /^(-?([cvzjJp]+|c[vzjJp]*f|bz|xz|f)|(f|file)=.*)$/s,
    valued: /^-?([cvzjJp]*f)$/,
    leading: 0,
    withoutNames: 'list',
  },
  {
    programs: /^jar$/,
    command: /^(-?[a-zA-Z0]*[cu]|--create|--update|@)/,
    options: /./s,
    leading: 0,
    withoutNames: 'list',
  },
];

/** The program expands these itself, also in quotes. After `@`, the word names a list of files. */
const EXPANDED = /^@|[*?]/;

/** Returns the files that such a program takes or removes, besides those that its words name. */
function packedFiles(program: string, args: readonly ShellWord[]): readonly Touch[] {
  const packer = PACKERS.find(({ programs }) => programs.test(program));
  const command = packer && args.find(({ value }) => packer.command.test(value));
  if (packer === undefined || command === undefined) return [];
  const { names, isKnown } = namesIn(args, packer);
  const isList = names.length === 0 && packer.withoutNames === 'list';
  const isOpen =
    !isKnown ||
    names.length === 0 ||
    names.some(({ kind, value }) => (kind === 'pattern' ? /^@/ : EXPANDED).test(value));
  const removes =
    packer.moves?.test(command.value) === true ||
    args.some(({ value }) => packer.removes?.test(value) === true);
  const listed = args.some(({ value }) => value.includes('@')) || isList;
  return [
    ...(isOpen ? [touch('read', HERE, 'all')] : []),
    ...(isOpen && listed ? [touch('read', LISTED)] : []),
    ...(removes ? names : []).map((word) => touch('remove', word, 'all')),
    ...(removes && isOpen ? [touch('remove', HERE, 'all', { picks: true })] : []),
    ...(removes && isOpen && listed ? [touch('remove', LISTED)] : []),
  ];
}

const LISTED = unknownWord('the files of a list');

/** Returns the operands that name files. `isKnown`: every option selects no files. */
function namesIn(
  args: readonly ShellWord[],
  { option = /^-./, options, valued, leading }: Packer,
): { readonly names: readonly ShellWord[]; readonly isKnown: boolean } {
  const end = args.findIndex(({ value }) => value === '--');
  const isOption = ({ value }: ShellWord, at: number): boolean =>
    (end < 0 || at < end) && (option.test(value) || (valued?.test(value) === true && at === 0));
  const isValue = (at: number): boolean => {
    const before = args[at - 1];
    return before !== undefined && isOption(before, at - 1) && valued?.test(before.value) === true;
  };
  const operands = args.filter(
    (word, at) => at !== end && !isValue(at) && (!isOption(word, at) || word.kind !== 'literal'),
  );
  const isKnown = args.every(
    (word, at) => at === end || isValue(at) || (isOption(word, at) ? options.test(word.value) : true),
  );
  return { names: operands.slice(leading), isKnown: isKnown && args.every(isOneKnownWord) };
}

/** Other programs that unpack archives, with the words that make them do so. */
const UNPACKERS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(7z[azr]?|7zz|7zzs|p7zip|unrar|rar)$/, /^[xe]$/i],
  [/^jar$/, /^(-?[a-wyzA-Z0]*x[a-zA-Z0]*|--extract)$/],
  [/^pax$/, optionPattern({ letters: 'r', valued: 'bfopsx' })],
  [/^star$/, /^(-?[a-zA-Z]*x|-extract)/],
  [/^(unar|aunpack|dtrx)$/, /./],
];
/** With these, names in the archive lead out of the folder. Pax and star can unpack absolute names. */
const OPEN_NAMES: readonly (readonly [RegExp, RegExp])[] = [
  [/^(7z[azr]?|7zz|7zzs|p7zip)$/, /^-spf/i],
  [/^jar$/, /^-?[a-zA-Z0]*P/],
  [/^(pax|star)$/, /./],
];

/** Returns the folder that an archive is unpacked in. */
function unpackedTargets(program: string, args: readonly ShellWord[]): readonly Touch[] {
  const has = (list: readonly (readonly [RegExp, RegExp])[]): boolean =>
    list.some(([programs, word]) => programs.test(program) && args.some(({ value }) => word.test(value)));
  if (!has(UNPACKERS)) return [];
  const named = args.flatMap((word) => {
    const [, name] = /^-o(.+)$/is.exec(program.includes('7z') ? word.value : '') ?? [];
    if (name === undefined) return [];
    // It replaces a star by the name of the archive.
    return [name.includes('*') ? unknownWord(word.text) : partOfWord(word, name)];
  });
  const folders = named.length > 0 ? named : [HERE];
  return [
    ...folders.map((folder) => touch('write', folder, 'all', { fills: true })),
    ...(has(OPEN_NAMES) ? [touch('write', unknownWord('the names that it unpacks'))] : []),
  ];
}

/** The ends that these programs add to the name of an archive. */
const COMPLETED: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^zip(grep|note|cloak|split)$/, ['.zip', '.ZIP']],
  [/^(un)?rar$/, ['.rar']],
  [/^(7z[azr]?|7zz|7zzs|p7zip)$/, '.7z .zip .tar .gz .bz2 .xz .wim'.split(' ')],
];
/** They expand wildcards in the name of an archive themselves, and open all files of a folder with that name. */
const OPENS_SEVERAL = /^(7z[azr]?|7zz|7zzs|p7zip|unrar|rar)$/;
/** Options that look for archives. */
const LOOKS_FOR_ARCHIVES = /^-a[in]/i;

/** Returns the archives that a program may open besides those that its words name. */
function openedArchives(program: string, args: readonly ShellWord[]): readonly Touch[] {
  const operands = args.filter(({ kind, value }) => kind !== 'dynamic' && !value.startsWith('-'));
  const ends = COMPLETED.flatMap(([programs, list]) => (programs.test(program) ? list : []));
  const completed = operands.flatMap((word) => ends.map((end) => completedWord(word, end)));
  const named = completed.map((word) => touch('read', word, undefined, { knowledge: 'named' }));
  if (!OPENS_SEVERAL.test(program)) return named;
  // The first operand is the command.
  const patterns = operands.slice(1, 2).filter(({ kind, value }) => kind === 'literal' && /[*?]/.test(value));
  const folders = patterns.map((word) => partOfWord(word, fixedFolder(word.value) || HERE.value));
  const searches = args.filter(({ value }) => LOOKS_FOR_ARCHIVES.test(value));
  return [
    ...named,
    ...[...folders, ...(searches.length > 0 ? [HERE] : [])].map((word) => touch('read', word, 'all')),
    ...(searches.some(({ value }) => value.includes('@')) ? [touch('read', LISTED)] : []),
  ];
}

export function archivedFiles(program: string, args: readonly ShellWord[]): readonly Touch[] {
  return [...unpackedTargets(program, args), ...packedFiles(program, args), ...openedArchives(program, args)];
}
