/** Finds the files of programs that compress and decompress single files. Each output has the name of its input with another end. */
import path from 'node:path';
import type { ShellWord } from '@heddle/tools/shell';
import type { FilePart, PathsBelow } from '../../part.ts';
import { commandPlace, type FilePlace, once } from '../../paths/places.ts';
import { pathsBelow } from '../../paths/walk-tree.ts';
import type { PermissionWorld } from '../../world.ts';
import { argumentsOf, hasOption, type ParsedOperands } from './operands.ts';
import { HERE, literalWord, type ReplacedEnds, type Touch, touch, unknownWord, wordInside } from './touch.ts';

/** The options of related programs. A letter that is not listed may take the rest of its word as its value. */
interface Family {
  readonly programs: RegExp;
  /** Options whose value is the next word or attached to them. */
  readonly valued: readonly string[];
  /** Letters without a value that do not change where the output goes. */
  readonly plain: string;
  /** With these letters, the program writes to its standard output. */
  readonly prints: string;
  /** With these letters, it lists or tests files. A later letter of another operation replaces them. */
  readonly lists: string;
  /** With these letters, the name or the folder of the output is not that of the input. */
  readonly renames: string;
  /** The ends that it adds to the names of its inputs. */
  readonly adds: string;
}

const SUFFIX = ['-S', '--suffix'];
const OUTPUT = ['-o', '--output'];

const FAMILIES: readonly Family[] = [
  {
    programs: /^(gzip|gunzip|pigz|unpigz|(un)?compress)$/,
    valued: [...SUFFIX, '-b', '-p', '-I', '-J', '-A', '-C'],
    plain: 'adfikKmMnNqrRvz',
    prints: 'c',
    lists: 'lt',
    renames: 'N',
    adds: '.gz .zz .zip .Z',
  },
  {
    programs: /^[pl]?b(un)?zip2$/,
    valued: [],
    plain: 'dfkqsvz',
    prints: 'c',
    lists: 't',
    renames: '',
    adds: '.bz2 .out',
  },
  {
    programs: /^(un)?(xz|lzma)$/,
    valued: [...SUFFIX, '-F', '--format', '-C', '--check', '-T', '--threads', '-M', '--memlimit'],
    plain: 'defkqQvz',
    prints: 'c',
    lists: 'lt',
    renames: '',
    adds: '.xz .lzma',
  },
  // Its -t is not a test: it writes a file that is not a tar archive.
  {
    programs: /^pixz$/,
    valued: ['-o', '-i', '-p'],
    plain: 'dkt',
    prints: '',
    lists: 'l',
    renames: '',
    adds: '.xz .tpxz',
  },
  {
    programs: /^(zstd|unzstd|zstdmt|pzstd)$/,
    valued: [...OUTPUT, '--output-dir-flat', '--output-dir-mirror', '-D'],
    plain: 'dfkmqrvz',
    prints: 'c',
    lists: 'lt',
    renames: '',
    adds: '.zst .gz .xz .lzma .lz4',
  },
  // Its -l is an old format.
  {
    programs: /^(un)?lz4$/,
    valued: ['-D'],
    plain: 'dfklmqrvyz',
    prints: 'c',
    lists: 't',
    renames: '',
    adds: '.lz4',
  },
  // Its -c1 is a level.
  {
    programs: /^lz4c$/,
    valued: ['-D'],
    plain: 'dfklmqrvyz',
    prints: '',
    lists: 't',
    renames: '',
    adds: '.lz4',
  },
  {
    programs: /^(p?lzip|lunzip)$/,
    valued: [...OUTPUT, '-b', '-B', '-m', '-n', '-s', '-S'],
    plain: 'adfFkqv',
    prints: 'c',
    lists: 'lt',
    renames: '',
    adds: '.lz .out',
  },
  {
    programs: /^(un)?lzop$/,
    valued: [...SUFFIX, ...OUTPUT],
    plain: 'dfknNqUvx',
    prints: 'c',
    lists: 'lt',
    renames: 'NpPx',
    adds: '.lzo',
  },
  {
    programs: /^(un)?brotli$/,
    valued: [...SUFFIX, ...OUTPUT, '-q', '-w', '-D', '-C'],
    plain: 'dfjknvZ',
    prints: 'c',
    lists: 't',
    renames: '',
    adds: '.br',
  },
];

function familyOf(program: string): Family | undefined {
  return FAMILIES.find(({ programs }) => programs.test(program));
}

export function isCompressor(program: string): boolean {
  return familyOf(program) !== undefined;
}

/** The ends of compressed files. Some programs drop other ends, but leave `.tar` in their place. */
const ENDS =
  '.gz -gz .z -z _z .Z .zz -zz .zip .bz2 .bz .xz .pxz .lzma .zst .zstd .lz4 .lz .lzo .lzop .br'.split(' ');

/** Returns whether the program only prints, lists or tests its files. */
function isPrinting({ plain, prints, lists }: Family, given: ParsedOperands): boolean {
  const hasLetter = (letters: string): boolean =>
    letters !== '' && given.options.some((option) => new RegExp(`^-[\\d${plain}]*[${letters}]`).test(option));
  if (hasLetter(prints) || hasOption(given, '', '--stdout', '--to-stdout')) return true;
  const isReplaced = hasOption(given, 'dzx', '--decompress', '--uncompress', '--compress', '--extract');
  return !isReplaced && (hasLetter(lists) || hasOption(given, '', '--list', '--test'));
}

export function compressed(program: string, args: readonly ShellWord[]): Touch[] {
  const family = familyOf(program);
  if (family === undefined) return [];
  const given = argumentsOf(args, family.valued);
  const outputs = given.valuesOf(...OUTPUT, '--output-dir-flat', '--output-dir-mirror');
  const isPrinted = outputs.length === 0 && isPrinting(family, given);
  const isDeep = hasOption(given, 'r', '--recursive');
  const operands = isDeep && given.operands.length === 0 ? [HERE] : given.operands;
  const reads = isDeep ? operands.map((word) => touch('read', word, 'all')) : [];
  if (isPrinted)
    return [...operands.map((word) => touch('read', word, isDeep ? 'all' : undefined)), ...reads];
  const suffixes = given.valuesOf(...SUFFIX);
  const isDecompressed =
    /^(un|gun|lun|[pl]?bun)/.test(program) ||
    hasOption(given, 'dx', '--decompress', '--uncompress', '--extract');
  // The name is in the compressed file, or in a list.
  const isNamedInside = isDecompressed && hasOption(given, family.renames, '--name', '--path');
  const isListed = args.some(({ value }) => /^--file(s|s0|list)?(=|$)/.test(value));
  const isUnknown = isNamedInside || isListed || suffixes.some(({ kind }) => kind !== 'literal');
  const replacedEnds = {
    dropped: [...ENDS, ...suffixes.map(({ value }) => value)],
    added: suffixes.map(({ value }) => value),
    usual: family.adds.split(' '),
    isDeep,
    keepsOthers: isDecompressed,
  };
  return [
    ...operands.map((word) => touch('write', word, isDeep ? 'all' : undefined, { replacedEnds })),
    ...outputs.map((word) => touch('write', word)),
    ...given
      .valuesOf('--output-dir-flat', '--output-dir-mirror')
      .flatMap((folder) => operands.flatMap((word) => insideFolder(word, folder, replacedEnds))),
    ...reads,
    // Under the other name, the content can be read.
    ...(isDeep ? [] : operands.map((word) => touch('read', word))),
    ...(isUnknown ? [touch('write', unknownWord('what it decompresses'))] : []),
  ];
}

/** Returns the outputs in another folder. Their names are known only for plain words. */
function insideFolder(word: ShellWord, folder: ShellWord, ends: ReplacedEnds): readonly Touch[] {
  if (word.kind !== 'literal') return [];
  return writtenBeside(word.value, ends).map((name) => touch('write', wordInside(folder, literalWord(name))));
}

/** Some programs replace these ends of an archive by `.tar`. */
const ARCHIVE = /\.(tgz|taz|tbz2?|txz|tlz|tzst|tpxz|tlz4)$/i;

/** Returns the paths that a program may write for a file: with another end, or with one more. */
function writtenBeside(file: string, { dropped, added, keepsOthers }: ReplacedEnds): readonly string[] {
  // Some programs accept the ends in any case.
  const lower = file.toLowerCase();
  const shortened = dropped
    .filter((end) => end !== '' && lower.endsWith(end.toLowerCase()))
    .map((end) => file.slice(0, -end.length))
    .concat(ARCHIVE.test(file) ? [file.replace(ARCHIVE, '.tar')] : []);
  const changed = keepsOthers && shortened.length === 0 ? [] : [file];
  return [...changed, ...shortened, ...added.map((end) => file + end)];
}

/** Returns the files that are written beside some places, or beside all files below them. */
export function besideFiles(
  ends: ReplacedEnds,
  places: readonly FilePlace[],
  world: PermissionWorld,
): PathsBelow {
  const { selects } = ends;
  const hidden = selects?.skipsHidden !== true;
  const below = ends.isDeep ? pathsBelow(places, world, { follows: false, hidden }) : undefined;
  const files = new Set([...places.flatMap(({ path: at, real }) => [at, real]), ...(below?.paths ?? [])]);
  const paths = Array.from(files)
    .filter((file) => selects?.mayMatch(path.posix.basename(file)) !== false)
    .flatMap((file) => writtenBeside(file, ends));
  return { paths, isComplete: below?.isComplete !== false, mayGrow: false };
}

/** Rules about edits also match the files beside. The concern of the file itself includes theirs. */
export function besidePart(
  ends: ReplacedEnds,
  shared: Omit<FilePart, 'kind' | 'knowledge' | 'concern'>,
  world: PermissionWorld,
): FilePart[] {
  const { places, glob } = shared;
  const starts = glob ? glob.found(true) : places;
  if (starts === undefined) return [];
  const all = { ...ends, added: [...ends.added, ...ends.usual] };
  const look = once(() => besideFiles(all, starts, world));
  const written =
    glob || ends.isDeep
      ? { places: [], below: look }
      : { places: look()?.paths.map((at) => commandPlace(at, world)) };
  return [
    {
      ...shared,
      ...written,
      kind: 'write',
      deep: 'no',
      glob: undefined,
      knowledge: 'known',
      concern: undefined,
    },
  ];
}
