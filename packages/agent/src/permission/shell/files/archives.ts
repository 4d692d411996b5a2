/** Programs that pack and unpack archives. */
import type { ShellWord } from '@heddle/tools/shell';
import { inFolder } from './git-arguments.ts';
import { argumentsOf, dashedOptions, hasOption, type ParsedOperands } from './operands.ts';
import { isUnderstood, optionsOf } from './option-tables.ts';
import {
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

/** Names that the archive or an expression decides. */
const ANY_NAME = unknownWord('the names that it unpacks');

/** `more`: the short option of BSD that computes names is another one in GNU. */
const tarWith =
  (more: readonly string[]): FilesOfProgram =>
  (args) => {
    const given = tarArguments(dashedOptions(args), more);
    const letters = given.options.filter((option) => /^-[^-]/.test(option)).join('');
    const has = (letter: RegExp, ...long: string[]) => letter.test(letters) || hasOption(given, '', ...long);
    const staysInTree = !has(/[hLH]/, '--dereference');
    const archives = given.valuesOf('-f', '--file');
    const folders = enteredFolders(given.valuesOf('-C', '--directory', '--cd'));
    const named = given.operands.flatMap((word) =>
      // An archive among the operands of BSD can list any file.
      word.value.startsWith('@') && more.length > 0
        ? [partOfWord(word, word.value.slice(1)), unknownWord('the files of a list')]
        : [word, ...folders.map((folder) => inFolder(word, { folder }))],
    );
    // It reads the files in a list, and the list is unknown.
    const listed = given.valuesOf('-T', '--files-from').map(() => unknownWord('the files of a list'));
    const isUnpacked = has(/x/, '--extract', '--get');
    const isOpen =
      has(/P/, '--absolute-names', '--absolute-paths', '--insecure') ||
      given.valuesOf('--transform', '--xform', ...more).length > 0;
    const isListed = has(/t/, '--list');
    // The value of an unknown option can look like an option: `tar -cf x --label -t a`.
    const isPacked =
      has(/[cruA]/, '--create', '--append', '--update', '--catenate', '--concatenate') ||
      !(isUnpacked || isListed);
    return [
      ...given.valuesOf('-g', '--listed-incremental').map((word) => write(word)),
      ...given.valuesOf('-T', '--files-from', '-X', '--exclude-from').map((word) => read(word)),
      ...(isUnpacked || isListed ? archives : []).map((word) => read(word)),
      ...(isUnpacked ? extracted([...folders, ...topFolders(args, folders)], given.operands) : []),
      ...(isUnpacked && isOpen ? [write(ANY_NAME)] : []),
      ...(isUnpacked && !given.options.every(isPlainUnpacking)
        ? [write(ANY_NAME), ...(folders.length > 0 ? folders : [HERE]).map((word) => remove(word, true))]
        : []),
      ...(isPacked
        ? [
            ...(hasOption(given, '', '--remove-files') ? [...named, ...listed] : []).map((word) =>
              remove(word, true),
            ),
            ...archives.map((word) => write(word)),
            ...[...folders, ...named].map((word) => read(word, true, staysInTree)),
            ...listed.map((word) => read(word)),
          ]
        : []),
    ];
  };

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

/** Each folder of `-C` counts from the one before it. Some programs start each time from the working folder. */
function enteredFolders(named: readonly ShellWord[]): readonly ShellWord[] {
  const entered: ShellWord[] = [];
  for (const word of named) entered.push(inFolder(word, { folder: entered.at(-1) }));
  return [...new Set([...named, ...entered])];
}

function tarArguments(args: readonly ShellWord[], more: readonly string[]): ParsedOperands {
  const options = optionsOf('tar');
  return argumentsOf(args, {
    ...options,
    valued: [
      ...options.valued,
      ...'-I --transform --xform -g --listed-incremental -F -H -K -L -N -V'.split(' '),
      ...more,
    ],
  });
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

const unzip: FilesOfProgram = (args) => {
  const given = argumentsOf(args, optionsOf('unzip'));
  const [archive, ...members] = given.operands;
  // A dash among the letters reverses the next one.
  const isPlain = given.options.every((option) => /^-[a-zA-Z\d]+$/.test(option));
  if (isPlain && hasOption(given, 'lptvzZ')) return archive ? [read(archive)] : [];
  // With some options, the names may contain `..`.
  const isOpen = !isUnderstood('unzip', args);
  return [
    ...(archive ? [read(archive)] : []),
    ...extracted(given.valuesOf('-d'), members),
    ...(isOpen ? [write(ANY_NAME)] : []),
  ];
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
    ...given.valuesOf('-O', '-F', '--file').map((word) => (unpacks || isListed ? read(word) : write(word))),
    ...(unpacks ? extracted(given.valuesOf('-D', '--directory'), []) : []),
    ...(passes ? given.operands : []).flatMap((word) => [
      write(word),
      touch('write', word, 'all', { fills: true }),
    ]),
    ...(isOpen ? [write(ANY_NAME)] : []),
  ];
};

const zip: FilesOfProgram = (args) => {
  const given = argumentsOf(args, optionsOf('zip'));
  const isPrinted = args.some(({ value }) => value === '-');
  const [archive, ...rest] = given.operands;
  const files = isPrinted && archive ? [archive, ...rest] : rest;
  const archives = isUnderstood('zip', args) ? given.operands.slice(0, 1) : given.operands;
  // Without `-y`, it stores the targets of links.
  const staysInTree = hasOption(given, 'y', '--symlinks');
  const isListed = hasOption(given, '@', '--names-stdin');
  const isMoved = hasOption(given, 'm', '--move');
  return [
    ...(isMoved ? files : []).map((word) => remove(word, true)),
    ...(isMoved && isListed ? [remove(unknownWord('the files of a list'))] : []),
    ...archives.map((word) => write(word)),
    ...files.map((word) => read(word, true, staysInTree)),
    ...(isListed ? [read(unknownWord('the files of a list'))] : []),
  ];
};

export const ARCHIVES: readonly (readonly [string, FilesOfProgram])[] = [
  ['tar', tarWith([])],
  ['gtar', tarWith([])],
  ['bsdtar', tarWith(['-s'])],
  ...['cpio', 'gcpio', 'bsdcpio'].map((name) => [name, cpio] as const),
  ['unzip', unzip],
  ['zip', zip],
];
