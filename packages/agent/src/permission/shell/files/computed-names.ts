/**
 * Finds files with computed names: by the code of awk and Miller, and for the parts of a split file. Names that are plain
 * texts in the code are found as places in a command.
 */
import path from 'node:path';
import type { ShellWord } from '@heddle/tools/shell';
import { bareCode, hasAwkWord } from '../awk-code.ts';
import { canBeInProtected, canCompleteProtected, canSurroundProtected } from '../../paths/protected.ts';
import { argumentsOf, type ParsedOperands } from './operands.ts';
import { literalWord, partOfWord, type Touch, touch, unknownWord } from './touch.ts';

/** A statement or an expression that names a file after an operator. */
interface FileForm {
  /** A part of each keyword. In unclear code, it can be anywhere. */
  readonly begins: RegExp;
  readonly keyword: RegExp;
  readonly operator: '<' | '>';
  /** A name that is known, with the text after it. */
  readonly known: RegExp;
}

const AWK_OUTPUT: FileForm = {
  begins: /print/,
  keyword: /\bprintf?\b/g,
  operator: '>',
  known: /^>?\s*""\s*(?:$|[;\n}])/,
};
const AWK_INPUT: FileForm = {
  begins: /getline/,
  keyword: /\bgetline\b/g,
  operator: '<',
  known: /^\s*""\s*(?:$|[);\n}&|<>=!])/,
};
const MILLER_OUTPUT: FileForm = {
  begins: /tee|print|dump|emit/,
  keyword: /\b(?:tee|e?printn?|e?dump|emit\w*)\b/g,
  operator: '>',
  known: /^>?\s*(?:""|stderr\b|stdout\b)\s*(?:$|[,;\n}])/,
};

/** Returns whether the code may use a file whose name is not a plain text. */
function namesUnknownFile(text: string, { begins, keyword, operator, known }: FileForm): boolean {
  if (!begins.test(text) || !text.includes(operator)) return false;
  const code = bareCode(text);
  if (code === undefined) return true;
  return Array.from(code.matchAll(keyword)).some(({ index, 0: { length } }) => {
    const target = targetAfter(code, index + length, operator);
    return target !== undefined && !known.test(target);
  });
}

/** Returns the code after the operator. Undefined if the statement ends before it, or if it compares in parentheses. */
function targetAfter(code: string, from: number, operator: string): string | undefined {
  let depth = 0;
  let last = '';
  for (let at = from; at < code.length; at++) {
    const letter = code[at] ?? '';
    if (depth === 0 && letter === operator) return code.slice(at + 1);
    // After these operators, the statement continues on the next line.
    const isContinued = letter === '\n' && /[,&|?:]/.test(last);
    if (depth === 0 && /[;\n})\]]/.test(letter) && !isContinued) return undefined;
    if (!/\s/.test(letter)) last = letter;
    if (/[([]/.test(letter)) depth++;
    else if (/[)\]]/.test(letter)) depth--;
  }
  return undefined;
}

/** Returns the unknown files that the code of awk names: targets of `print`, sources of `getline`, entries of `ARGV`. */
export function awkTargets(args: readonly ShellWord[]): readonly Touch[] {
  const { valuesOf } = argumentsOf(args, ['-i', '--include', '-v', '--assign']);
  const editsInPlace = valuesOf('-i', '--include').some(({ value }) => /^inplace(\.awk)?$/.test(value));
  // The old content of each file is kept under a name with this end.
  const completes = valuesOf('-v', '--assign').some(({ value }) => {
    const [, end] = /^(?:inplace::suffix|INPLACE_SUFFIX)=(.+)$/s.exec(value) ?? [];
    return end !== undefined && (canCompleteProtected(end) || /[/\\]/.test(end));
  });
  const setsFiles = args.some(({ value }) => hasAwkWord(value, 'ARGV', 'SYMTAB'));
  const reads = setsFiles || args.some(({ value }) => namesUnknownFile(value, AWK_INPUT));
  const writes =
    (editsInPlace && (setsFiles || completes)) ||
    args.some(({ value }) => namesUnknownFile(value, AWK_OUTPUT));
  const isCopied = editsInPlace && args.some(({ value }) => /^(inplace::suffix|INPLACE_SUFFIX)=/.test(value));
  return [
    ...(reads ? [touch('read', unknownWord('what the program reads'))] : []),
    // Under the other name, the old content can be read.
    ...(isCopied ? args.map((word) => touch('read', word)) : []),
    ...(writes ? [touch('write', unknownWord('what the program writes'))] : []),
  ];
}

/** Returns the files that a program writes, if their names are not words of the command. */
export function computedTargets(program: string, args: readonly ShellWord[]): readonly Touch[] {
  if (program === 'mlr') return millerTargets(args);
  return [splitTargets, gpgTargets, renamedTargets, teeTargets, clonedTargets].flatMap((targets) =>
    targets(program, args),
  );
}

/** Returns the unknown files that the code of Miller names: targets of `tee`, `print`, `dump` and `emit`. */
function millerTargets(args: readonly ShellWord[]): readonly Touch[] {
  return args.some(({ value }) => namesUnknownFile(value, MILLER_OUTPUT))
    ? [touch('write', unknownWord('what the program writes'))]
    : [];
}

const GPG_VALUED =
  '-o --output -r --recipient -u --local-user --homedir --options --passphrase --passphrase-file --passphrase-fd --keyring --status-fd --pinentry-mode'.split(
    ' ',
  );

/** Without an output, `gpg a.gpg` writes `a`. An option takes the name from the encrypted file. */
function gpgTargets(program: string, args: readonly ShellWord[]): readonly Touch[] {
  if (!/^gpg2?$/.test(program)) return [];
  const given = argumentsOf(args, GPG_VALUED);
  if (given.options.some((option) => option.startsWith('--use-e')))
    return [touch('write', unknownWord('the name in the encrypted file'))];
  if (
    given.valuesOf('-o', '--output').length > 0 ||
    given.options.some((option) => option.startsWith('--ver'))
  )
    return [];
  return given.operands.flatMap((word) => {
    const name = word.value.replace(/\.(gpg|pgp|asc|sig|sign)$/i, '');
    return name === word.value
      ? []
      : [touch('write', partOfWord(word, name), undefined, { knowledge: 'named' })];
  });
}

/** The parts of a split file have computed names: `split -a1 a .npmr` writes `.npmrc` among others. */
function splitTargets(program: string, args: readonly ShellWord[]): readonly Touch[] {
  if (!/^g?c?split$/.test(program)) return [];
  const isContext = program.includes('csplit');
  const valued = isContext
    ? ['-f', '--prefix', '-b', '--suffix-format', '-n', '--digits']
    : [
        '-a',
        '--suffix-length',
        '-b',
        '--bytes',
        '-C',
        '--line-bytes',
        '-l',
        '--lines',
        '-n',
        '--number',
        '-t',
      ];
  // Standard input has the place of a file among the operands.
  const words = args.map((word) => (word.value === '-' ? literalWord('./-') : word));
  const { operands, valuesOf } = argumentsOf(words, [...valued, '--additional-suffix', '--filter']);
  const begins = isContext ? valuesOf('-f', '--prefix') : operands.slice(1);
  const formats = isContext ? valuesOf('-b', '--suffix-format') : [];
  const [end = ''] = valuesOf('--additional-suffix').map(({ value }) => value);
  const isUnknown = (begin: string): boolean =>
    canSurroundProtected(begin, end) ||
    formats.some(({ value }) => {
      const [first = '', last = ''] = value.split(/%[^a-z]*[a-z]/, 2);
      return canSurroundProtected(begin + first, last) || canCompleteProtected(begin + first + last);
    });
  const given = begins.length > 0 ? begins : [literalWord(isContext ? 'xx' : 'x')];
  const [length] = valuesOf(...(isContext ? ['-n', '--digits'] : ['-a', '--suffix-length']));
  const suffixes =
    formats.length > 0
      ? formats.map(({ value }) => value.replace(/%[^a-z]*[a-z]/g, '*'))
      : partLengths(length?.value, isContext).map((count) => '?'.repeat(count) + end);
  return [
    ...given.flatMap((word) =>
      word.kind === 'literal' ? suffixes.map((suffix) => globWord(word, suffix)) : [],
    ),
    ...(given.some(({ value }) => isUnknown(path.posix.basename(value)))
      ? [unknownWord('a part of the file')]
      : []),
  ].map((word) => touch('write', word));
}

/** Without a length, more letters are added as needed. */
const USUAL_LENGTHS = [2, 3, 4, 5, 6];

function partLengths(given: string | undefined, isContext: boolean): readonly number[] {
  const length = Number(given ?? 0);
  if (given === undefined || !(length > 0 && length < 100)) return USUAL_LENGTHS;
  return isContext ? [length, length + 1, length + 2] : [length];
}

/** Returns a glob for the names that begin with a word. */
function globWord(word: ShellWord, suffix: string): ShellWord {
  return { ...partOfWord(word, word.value + suffix), kind: 'pattern' };
}

/** They give files new names, by a text, a pattern or code. */
const RENAMERS =
  /^(rename(\.ul|\.perl)?|prename|perl-rename|file-rename|mmv|mcp|mln|mad|qmv|qcp|imv|icp|vidir|zmv|detox|renamer|rnr|brename)$/;

/** Returns the files with new names. They are known only if one literal text replaces another one. */
function renamedTargets(program: string, args: readonly ShellWord[]): readonly Touch[] {
  if (!RENAMERS.test(program)) return [];
  const { operands, options } = argumentsOf(args);
  const [from, to, ...files] = operands;
  const isText = (word: ShellWord | undefined): word is ShellWord =>
    word?.kind === 'literal' && /^[\w .-]*$/.test(word.value);
  const isKnown = /^rename(\.ul)?$/.test(program) && options.every((option) => /^-[vnoial]+$/.test(option));
  if (!isKnown || !isText(from) || !isText(to) || files.length === 0)
    return [touch('write', unknownWord('the new names of the files'))];
  const renamed = files.flatMap((word) => renamedFiles(word, from.value, to.value));
  return [
    ...files.map((word) => touch('remove', word, undefined, { moves: true })),
    ...renamed.map((word) => touch('write', word)),
  ];
}

/** Options and versions decide which occurrence is replaced, and whether the folder counts. */
function renamedFiles(word: ShellWord, from: string, to: string): readonly ShellWord[] {
  if (word.kind !== 'literal') return canBeInProtected(to) ? [unknownWord(word.text)] : [];
  const folder = word.value.slice(0, word.value.lastIndexOf('/') + 1);
  const versions = (text: string): string[] => {
    const last = text.lastIndexOf(from);
    const atLast = last < 0 ? text : text.slice(0, last) + to + text.slice(last + from.length);
    return [text.replace(from, () => to), text.replaceAll(from, () => to), atLast];
  };
  const names = [
    ...versions(word.value),
    ...versions(word.value.slice(folder.length)).map((name) => folder + name),
  ];
  return Array.from(new Set(names), (name) => partOfWord(word, name));
}

/** `gh repo clone a/b` makes the folder `b`. */
function clonedTargets(program: string, args: readonly ShellWord[]): readonly Touch[] {
  if (program !== 'gh' || !args.some(({ value }) => /^(--)?(clone|fork)/.test(value))) return [];
  return args.flatMap((word) => {
    const [, name] = /([^/:]+?)(?:\.git)?\/*$/.exec(word.value) ?? [];
    return name === undefined || name.startsWith('-') ? [] : [touch('write', literalWord(name))];
  });
}

/** `ffmpeg -f tee '[f=mp4]a|b'` writes several files. */
function teeTargets(program: string, args: readonly ShellWord[]): readonly Touch[] {
  if (program !== 'ffmpeg' || !args.some(({ value }) => value === 'tee')) return [];
  return args.flatMap((word) =>
    word.value
      .split(/[|\]]/)
      .filter((name) => name !== word.value && name !== '' && !name.startsWith('['))
      .map((name) => touch('write', partOfWord(word, name))),
  );
}

/** `sed -i.bak` keeps the old content under another name. With `*` or `/`, that name can be in another folder. */
export function copiesOfSed(
  files: readonly ShellWord[],
  { options }: ParsedOperands,
  args: readonly ShellWord[],
): readonly ShellWord[] {
  const attached = options.flatMap((option) => /^(?:-[nErsuz]*i|--in-place=)(.+)$/s.exec(option)?.[1] ?? []);
  // For BSD, the next word is the suffix. Other versions take it for the script.
  const separate = args.flatMap(({ value }, at) => {
    const next = /^-[nEarsuzl]*[iI]$/.test(value) ? args[at + 1]?.value : undefined;
    return next !== undefined && next !== '' && canCompleteProtected(next) ? [next] : [];
  });
  return [...attached, ...separate].flatMap((suffix) =>
    files.map((word) => {
      // A glob with the suffix shows only copies that exist.
      const isUnknown = /[*/]/.test(suffix) || (word.kind === 'pattern' && canCompleteProtected(suffix));
      return isUnknown ? unknownWord(suffix) : partOfWord(word, word.value + suffix);
    }),
  );
}
