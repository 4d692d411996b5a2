/** Finds the files of programs that compress and decompress single files. Each output has the name of its input with another end. */
import type { ShellWord } from '@heddle/tools/shell';
import { argumentsOf, hasOption, type ParsedOperands } from './operands.ts';
import { HERE, type Touch, touch, unknownWord } from './touch.ts';

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
  },
  {
    programs: /^[pl]?b(un)?zip2$/,
    valued: [],
    plain: 'dfkqsvz',
    prints: 'c',
    lists: 't',
    renames: '',
  },
  {
    programs: /^(un)?(xz|lzma)$/,
    valued: [...SUFFIX, '-F', '--format', '-C', '--check', '-T', '--threads', '-M', '--memlimit'],
    plain: 'defkqQvz',
    prints: 'c',
    lists: 'lt',
    renames: '',
  },
  // Its -t is not a test: it writes a file that is not a tar archive.
  {
    programs: /^pixz$/,
    valued: ['-o', '-i', '-p'],
    plain: 'dkt',
    prints: '',
    lists: 'l',
    renames: '',
  },
  {
    programs: /^(zstd|unzstd|zstdmt|pzstd)$/,
    valued: [...OUTPUT, '--output-dir-flat', '--output-dir-mirror', '-D'],
    plain: 'dfkmqrvz',
    prints: 'c',
    lists: 'lt',
    renames: '',
  },
  // Its -l is an old format.
  {
    programs: /^(un)?lz4$/,
    valued: ['-D'],
    plain: 'dfklmqrvyz',
    prints: 'c',
    lists: 't',
    renames: '',
  },
  // Its -c1 is a level.
  { programs: /^lz4c$/, valued: ['-D'], plain: 'dfklmqrvyz', prints: '', lists: 't', renames: '' },
  {
    programs: /^(p?lzip|lunzip)$/,
    valued: [...OUTPUT, '-b', '-B', '-m', '-n', '-s', '-S'],
    plain: 'adfFkqv',
    prints: 'c',
    lists: 'lt',
    renames: '',
  },
  {
    programs: /^(un)?lzop$/,
    valued: [...SUFFIX, ...OUTPUT],
    plain: 'dfknNqUvx',
    prints: 'c',
    lists: 'lt',
    renames: 'NpPx',
  },
  {
    programs: /^(un)?brotli$/,
    valued: [...SUFFIX, ...OUTPUT, '-q', '-w', '-D', '-C'],
    plain: 'dfjknvZ',
    prints: 'c',
    lists: 't',
    renames: '',
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
    isDeep,
    keepsOthers: isDecompressed,
  };
  return [
    ...operands.map((word) => touch('write', word, isDeep ? 'all' : undefined, { replacedEnds })),
    ...outputs.map((word) => touch('write', word)),
    ...reads,
    ...(isUnknown ? [touch('write', unknownWord('what it decompresses'))] : []),
  ];
}
