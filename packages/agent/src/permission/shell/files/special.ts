/** Programs that read some of their arguments and write others. */
import type { ShellWord } from '@heddle/tools/shell';
import { canCompleteProtected } from '../../paths/protected.ts';
import { ARCHIVES } from './archives.ts';
import { deletesFiles, followsLinks, limitsOfFind, startFoldersOf } from './find.ts';
import { gitArguments, inFolder } from './git-arguments.ts';
import { gitTouches } from './git.ts';
import { listedFiles } from './listed-files.ts';
import { curl } from './curl.ts';
import { NETWORK } from './network.ts';
import { argumentsOf, hasOption, type OptionTable, type ParsedOperands } from './operands.ts';
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

const read = (word: ShellWord, deep = false, staysInTree?: boolean): Touch =>
  touch('read', word, deep ? 'all' : undefined, staysInTree === undefined ? {} : { staysInTree });
const write = (word: ShellWord, deep = false): Touch => touch('write', word, deep ? 'all' : undefined);
const remove = (word: ShellWord, deep = false): Touch => touch('remove', word, deep ? 'all' : undefined);

/** Sources and their target, with the effect on a source. If the position of the target is not certain, each operand may be it. */
const transferred =
  (
    program: string,
    taken: (word: ShellWord, given: ParsedOperands) => Touch,
    isRecursive: (given: ParsedOperands) => boolean = () => false,
  ): FilesOfProgram =>
  (args) => {
    const given = argumentsOf(args, optionsOf(program));
    const named = given.valuesOf('-t', '--target-directory').at(-1);
    const target = named ?? given.operands.at(-1);
    if (target === undefined) return [];
    const others = isUnderstood(program, args) ? [] : given.operands;
    const mayMerge =
      others.length > 0 ||
      given.isUncertain ||
      hasOption(given, 'T', '--no-target-directory', '--parents', '--exchange');
    const into = (folder: ShellWord): readonly Touch[] => {
      const sources = given.operands.filter((word) => word !== folder);
      const keeps = hasOption(given, '', '--exchange') ? { moves: true } : {};
      const makes = program === 'install' && named && hasOption(given, 'D') ? { makesWithin: true } : {};
      return [
        { ...write(folder), replaces: isRecursive(given), ...keeps },
        ...sources.map((word) => ({ ...writeInside(folder, word), ...keeps, ...makes })),
        ...(hasOption(given, '', '--parents')
          ? sources.map((word) => {
              const whole = pathInside(folder, word);
              return isRecursive(given) ? touch('write', whole, 'all', { copyOf: word }) : write(whole);
            })
          : []),
        ...(isRecursive(given)
          ? sources.map((word) =>
              touch('write', folder, 'all', {
                copyOf: word,
                keepsName: !mayMerge && !/(?:^|\/)\.{0,2}$/.test(word.value),
                staysInTree: taken(word, given).staysInTree !== false,
              }),
            )
          : []),
        ...backups(folder, sources, given),
        ...(/^(git )?mv$/.test(program) ? movedAway(folder, sources, given) : []),
      ];
    };
    return [
      ...given.operands.filter((word) => word !== target).map((word) => taken(word, given)),
      ...[...new Set([target, ...others])].flatMap(into),
      ...mayBecomeOption(args).map((word) => write(word)),
    ];
  };

/** `cp -bS.old a b` keeps the old content of `b`, or of `b/a`, as a file whose name ends with the suffix. The default is `~`. */
function backups(target: ShellWord, sources: readonly ShellWord[], given: ParsedOperands): readonly Touch[] {
  const named = given.valuesOf('-S', '--suffix');
  const isDefault = named.length === 0 && hasOption(given, 'b', '--backup');
  const copies = (isDefault ? [literalWord('~')] : named).flatMap((suffix) => {
    const mayBeAny = suffix.kind !== 'literal' || canCompleteProtected(suffix.value);
    const isCertain =
      suffix.kind === 'literal' &&
      [target, ...sources].every(({ kind }) => kind === 'literal') &&
      !hasOption(given, 'rRa', '--recursive', '--archive');
    if (!isCertain) return mayBeAny ? [write(unknownWord(suffix.text))] : [];
    return [target, ...sources.map((word) => wordInside(target, word))].map((word) =>
      write(partOfWord(word, word.value.replace(/(?<!\/)\/+$/, '') + suffix.value)),
    );
  });
  // Under the other name, the old content can be read.
  const isKept = named.length > 0 || isDefault;
  return isKept
    ? [...copies, ...[target, ...sources.map((word) => wordInside(target, word))].map((word) => read(word))]
    : copies;
}

/** With a backup, `mv` also renames a folder that is in the way, with everything in it. */
function movedAway(
  target: ShellWord,
  sources: readonly ShellWord[],
  given: ParsedOperands,
): readonly Touch[] {
  if (!hasOption(given, 'bS', '--backup', '--suffix')) return [];
  const isReplaced = given.isUncertain || hasOption(given, 'T', '--no-target-directory');
  const replaced = [...(isReplaced ? [target] : []), ...sources.map((word) => wordInside(target, word))];
  return replaced.map((word) => touch('remove', word, 'all', { moves: true }));
}

/** Returns words without a known beginning. They may become an option that names an output file. */
function mayBecomeOption(args: readonly ShellWord[]): readonly ShellWord[] {
  const end = args.findIndex(({ value }) => value === '--');
  return (end < 0 ? args : args.slice(0, end)).filter(
    ({ kind, prefix, becomes }) =>
      (kind === 'dynamic' && /^(?:-|$)/.test(prefix) && !becomes) ||
      becomes?.some(({ begins }) => begins.startsWith('-')) === true,
  );
}

const copiesFolders = (given: ParsedOperands): boolean => hasOption(given, 'rRa', '--recursive', '--archive');
const movedBy = (program: string): FilesOfProgram =>
  transferred(
    program,
    (word) => ({ ...remove(word, true), moves: true }),
    () => true,
  );
/** A hard link is another name for a file. A change under that name changes the file, and a read shows it. */
const linked = (word: ShellWord, deep = false): Touch =>
  deep ? { ...remove(word, true), moves: true, picks: true } : { ...write(word), moves: true };
const copyBy = (program: string): FilesOfProgram =>
  transferred(
    program,
    (word, given) =>
      hasOption(given, 'l', '--link')
        ? linked(word, copiesFolders(given))
        : {
            ...read(word, copiesFolders(given)),
            staysInTree: !hasOption(given, 'LH', '--dereference', '--follow'),
          },
    // A copied link gives its folder another name.
    (given) => copiesFolders(given) || hasOption(given, 'Pd', '--no-dereference'),
  );
/** With an option, every operand is a new folder. */
const install: FilesOfProgram = (args) => {
  const given = argumentsOf(args, optionsOf('install'));
  if (!hasOption(given, 'd', '--directory')) return copyBy('install')(args);
  return [...given.operands, ...given.valuesOf('-t', '--target-directory')].map((word) => write(word));
};
const link = transferred(
  'ln',
  (word, given) => (hasOption(given, 's', '--symbolic') ? read(word) : linked(word)),
  () => true,
);
/** With one operand, the link is in the working folder. */
const linkHere: FilesOfProgram = (args) => {
  const { operands } = argumentsOf(args, optionsOf('ln'));
  return operands.length === 1 ? link([...args, HERE]) : link(args);
};

const dd: FilesOfProgram = (args) =>
  args.flatMap((word) => {
    const [, side, file] = /^(if|of)=(.+)$/s.exec(word.value) ?? [];
    if (file === undefined) return mayBecomeOption([word]).map((each) => write(each));
    const part = partOfWord(word, file);
    return [side === 'if' ? read(part) : write(part)];
  });

/** Operands are read. One option names the output file. */
const printedBy =
  (program: string): FilesOfProgram =>
  (args) => {
    const given = argumentsOf(args, optionsOf(program));
    return [
      ...given.operands.map((word) => read(word)),
      ...listedFiles(args),
      ...given.valuesOf('-o', '--output').map((word) => write(word)),
      ...mayBecomeOption(args).map((word) => write(word)),
    ];
  };

/** An encoding with a slash is also the name of a file that describes one: `iconv -f ./map`. */
const iconv: FilesOfProgram = (args) => {
  const encodings = argumentsOf(args, optionsOf('iconv')).valuesOf('-f', '-t', '--from-code', '--to-code');
  const files = encodings.filter(({ kind, value }) => kind !== 'literal' || value.includes('/'));
  const names = files.filter(({ kind, value }) => kind === 'literal' && value.includes('//'));
  return [
    ...printedBy('iconv')(args),
    ...files.map((word) => read(word)),
    ...names.map((word) => read(partOfWord(word, word.value.replace(/\/\/.*$/s, '')))),
  ];
};

/** The first operand is read, the second is written. */
const inOut =
  (valued: readonly string[] | OptionTable): FilesOfProgram =>
  (args) => {
    // Standard input has the place of a file among the operands.
    const words = args.map((word) => (word.value === '-' ? literalWord('/dev/stdin') : word));
    const [input, ...outputs] = argumentsOf(words, valued).operands;
    // The value of an unknown option can be among them.
    return [...(input ? [read(input)] : []), ...outputs.map((word) => write(word))];
  };

/** Most operators of `test` compare texts. */
const test: FilesOfProgram = (args) =>
  args.flatMap((word, index) => {
    const [before = '', after = ''] = [args[index - 1]?.value, args[index + 1]?.value];
    const isFile =
      /^-[a-mpr-uwxGLNOS]$/.test(before) || [before, after].some((text) => /^-(nt|ot|ef)$/.test(text));
    return isFile ? [read(word)] : [];
  });

/** The patch lists the files that it changes, and it was not read. */
const patch: FilesOfProgram = (args) => {
  const given = argumentsOf(
    args,
    '-p -i --input -d --directory -o --output -z --suffix -B --prefix -Y --basename-prefix'.split(' '),
  );
  // They are parts of the names of old files.
  const ends = given.valuesOf('-z', '--suffix').filter(({ value }) => canCompleteProtected(value));
  const begins = given.valuesOf('-B', '--prefix', '-Y', '--basename-prefix');
  const named = [...given.operands, ...given.valuesOf('-o', '--output')];
  const folders = given.valuesOf('-d', '--directory');
  return [
    ...named.map((word) => write(word)),
    ...folders.flatMap((folder) => named.map((word) => write(inFolder(word, { folder })))),
    ...[...ends, ...begins].map((word) => write(unknownWord(word.text))),
    { kind: 'read', word: HERE, deep: 'all', knowledge: 'named', staysInTree: true },
  ];
};

function git(args: readonly ShellWord[]): Touch[] {
  const given = gitArguments(args);
  if (given.command !== 'mv') return gitTouches(args);
  const words = given.rest.map((word) => (word.value.startsWith('-') ? word : inFolder(word, given)));
  return [...gitTouches(args), ...movedBy('git mv')(words)];
}

export const SPECIAL: ReadonlyMap<string, FilesOfProgram> = new Map<string, FilesOfProgram>([
  ['cp', copyBy('cp')],
  ['install', install],
  ['mv', movedBy('mv')],
  ['ln', linkHere],
  ...ARCHIVES,
  ['find', find],
  ['git', git],
  ['dd', dd],
  ['patch', patch],
  ['test', test],
  ['[', test],
  ['iconv', iconv],
  ...['sort', 'base64', 'shuf'].map((name) => [name, printedBy(name)] as const),
  [
    'date',
    (args) =>
      argumentsOf(args, ['-f', '--file', '-r', '--reference', '-d', '--date', '-s'])
        .valuesOf('-f', '--file', '-r', '--reference')
        .map((word) => read(word)),
  ],
  ['uniq', inOut(optionsOf('uniq'))],
  // Its options are words after one dash.
  [
    'xxd',
    (args) => inOut(['-l', '-s', '-c', '-g'])(args.filter(({ value }) => !/^-(p|ps|plain|r)$/.test(value))),
  ],
  ...NETWORK,
  ['curl', curl],
]);

function find(args: readonly ShellWord[]): Touch[] {
  const deletes = deletesFiles(args);
  const limits = limitsOfFind(args, (action) => action === '-delete');
  return [
    ...startFoldersOf(args).map(
      (word): Touch =>
        deletes
          ? {
              kind: 'remove',
              word,
              deep: 'all',
              picks: limits.picks,
              selects: {
                mayMatch: limits.mayMatch,
                mayMatchSome: limits.mayMatchSome,
                withContents: false,
                followsLinks: followsLinks(args),
              },
            }
          : touch('read', word),
    ),
    ...args.flatMap((word, index) => {
      const file = args[index + 1];
      if (file === undefined) return [];
      if (/^-(fprint0?|fprintf|fls)$/.test(word.value)) return [touch('write', file)];
      return /^-(newer.*|samefile|files0-from)$/.test(word.value) ? [touch('read', file)] : [];
    }),
  ];
}
