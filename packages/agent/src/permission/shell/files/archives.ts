/** Programs that pack and unpack archives. */
import type { ShellWord } from '@heddle/tools/shell';
import { inFolder } from './git-arguments.ts';
import { argumentsOf, dashedOptions, hasOption, type ParsedOperands, wholeOption } from './operands.ts';
import { isUnderstood, optionsOf } from './option-tables.ts';
import {
  completedWord,
  type FilesOfProgram,
  HERE,
  partOfWord,
  pathInside,
  type Touch,
  touch,
  unknownWord,
} from './touch.ts';

const read = (word: ShellWord, deep = false, staysInTree?: boolean): Touch =>
  touch('read', word, deep ? 'all' : undefined, staysInTree === undefined ? {} : { staysInTree });
const write = (word: ShellWord): Touch => touch('write', word);
const remove = (word: ShellWord, deep = false): Touch => touch('remove', word, deep ? 'all' : undefined);

/** Some of the files below the working folder, which no word names. */
const REMOVES_SOME: Touch = touch('remove', HERE, 'all', { picks: true });

/** Names that the archive or an expression decides. */
const ANY_NAME = unknownWord('the names that it unpacks');

/** `more`: the short option of BSD that computes names is another one in GNU. */
const tarWith =
  (more: readonly string[]): FilesOfProgram =>
  (args) => {
    const files = tarFiles(args, more);
    return more.length > 0 ? files : files.map(decoded);
  };

/** GNU tar takes `\056env` for `.env`, also as a folder. */
function decoded(named: Touch): Touch {
  return { ...named, decodes: true };
}

function tarFiles(args: readonly ShellWord[], more: readonly string[]): Touch[] {
  const given = tarArguments(dashedOptions(args), more);
  const letters = given.options.filter((option) => /^-[^-]/.test(option)).join('');
  const has = (letter: RegExp, ...long: string[]) => letter.test(letters) || hasOption(given, '', ...long);
  const staysInTree = !has(/[hLH]/, '--dereference');
  const archives = given.valuesOf('-f', '--file');
  const folders = enteredFolders(given.valuesOf('-C', '--directory', '--cd'));
  // A name may also be attached to an option that is not understood: `--add-file=\056env`.
  const coded = args.filter(({ value }) => given.isUncertain && more.length === 0 && value.includes('\\'));
  const named = [...given.operands, ...coded].flatMap((word) =>
    // An archive among the operands of BSD can list any file.
    word.value.startsWith('@') && more.length > 0
      ? [partOfWord(word, word.value.slice(1)), unknownWord('the files of a list')]
      : [word].concat(folders.map((folder) => inFolder(word, { folder }))),
  );
  // It reads the files in a list, and the list is unknown.
  const lists = [...given.valuesOf('-T', '--files-from'), ...given.valuesOf('-I').filter(isListOfBsd)];
  const listed = lists.map(() => unknownWord('the files of a list'));
  // An option that is not understood may add any file. Some versions read the values of others as names.
  const others = given.valuesOf('-F', '-H', '-K', '-L', '-N', '-V');
  const everything = given.isUncertain ? [HERE] : [];
  const isUnpacked = has(/x/, '--extract', '--get');
  const isOpen =
    has(/P/, '--absolute-names', '--absolute-paths', '--insecure') ||
    given.valuesOf('--transform', '--xform', ...more).length > 0;
  const isListed = has(/t/, '--list');
  // The value of an unknown option can look like an option: `tar -cf x --label -t a`.
  const isPacked =
    has(/[cruA]/, '--create', '--append', '--update', '--catenate', '--concatenate') ||
    !(isUnpacked || isListed);
  const skipsGit = isPacked && excludesGit(args, given);
  return [
    ...given.valuesOf('-g', '--listed-incremental').map((word) => write(word)),
    ...[...lists, ...given.valuesOf('-X', '--exclude-from')].map((word) => read(word)),
    ...(isUnpacked || isListed ? archives : []).map((word) => read(word)),
    ...(isUnpacked ? extracted([...folders, ...topFolders(args, folders)], given.operands) : []),
    ...(isUnpacked && isOpen ? [write(ANY_NAME)] : []),
    ...(isUnpacked && !given.options.every(isPlainUnpacking)
      ? [write(ANY_NAME), ...(folders.length > 0 ? folders : [HERE]).map((word) => remove(word, true))]
      : []),
    ...(isPacked
      ? [
          ...(hasOption(given, '', '--remove-files') ? [...named, ...listed, ...everything] : []).map(
            (word) => (word === HERE ? REMOVES_SOME : remove(word, true)),
          ),
          ...archives.map((word) => write(word)),
          ...[...folders, ...named, ...others, ...everything].map((word) =>
            touch('read', word, 'all', { staysInTree, skipsGit }),
          ),
          ...listed.map((word) => read(word)),
        ]
      : []),
  ];
}

/** Options of tar with which it only adds and replaces the members of the archive. */
const UNPACKING =
  'extract get file directory cd verbose gzip gunzip ungzip bzip2 xz zstd lzma lzip lzop lz4 compress uncompress auto-compress ' +
  'no-auto-compress use-compress-program keep-old-files keep-newer-files skip-old-files overwrite overwrite-dir ' +
  'no-overwrite-dir unlink-first to-stdout preserve-permissions same-permissions same-owner no-same-owner no-same-permissions ' +
  'numeric-owner owner group mode touch exclude exclude-from exclude-vcs exclude-backups exclude-caches files-from null ' +
  'no-null verbatim-files-from no-verbatim-files-from unquote no-unquote wildcards no-wildcards wildcards-match-slash ' +
  'no-wildcards-match-slash anchored no-anchored ignore-case no-ignore-case strip-components transform xform one-top-level ' +
  'absolute-names absolute-paths insecure recursion no-recursion occurrence starting-file newer newer-mtime after-date label ' +
  'xattrs no-xattrs xattrs-include xattrs-exclude acls no-acls selinux no-selinux delay-directory-restore ' +
  'no-delay-directory-restore sparse format blocking-factor record-size read-full-records ignore-zeros seek no-seek ' +
  'preserve-order same-order totals checkpoint warning quoting-style show-transformed-names show-omitted-dirs full-time utc ' +
  'block-number index-file interactive confirmation force-local help version';
const UNPACKING_LONG = new Set(UNPACKING.split(' ').map((name) => `--${name}`));

/** With any other option, it may remove files that are not in the archive: `tar -xG`. */
function isPlainUnpacking(option: string): boolean {
  return option.startsWith('--')
    ? UNPACKING_LONG.has(option.split('=', 1)[0] ?? '')
    : /^-[xvzjJZyaPpkmOSUowBinRslqfCTXbKLNVHI]*$/.test(option);
}

/** For GNU tar, the value is a program that compresses. For that of BSD, it is a list of files. */
function isListOfBsd({ kind, value }: ShellWord): boolean {
  return (
    kind !== 'literal' ||
    !/^(\S*\/)?(pigz|p?gzip|[pl]?bzip2|p?xz|lzma|lz4|lzip|lzop|p?zstd(mt)?|brotli|pixz)( |$)/.test(value)
  );
}

/** Each folder of `-C` counts from the one before it. Some programs start each time from the working folder. */
function enteredFolders(named: readonly ShellWord[]): readonly ShellWord[] {
  const entered: ShellWord[] = [];
  for (const word of named) entered.push(inFolder(word, { folder: entered.at(-1) }));
  return [...new Set([...named, ...entered])];
}

/** More options of tar with which it takes no other files. */
const TAR_VALUED =
  '-I --transform --xform -g --listed-incremental -F -H -K -L -N -V --label --newer --after-date --newer-mtime --record-size ' +
  '--warning --level --pax-option --exclude-tag --exclude-tag-all --exclude-tag-under --exclude-ignore ' +
  '--exclude-ignore-recursive --suffix --xattrs-include --xattrs-exclude --use-compress-program --options';
const TAR_FLAGS =
  'exclude-vcs-ignores exclude-backups exclude-caches exclude-caches-all exclude-caches-under check-links ignore-zeros seek ' +
  'no-seek null no-null posix old-archive portability clamp-mtime verify interactive confirmation recursion checkpoint ' +
  'block-number full-time lzip lzop compress uncompress no-auto-compress one-top-level sparse ignore-case no-ignore-case ' +
  'wildcards-match-slash no-wildcards-match-slash no-xattrs no-acls selinux no-selinux skip-old-files unlink-first ' +
  'recursive-unlink no-overwrite-dir keep-directory-symlink delay-directory-restore same-order preserve-order show-defaults ' +
  'show-omitted-dirs show-transformed-names utc backup absolute-names absolute-paths no-mac-metadata disable-copyfile ' +
  'no-fflags catenate concatenate diff compare delete test-label insecure';

function tarArguments(args: readonly ShellWord[], more: readonly string[]): ParsedOperands {
  const options = optionsOf('tar');
  const valued = [...options.valued, ...TAR_VALUED.split(' '), ...more];
  const long = [...options.long, ...TAR_FLAGS.split(' ').map((name) => `--${name}`)];
  const words = args.map((word) => {
    const whole = word.kind === 'literal' ? wholeOption(word.value, [...valued, ...long]) : word.value;
    return whole === word.value ? word : partOfWord(word, whole);
  });
  return argumentsOf(words, { valued, letters: `${options.letters}AdiwBGMRWnoqyl`, long });
}

/** The folder for all members that an option of tar names. */
function topFolders(args: readonly ShellWord[], folders: readonly ShellWord[]): readonly ShellWord[] {
  return args.flatMap((word) => {
    const [, name] = /^--one[a-z-]*=(.+)$/s.exec(word.value) ?? [];
    return name === undefined ? [] : [inFolder(partOfWord(word, name), { folder: folders.at(-1) })];
  });
}

/** Members of an archive are written below the folder. Without one, their names are those in the working folder. */
function extracted(folders: readonly ShellWord[], members: readonly ShellWord[]): Touch[] {
  const targets = folders.length > 0 ? folders : [HERE];
  const known = members.filter(({ kind }) => kind === 'literal');
  const fills = members.length === 0 || known.length < members.length;
  return targets.flatMap((target) => {
    const inside = known.map((word) => write(pathInside(target, word)));
    return inside.concat(touch('write', target, 'all', { fills }));
  });
}

/** Unzip expands wildcards in the last part of the name, and completes the name of a file that it cannot read. */
function readsOfZip(archive: ShellWord): readonly Touch[] {
  const { kind, value } = archive;
  const at = value.lastIndexOf('/') + 1;
  const isPattern = kind === 'literal' && /[*?[]/.test(value);
  // A wildcard in the name of a folder is a plain character for it.
  const isUnclear = isPattern && (/[*?[]/.test(value.slice(0, at)) || value.includes('\\'));
  const pattern: ShellWord = isUnclear ? unknownWord(archive.text) : { ...archive, kind: 'pattern' };
  return [
    read(archive),
    ...['.zip', '.ZIP'].map((end) => read(completedWord(archive, end))),
    ...(isPattern ? [read(pattern)] : []),
  ];
}

/** An option that is not understood may take the word before the archive. */
function archivesIn({ operands, isUncertain }: ParsedOperands): Touch[] {
  return (isUncertain ? operands : operands.slice(0, 1)).flatMap(readsOfZip);
}

/** It only lists. */
const zipinfo: FilesOfProgram = (args) =>
  archivesIn(argumentsOf(args, { valued: ['-x'], letters: '12slmvhtTzMCU', long: [] }));

const unzip: FilesOfProgram = (args) => {
  const given = argumentsOf(args, optionsOf('unzip'));
  const members = given.operands.slice(1);
  const archives = archivesIn(given);
  // A dash among the letters reverses the next one.
  const isPlain = given.options.every((option) => /^-[a-zA-Z\d]+$/.test(option));
  if (isPlain && hasOption(given, 'lptvzZ')) return archives;
  // With some options, the names may contain `..`.
  const isOpen = !isUnderstood('unzip', args);
  return [...archives, ...extracted(given.valuesOf('-d'), members), ...(isOpen ? [write(ANY_NAME)] : [])];
};

/** Unless an option forbids it, it unpacks files with absolute names. It can also make hard links to the files of a list. */
const cpio: FilesOfProgram = (args) => {
  const valued = '-D -E -F -H -I -O -R -C -M --directory --file'.split(' ');
  const given = argumentsOf(args, valued);
  // The value of another option can look like an option.
  const isPlain = given.options.every((option) =>
    /^(-[^-].*|--(list|verbose|quiet|extract|file))$/.test(option),
  );
  const isListed = isPlain && hasOption(given, 't', '--list');
  const unpacks = hasOption(given, 'i', '--extract') && !isListed;
  const passes = hasOption(given, 'p', '--pass-through');
  const isOpen =
    (unpacks && !given.options.some((option) => option.startsWith('--no-abs'))) ||
    (passes && hasOption(given, 'l', '--link'));
  return [
    // It reads the names of files from its input.
    ...(unpacks || isListed ? [] : [read(unknownWord('the files of a list'))]),
    ...given.valuesOf('-O', '-F', '--file').map((word) => (unpacks || isListed ? read(word) : write(word))),
    ...(unpacks ? extracted(given.valuesOf('-D', '--directory'), []) : []),
    ...(passes ? given.operands : []).flatMap((word) => [
      write(word),
      touch('write', word, 'all', { fills: true }),
    ]),
    ...(isOpen ? [write(ANY_NAME)] : []),
  ];
};

/** With this as its first word, it removes members of the archive, and takes no files. */
const ZIP_REMOVES = /^(-d|--delete)$/;

/**
 * An option that is not understood may take names anywhere below the working folder: `zip -R x '*.ts'`. A pattern in quotes
 * matches names in an existing archive, and so does an update without names.
 */
const zip: FilesOfProgram = (words) => {
  const isRemoval = ZIP_REMOVES.test(words[0]?.value ?? '');
  const args = isRemoval ? words.slice(1) : words;
  const given = argumentsOf(args, optionsOf('zip'));
  const isPrinted = args.some(({ value }) => value === '-');
  const [archive, ...rest] = given.operands;
  const files = isPrinted && archive ? [archive, ...rest] : rest;
  const isCertain = isUnderstood('zip', args);
  const archives = isCertain ? given.operands.slice(0, 1) : given.operands;
  // Without `-y`, it stores the targets of links.
  const staysInTree = hasOption(given, 'y', '--symlinks');
  const isUpdated = hasOption(given, 'uf', '--update', '--freshen') && files.length === 0;
  const isListed =
    hasOption(given, '@', '--names-stdin') ||
    (!isRemoval &&
      (isUpdated || files.some(({ kind, value }) => kind === 'literal' && /[*?[\\]/.test(value))));
  const isMoved = hasOption(given, 'm', '--move');
  return [
    ...(isMoved ? files : []).map((word) => remove(word, true)),
    ...(isMoved && isListed ? [remove(unknownWord('the files of a list'))] : []),
    ...(isMoved && !isCertain ? [REMOVES_SOME] : []),
    ...archives.map((word) => write(word)),
    // It completes a name without an end.
    ...archives
      .filter(({ value }) => !/\.[^/]*$/.test(value))
      .map((word) => write(completedWord(word, '.zip'))),
    ...[...files, ...(isCertain ? [] : [HERE])].map((word) => read(word, true, staysInTree)),
    ...(isListed ? [read(unknownWord('the files of a list'))] : []),
  ];
};

export const ARCHIVES: readonly (readonly [string, FilesOfProgram])[] = [
  ['tar', tarWith([])],
  ['gtar', tarWith([])],
  ...['bsdtar', 'paxtar'].map((name) => [name, tarWith(['-s'])] as const),
  ...['cpio', 'gcpio', 'bsdcpio', 'paxcpio'].map((name) => [name, cpio] as const),
  ['unzip', unzip],
  ['zipinfo', zipinfo],
  ['zip', zip],
];

/** Returns whether tar leaves out folders with the name `.git`. The option affects only names after it. */
function excludesGit(args: readonly ShellWord[], given: ParsedOperands): boolean {
  const at = args.findIndex(({ kind, value }) => kind === 'literal' && value === '--exclude=.git');
  if (at < 0 || given.isUncertain || hasOption(given, '', '--anchored')) return false;
  return given.operands.every((word) => args.indexOf(word) > at);
}

/** Modules of Python that read a folder with all its contents: `python3 -m zipfile -c x.zip .`. */
export function archivedByModule(module: string, rest: readonly ShellWord[]): Touch[] {
  if (!/^(zipfile|tarfile|http\.server)$/.test(module)) return [];
  const operands = rest.filter(({ value }) => !value.startsWith('-'));
  if (module === 'http.server') return [HERE, ...operands].map((word) => touch('read', word, 'all'));
  const [archive, ...others] = operands;
  if (archive === undefined) return [];
  const has = (option: RegExp): boolean => rest.some(({ value }) => option.test(value));
  if (has(/^(-\w*e|--ex)/)) {
    const [folder = HERE] = others;
    return [touch('read', archive), touch('write', folder), touch('write', folder, 'all', { fills: true })];
  }
  // It lists, tests, or writes the archive.
  return [
    touch(has(/^(-\w*c|--cr)/) ? 'write' : 'read', archive),
    ...others.map((word) => touch('read', word, 'all')),
  ];
}
