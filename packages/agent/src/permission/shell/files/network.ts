/** Programs that transfer files to and from other machines. */
import { percentDecoded } from '@heddle/tools/git';
import type { ShellWord } from '@heddle/tools/shell';
import { canCompleteProtected } from '../../paths/protected.ts';
import { inFolder } from './git-arguments.ts';
import { type ParsedOperands, argumentsOf, hasOption } from './operands.ts';
import { isUnderstood, optionsOf } from './option-tables.ts';
import {
  type FilesOfProgram,
  HERE,
  literalWord,
  partOfWord,
  pathInside,
  type Touch,
  touch,
  unknownWord,
  wordInside,
  writeInside,
} from './touch.ts';
import { optionPattern } from '../short-options.ts';

/** If the position of the target is not certain, each operand and each value may be it. */
const copiedBy =
  (program: string, followsLinks: (given: ParsedOperands) => boolean): FilesOfProgram =>
  (args) => {
    const options = optionsOf(program);
    const given = argumentsOf(args, options);
    const staysInTree = !followsLinks(given);
    const last = given.operands.at(-1);
    const isCertain = isUnderstood(program, args);
    const words = isCertain ? given.operands : [...given.operands, ...given.valuesOf(...options.valued)];
    const targets = isCertain ? given.operands.slice(-1) : words;
    const keepsOld = program === 'rsync' && hasOption(given, 'b', '--backup', '--backup-dir');
    return [
      ...(program === 'rsync' ? removedByRsync(given, { words, targets, isCertain, keepsOld }) : []),
      ...given.operands
        .filter((word) => word !== last && !isRemote(word))
        .map((word) => touch('read', word, 'all', { staysInTree })),
      ...given
        .valuesOf(...(program === 'scp' ? ['-i', '-F'] : ['--files-from']))
        .map((word) => touch('read', word)),
      ...given.valuesOf('--files-from').map(() => touch('read', unknownWord('the files of a list'))),
      ...(program === 'rsync' ? otherFilesOfRsync(given, targets, isCertain) : []),
      ...targets
        .filter((word) => !isRemote(word))
        .flatMap((target) =>
          copiedTo(
            target,
            words.filter((word) => word !== target),
            program === 'rsync' && hasOption(given, 'R', '--relative', '--files-from'),
          ),
        )
        .map((one) => (keepsOld ? Object.assign(one, { moves: true }) : one)),
    ];
  };

interface Transfer {
  readonly words: readonly ShellWord[];
  readonly targets: readonly ShellWord[];
  readonly isCertain: boolean;
  readonly keepsOld: boolean;
}

/** Returns files that other options name: filters in files, folders with older copies, and computed names. */
function otherFilesOfRsync(
  given: ParsedOperands,
  targets: readonly ShellWord[],
  isCertain: boolean,
): readonly Touch[] {
  const has = (option: RegExp): boolean => given.options.some((each) => option.test(each));
  // The folders count from the target.
  const from = (...options: string[]): readonly ShellWord[] =>
    given
      .valuesOf(...options)
      .flatMap((folder) => targets.map((target) => inFolder(folder, { folder: target })));
  const merged = given
    .valuesOf('-f', '--filter')
    .filter(({ kind, value }) => kind !== 'literal' || /^(\.|:|merge|dir-merge)/.test(value));
  const isConverted = given.valuesOf('--iconv').some(({ value }) => !/^(\.|-|utf-?8)$/i.test(value));
  return [
    ...given.valuesOf('--exclude-from', '--include-from', '--read-batch').map((word) => touch('read', word)),
    ...merged.map((word) => touch('read', unknownWord(word.text))),
    ...from('--copy-dest', '--compare-dest', '--link-dest').map((word) => touch('read', word, 'all')),
    // A hard link is another name for a file.
    ...from('--link-dest').map((word) => touch('remove', word, 'all', { moves: true, picks: true })),
    // Names become others: `+AC4-npmrc` in UTF-7 is `.npmrc`.
    ...(isConverted || (!isCertain && has(/^--ic/))
      ? [touch('write', unknownWord('names in other characters'))]
      : []),
    // The names are in the batch.
    ...(given.valuesOf('--read-batch').length > 0
      ? [touch('write', unknownWord('the names in the batch'))]
      : []),
  ];
}

/** Files that are missing in the source are removed from the target, or files of the source are removed after their transfer. */
function removedByRsync(given: ParsedOperands, { words, targets, isCertain, keepsOld }: Transfer): Touch[] {
  const has = (option: RegExp): boolean => given.options.some((each) => option.test(each));
  const local = targets.filter((word) => !isRemote(word));
  const sources = words.filter((word) => !isRemote(word) && (!isCertain || !targets.includes(word)));
  const isNamedOnly =
    isCertain && !hasOption(given, 'R', '--relative', '--files-from') && !has(/^--delete-m/);
  const cleared = local.flatMap((target) =>
    words.flatMap((word) => {
      if (word === target) return [];
      const source = partOfWord(word, word.value.replace(/^[^/]*:+/, ''));
      // The folder itself is transferred, and only the target's folder of that name is cleared.
      const isFolder = isNamedOnly && !/(^|\/)\.{0,2}$/.test(source.value);
      return [isFolder ? wordInside(target, source) : target];
    }),
  );
  const moves = keepsOld ? { moves: true } : {};
  const suffixes = given.valuesOf('--suffix').filter(({ value }) => canCompleteProtected(value));
  // The folder for old files counts from the target.
  const backups = given
    .valuesOf('--backup-dir')
    .flatMap((folder) => local.flatMap((target) => [folder, inFolder(folder, { folder: target })]));
  return [
    ...(has(/^--de/) ? cleared : []).map((word) => touch('remove', word, 'all', moves)),
    // A file of the source replaces a whole folder.
    ...(has(/^--forc/) ? local : []).map((word) => touch('remove', word, 'all', moves)),
    ...(has(/^--remov/) ? sources : []).map((word) => touch('remove', word, 'all', { moves: true })),
    ...(keepsOld ? suffixes : []).map((word) => touch('write', unknownWord(word.text))),
    ...backups.map((word) => touch('write', word)),
    ...backups.flatMap((word) => local.map((target) => touch('write', word, 'all', { copyOf: target }))),
  ];
}

function copiedTo(target: ShellWord, sources: readonly ShellWord[], withFolders: boolean): Touch[] {
  // For several sources, rsync makes the target a folder.
  const made = (saved: Touch): Touch => (sources.length > 1 ? { ...saved, makesWithin: true } : saved);
  return [
    touch('write', target),
    ...(withFolders ? sources : []).flatMap((word) => {
      const name = word.value.replace(/^[^/]*:+/, '');
      // A part before `/./` is left out.
      return Array.from(new Set([name, name.replace(/^.*\/\.\//, '')]), (each) =>
        touch(
          'write',
          pathInside(target, partOfWord(word, each)),
          'all',
          isRemote(word) ? {} : { copyOf: word },
        ),
      );
    }),
    ...sources.flatMap((word) =>
      // Rsync uses the host of the word before for `:path`.
      (/^[^/]*:/.test(word.value) ? savedFrom(word, target) : [writeInside(target, word)]).map(made),
    ),
    ...sources.map((word) =>
      touch('write', target, 'all', isRemote(word) ? { fills: true } : { copyOf: word }),
    ),
  ];
}

function isRemote({ value }: ShellWord): boolean {
  return /^[^/]+:/.test(value);
}

/** The other machine may expand or split a name with one of these: `h:\.a`, `h:{a,b}`, `h:a b`. */
const EXPANDED_THERE = /[\\{}$`'"\s!()<>|;&]/;

/** Returns the writes for a file of another machine. */
function savedFrom(word: ShellWord, target: ShellWord): Touch[] {
  const path = word.value.replace(/^[^/]*:/, '');
  if (EXPANDED_THERE.test(path)) return [touch('write', unknownWord(word.text))];
  const source = partOfWord(word, path);
  // Names on the other machine match a pattern.
  const isPattern = /[*?[]/.test(word.value);
  return [
    writeInside(target, source),
    ...(isPattern ? [touch('write', wordInside(target, { ...source, kind: 'pattern' }))] : []),
  ];
}

const copiedByScp = copiedBy('scp', () => true);

/** Without a path after the host, it reads commands. Without a target, it saves in the working folder. */
const sftp: FilesOfProgram = (args) => {
  const { operands, valuesOf } = argumentsOf(args, optionsOf('sftp'));
  const [host, target = HERE] = operands;
  const files = valuesOf('-i', '-F', '-b').map((word) => touch('read', word));
  return host && isRemote(host)
    ? [...files, ...copiedByScp([host, target])]
    : [...files, ...operands.slice(1).map((word) => touch('write', word))];
};

const wget: FilesOfProgram = (args) => {
  const inputs = ['-i', '--input-file', '--post-file', '--body-file', '--load-cookies', '--ca-certificate'];
  const logs = ['-o', '-a', '--output-file', '--append-output', '--save-cookies'];
  const outs = ['-O', '--output-document'];
  const given = argumentsOf(args, optionsOf('wget'));
  const folders = given.valuesOf('-P', '--directory-prefix');
  const into = folders.length > 0 ? folders : [HERE];
  const named = given.valuesOf(...outs);
  const has = (option: RegExp): boolean => args.some(({ value }) => option.test(value));
  const settings = given.valuesOf('-e', '--execute').filter(({ value }) => !/^\s*robots\s*=/i.test(value));
  const saved =
    has(WGET_UNKNOWN) || settings.length > 0
      ? [unknownWord('what the server calls it')]
      : given.operands
          .map(wgetAddress)
          .flatMap((url) =>
            into.flatMap((folder) =>
              has(WGET_FOLDERS) ? savedWithFolders(url, folder) : savedAs(url, folder),
            ),
          );
  return [
    ...(named.length > 0 ? named : saved)
      .filter(({ value }) => value !== '-')
      .map((word) => touch('write', word)),
    ...(named.length === 0 ? into : []).map((folder) => touch('write', folder)),
    ...given.valuesOf(...logs).map((word) => touch('write', word)),
    ...given.valuesOf(...inputs).map((word) => touch('read', word)),
  ];
};

/** `host:path` is an address of FTP. There, wget expands patterns, also in codes (`%2a`), and drops `;type=a`. */
function wgetAddress(word: ShellWord): ShellWord {
  const full = word.value.replace(/^([^/:]+):(?!\d+(\/|$)|\/\/)/, 'ftp://$1/');
  if (word.kind === 'dynamic' || !/^ftps?:/i.test(full)) return word;
  return /[*?[\]]/.test(percentDecoded(full))
    ? unknownWord(word.text)
    : partOfWord(word, full.replace(/;[^/]*$/, ''));
}

/** Returns the files that a program may name after an address. */
export function savedAs(url: ShellWord, folder: ShellWord): ShellWord[] {
  const names = url.kind === 'dynamic' ? undefined : namesInAddress(url.value);
  if (names === undefined) return [unknownWord(url.text)];
  return (names.length > 0 ? names : ['index.html']).map((name) => wordInside(folder, literalWord(name)));
}

/**
 * Returns the last segment of an address, as written and decoded. A slash at the end is ignored. Undefined if the program
 * replaces a part of it: `{a,b}`, `[a-c]`.
 */
export function namesInAddress(address: string): readonly string[] | undefined {
  const path = pathOfAddress(address);
  if (/[[\]{}]/.test(path)) return undefined;
  const last =
    path
      .replace(/(?<![/\\])[/\\]+$/, '')
      .split(/[/\\]/)
      .at(-1) ?? '';
  const names = [last, percentDecoded(last).split('/').at(-1) ?? ''].filter((name) => name !== '');
  return [...new Set(names)];
}

function pathOfAddress(address: string): string {
  return address.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
}

const WGET_VALUED = 'naoeiBtOTwQPUlARDIX';
/** With these, the server or a file chooses the names. Letters before them take no value. */
const WGET_UNKNOWN = optionPattern({
  letters: 'rmpi',
  valued: WGET_VALUED,
  long: 'rec|mi|pag|inp|content-d|trust-s',
});
/** It keeps the folders of the address. */
const WGET_FOLDERS = optionPattern({ letters: 'x', valued: WGET_VALUED, long: 'force-d|pro' });

/** Returns the paths below the folder for an address with folders: with or without the host, and without some folders. */
function savedWithFolders(url: ShellWord, folder: ShellWord): ShellWord[] {
  if (url.kind === 'dynamic' || folder.kind === 'dynamic') return [unknownWord(url.text)];
  const parts = percentDecoded(url.value.replace(/^[a-z]+:\/\//i, '').replace(/[?#].*$/s, ''))
    .split('/')
    .filter(Boolean);
  return parts.map((_, at) => partOfWord(folder, `${folder.value}/${parts.slice(at).join('/')}`));
}

export const NETWORK: readonly (readonly [string, FilesOfProgram])[] = [
  [
    'rsync',
    copiedBy('rsync', (given) =>
      hasOption(given, 'Lk', '--copy-links', '--copy-dirlinks', '--copy-unsafe-links'),
    ),
  ],
  ['scp', copiedByScp],
  ['sftp', sftp],
  ['wget', wget],
];
