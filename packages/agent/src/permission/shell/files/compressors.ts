/** Finds the files of programs that compress and decompress single files. Each output has the name of its input with another end. */
import type { ShellWord } from '@heddle/tools/shell';
import { argumentsOf, hasOption } from './operands.ts';
import { HERE, type Touch, touch, unknownWord } from './touch.ts';

const PROGRAMS =
  /^(p?igz|unpigz|gzip|gunzip|compress|uncompress|p?bzip2|p?bunzip2|lbzip2|lbunzip2|xz|unxz|pixz|lzma|unlzma|zstd|unzstd|zstdmt|pzstd|lz4|lz4c|unlz4|p?lzip|lunzip|lzop|unlzop|brotli|unbrotli)$/;

export function isCompressor(program: string): boolean {
  return PROGRAMS.test(program);
}

/** The ends of compressed files. Some programs drop other ends, but leave `.tar` in their place. */
const ENDS = '.gz -gz .z -z _z .Z .bz2 .bz .xz .lzma .zst .zstd .lz4 .lz .lzo .br'.split(' ');

const VALUED = ['-S', '--suffix', '-o', '--output', '--output-dir-flat', '--output-dir-mirror'];

export function compressed(program: string, args: readonly ShellWord[]): Touch[] {
  const given = argumentsOf(args, VALUED);
  const outputs = given.valuesOf('-o', '--output', '--output-dir-flat', '--output-dir-mirror');
  const isPrinted =
    hasOption(given, 'clt', '--stdout', '--to-stdout', '--list', '--test') && outputs.length === 0;
  const isDeep = hasOption(given, 'r', '--recursive');
  const operands = isDeep && given.operands.length === 0 ? [HERE] : given.operands;
  const reads = isDeep ? operands.map((word) => touch('read', word, 'all')) : [];
  if (isPrinted)
    return [...operands.map((word) => touch('read', word, isDeep ? 'all' : undefined)), ...reads];
  const suffixes = given.valuesOf('-S', '--suffix');
  const isDecompressed =
    /^(un|l?un|gun|p?bun|lbun)/.test(program) || hasOption(given, 'd', '--decompress', '--uncompress');
  // The name is in the compressed file, or in a list.
  const isNamedInside = isDecompressed && hasOption(given, 'N', '--name');
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
