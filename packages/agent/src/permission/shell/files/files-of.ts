/** Finds the files that a command reads, writes or removes, by its name and arguments. */
import path from 'node:path';
import { omitUndefined } from '@heddle/core';
import { isPlainSedScript, loadsJqModules, sedFiles, type ShellWord } from '@heddle/tools/shell';
import { passedFolders } from '../../paths/places.ts';
import { baseName, moduleOfPython } from '../runners.ts';
import { archivedByModule } from './archives.ts';
import { changed, isChanger } from './changers.ts';
import { awkTargets, computedTargets, copiesOfSed } from './computed-names.ts';
import { compressed, isCompressor } from './compressors.ts';
import { emptiedFolders } from './emptied-folders.ts';
import { takesOnlyRevisions } from './git.ts';
import { boundSources, hostWords, namesContainerPlaces } from './host-words.ts';
import { localPaths } from './local-addresses.ts';
import { isMessage } from './message-options.ts';
import { argumentsOf, expandBraces, hasOption, type ParsedOperands, sedWords } from './operands.ts';
import {
  endingsOf,
  gitDataOptions,
  searchesFolders,
  searchOptionsOf,
  skipsHidden,
} from './search-options.ts';
import { changedSettings } from './settings-commands.ts';
import { archivedFiles } from './packers.ts';
import { packedPackages } from './packed-packages.ts';
import { environmentFiles } from './environment-files.ts';
import { quotedTouches } from './quoted-patterns.ts';
import { scannedFiles } from './scanned-files.ts';
import { SPECIAL } from './special.ts';
import { syncedFolders } from './synchronizers.ts';
import { listedFiles, withListFile, readsNamesFromFile } from './listed-files.ts';
import { attachedParts, partsBetween } from './parts-of-words.ts';
import { HERE, partOfWord, type Touch, touch, unknownWord } from './touch.ts';

/** Their arguments are texts, not files. */
const TALKERS =
  /^(echo|printf|true|false|:|sleep|seq|expr|exit|return|kill|type|which|export|unset|set|alias|shift)$/;
/** They open no file that an argument names. */
const FILELESS =
  /^(tr|test|\[|local|declare|typeset|readonly|let|read|wait|break|continue|pwd|id|uname|nproc|ps|pgrep|pidof|printenv|numfmt|factor)$/;
/** Every argument is a file to read. */
const READERS =
  /^(cat|tac|nl|head|tail|less|more|bat|wc|cut|paste|rev|od|hexdump|strings|file|stat|ls|dir|du|tree|md5sum|sha\d+sum|cksum|sum|b2sum|base64|base32|diff|cmp|comm|join|column|fold|fmt|expand|unexpand|pr|shuf|zcat|bzcat|xzcat|zless|readlink|realpath|source|\.|cd|pushd|basename|dirname|nm|objdump|readelf|ldd|iconv|look|view)$/;
/** They print names and properties of files, but no contents. */
const NAMING =
  /^(ls|dir|du|tree|stat|file|wc|md5sum|sha\d+sum|cksum|sum|b2sum|readlink|realpath|cd|pushd|basename|dirname|ldd)$/;
/** The first argument is a pattern or a program. */
const SEARCHERS = /^((z|bz|xz|lz|zstd)?[ef]?grep|rgrep|rg|ag|ack|awk|gawk|mawk|nawk|jq|yq|xmllint|sed)$/;
const WRITERS = /^(touch|mkdir|tee|truncate|mkfifo|mknod|vi|vim|nvim|nano|emacs|ed|ex)$/;
/** They can print what they edit, or keep the old content. */
const EDITORS = /^(vim?|nvim|nano|emacs|ed|ex)$/;
const REMOVERS = /^(rm|rmdir|unlink|shred|srm|trash)$/;

/** They run code of the project, which may access any file. A rule for them allows all of it. */
const PROJECT_RUNNERS =
  /^(npm|npx|pnpm|pnpx|yarn|bun|bunx|node|nodejs|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|pytest|tox|nox|uv|poetry|pipenv|hatch|pdm|ruby|rake|bundle|rspec|rails|perl|php|composer|phpunit|java|mvn|gradle|sbt|go|cargo|g?make|ninja|cmake|ctest|meson|bazel|bazelisk|just|task|swift|dotnet|mix|jest|vitest|mocha|playwright|cypress|webpack|vite|rollup|turbo|nx|lerna|eslint|prettier)$/;

const VALUED: Readonly<Record<string, readonly string[]>> = {
  head: ['-n', '-c', '--lines', '--bytes'],
  tail: ['-n', '-c', '--lines', '--bytes'],
  cut: ['-d', '-f', '-c', '-b'],
  touch: ['-d', '-t', '-r', '--date', '--reference'],
  mkdir: ['-m', '--mode'],
  truncate: ['-s', '--size', '-r', '--reference'],
  sed: ['-e', '-f', '--expression', '--file', '-l', '--line-length'],
  awk: ['-F', '-v', '-f', '-i', '--assign', '--field-separator', '--file', '--include'],
  jq: ['-f', '--from-file', '-L', '--indent'],
  shred: ['-n', '-s'],
};

/** Returns whether the file accesses of the program are known. */
export function touchesFiles(program: string): boolean {
  const name = baseName(program);
  return (
    SPECIAL.has(name) ||
    isCompressor(name) ||
    isChanger(name) ||
    [READERS, SEARCHERS, WRITERS, REMOVERS].some((family) => family.test(name))
  );
}

export function isProjectRunner(program: string): boolean {
  return PROJECT_RUNNERS.test(program);
}

/** Returns whether the program without options only reads its operands. */
export function readsOperands(program: string): boolean {
  return READERS.test(program) || SEARCHERS.test(program);
}

/** Returns whether the purpose of the program is to change files. Then there is nothing to prove. */
export function changesFiles(program: string): boolean {
  const name = baseName(program);
  return (
    /^(cp|mv|ln|install)$/.test(name) ||
    isCompressor(name) ||
    isChanger(name) ||
    [WRITERS, REMOVERS].some((family) => family.test(name))
  );
}

export function filesOf(words: readonly ShellWord[]): Touch[] {
  const expanded = words.flatMap(expandBraces);
  const certain = namedFiles(expanded);
  const touches = certain.concat(expandedFiles(expanded, certain));
  return touches.concat(touches.flatMap(leadingFolders));
}

/** A program may make the folders that a path passes: `mkdir -p .git/hooks/../../x`. */
function leadingFolders({ kind, word, fromTopOf }: Touch): Touch[] {
  if (kind !== 'write' || word.kind === 'dynamic') return [];
  return passedFolders(word.value).map((folder) => {
    const passed = partOfWord(word, folder);
    const isPattern = passed.kind === 'pattern';
    const folderWord: ShellWord = isPattern ? { ...passed, kind: 'literal' } : passed;
    return touch('write', folderWord, undefined, omitUndefined({ fromTopOf }));
  });
}

/**
 * A word that may become several words can name files at any position, even as the value of an option: `head -n $x`.
 * Every unknown word of an unknown program can name a file.
 */
function expandedFiles([name, ...args]: readonly ShellWord[], certain: readonly Touch[]): Touch[] {
  const program = baseName(name?.value ?? '');
  if (TALKERS.test(program) || FILELESS.test(program) || isProjectRunner(program)) return [];
  if (program === 'git' && takesOnlyRevisions(args)) return [];
  const isKnown = touchesFiles(program);
  const found = new Set(certain.map(({ word }) => word));
  const own = namesContainerPlaces(program) ? hostWords(program, args) : args;
  return own.flatMap((word, index): Touch[] => {
    if (isMessage(program, own, index)) return [];
    if (word.kind === 'pattern') {
      return !isKnown || found.has(word) ? [] : [touch('read', word, undefined, { knowledge: 'named' })];
    }
    if (word.kind !== 'dynamic' || (isKnown && (word.single || word.begins !== ''))) return [];
    // An unknown program may change the file.
    const more: Pick<Touch, 'knowledge'> = isKnown ? {} : { knowledge: 'named' };
    return [touch('read', unknownWord(`the words of ${word.text}`), undefined, more)];
  });
}

function namedFiles(words: readonly ShellWord[]): Touch[] {
  const [name, ...args] = words;
  if (name === undefined) return [];
  const program = baseName(name.value);
  const special = SPECIAL.get(program)?.(args);
  if (special) return special;
  const listed = readsNamesFromFile(program, args) ? [touch('read', unknownWord('the files of a list'))] : [];
  return [...listed, ...ordinaryFiles(name, args)];
}

function ordinaryFiles(name: ShellWord, args: readonly ShellWord[]): Touch[] {
  const program = baseName(name.value);
  // The output contains the names that a glob matches.
  if (TALKERS.test(program)) {
    return args.filter(({ kind }) => kind === 'pattern').map((word) => touch('read', word));
  }
  const given = argumentsOf(args, VALUED[program]);
  const { operands } = given;
  if (READERS.test(program)) {
    if (program === 'diff') return compared(given).concat(optionFiles(args));
    const values = given.valuesOf(...(VALUED[program] ?? [])).filter(({ kind }) => kind === 'literal');
    // With some option, most of them read the files of a folder: `zcat -r src`.
    const deepIfFolder = !NAMING.test(program);
    return [
      ...operands
        .flatMap(withListFile)
        .map((word) => touch('read', word, undefined, deepIfFolder ? { deepIfFolder } : { isText: true })),
      // The version of the program decides whether `-1n a` has a value.
      ...values.map((word) => touch('read', word)),
      ...optionFiles(args),
      ...attachedFiles(program, args),
      ...(/^(wc|du)$/.test(program) ? listedFiles(args) : []),
    ];
  }
  if (SEARCHERS.test(program)) return searched(program, args);
  if (isCompressor(program)) return compressed(program, args);
  if (WRITERS.test(program))
    return operands.map((word) =>
      touch('write', word, undefined, EDITORS.test(program) ? { moves: true } : {}),
    );
  if (isChanger(program)) return changed(program, args);
  if (REMOVERS.test(program)) {
    const deep = program === 'trash' || hasOption(given, 'rR', '--recursive') ? 'all' : undefined;
    const withParents = program === 'rmdir' && hasOption(given, 'p', '--parents');
    const parents = withParents ? operands.flatMap(foldersAbove) : [];
    return [...operands, ...parents].map((word) => touch('remove', word, deep));
  }
  // An unknown program may read a folder with all its contents.
  const deepIfFolder = !isProjectRunner(program) && !/^[^/].*\//.test(name.value);
  const computed = [computedTargets, archivedFiles, syncedFolders]
    .flatMap((targets) => targets(program, args))
    .concat(emptiedFolders([name, ...args]));
  // It removes quotes and backslashes in addresses: `OPEN:.en"v"`.
  const isQuoted = program === 'socat' && args.some(({ value }) => /["'\\]/.test(value));
  const quoted = isQuoted ? [touch('read', QUOTED_ADDRESS, undefined, { knowledge: 'named' })] : [];
  const isAbstract = program === 'socat' && args.some(({ value }) => /(^|!!)abstract/i.test(value));
  const sources = namesContainerPlaces(program) ? boundSources(args) : [];
  return [
    ...quoted,
    ...(isAbstract ? [touch('write', unknownWord('an abstract socket'))] : []),
    ...unknownProgram([...args, ...sources], deepIfFolder),
    ...quotedTouches(program, args),
    ...computed,
    ...changedSettings(program, args),
    ...[[name, ...args], ...moduleOfPython([name, ...args])].flatMap(([run, ...rest]) =>
      [scannedFiles, environmentFiles, archivedByModule, packedPackages].flatMap((files) =>
        files(baseName(run?.value ?? ''), rest),
      ),
    ),
  ];
}

const QUOTED_ADDRESS = unknownWord('the file of an address with quotes');

/** `rmdir -p /a/b` removes `/a`, too. */
function foldersAbove(word: ShellWord): readonly ShellWord[] {
  if (word.kind !== 'literal') return [unknownWord(word.text)];
  const folder = path.posix.dirname(word.value);
  if (folder === '.' || folder === word.value) return [];
  const above = partOfWord(word, folder);
  return [above, ...foldersAbove(above)];
}

/** For two folders, the files in them are compared. With an option, files at any depth are. */
function compared(given: ParsedOperands): Touch[] {
  const deep = hasOption(given, 'r', '--recursive') ? 'all' : undefined;
  const staysInTree = hasOption(given, '', '--no-dereference');
  const isForced = hasOption(given, 'a', '--text');
  return given.operands
    .flatMap(withListFile)
    .map((word) =>
      touch('read', word, deep, { deepIfFolder: true, readsFolders: true, staysInTree, isText: !isForced }),
    );
}

/**
 * Returns whether a word of yq may be a program that loads a file, or evaluates a text. These functions need no brackets, and no
 * space before them. A part of a path (`.load`) or of the name of a file is none of them.
 */
export function mayYqLoad(text: string): boolean {
  if (/(load\w*|eval)\s*\(/.test(text)) return true;
  if (/^[\w./-]*$/.test(text)) return /^(((str|xml)_?)?load(_?(xml|base64|props|str))?|eval)\.\w/.test(text);
  return /(?<!(?<![.\d])\.\w*)(load|eval)/.test(text);
}

function searched(program: string, args: readonly ShellWord[]): Touch[] {
  const family = program.endsWith('grep') ? 'grep' : program.endsWith('awk') ? 'awk' : program;
  const options = searchOptionsOf(program);
  const given = argumentsOf(family === 'sed' ? sedWords(args) : args, options ?? VALUED[family]);
  const programFiles = given.valuesOf('-f', '--file', '--from-file');
  const programs = given.valuesOf('-e', '--regexp', '--expression');
  const [first, ...others] = given.operands;
  const hasProgram = programFiles.length > 0 || programs.length > 0;
  const isOneText = first !== undefined && isOneOperand(first, args);
  const files = hasProgram || !isOneText ? given.operands : others;
  const texts = hasProgram || first === undefined ? programs : [first];
  const read = [
    ...[...programFiles, ...given.valuesOf('--ignore-file', '--exclude-from')].map((word) =>
      touch('read', word),
    ),
    ...(family === 'jq' ? optionFiles(args).concat(others.map((word) => touch('read', word))) : []),
  ];
  // A program in awk, jq or sed can name more files.
  if (/^(awk|jq|yq)$/.test(family)) read.push(...texts.flatMap(mentions));
  if (family === 'awk') {
    // A variable can name a file: `awk -v f=x '{ getline < f }'`.
    const set = files.filter(({ value }) => /^\w+=/.test(value));
    read.push(...[...given.valuesOf('-v', '--assign'), ...set].flatMap(mentions), ...awkTargets(args));
  }
  if (family === 'yq' && args.some(({ value }) => mayYqLoad(value)))
    read.push(touch('read', unknownWord('what the program loads')));
  // It writes files whose names an expression computes.
  if (family === 'yq' && args.some(({ value }) => /^(-(?!-).*s|--split-exp)/s.test(value)))
    read.push(touch('write', unknownWord('what the program writes')));
  if (family === 'sed') read.push(...texts.flatMap(filesInSed));
  // The program can follow options with two values: `jq --arg a b 'include "x"; .'`.
  if (family === 'jq' && args.some(({ value }) => loadsJqModules(value)))
    read.push(touch('read', unknownWord('what the program loads')));
  if (editsInPlace(family, given)) {
    const copies = family === 'sed' ? copiesOfSed(files, given, args) : [];
    // Code can print the old content, or write it elsewhere.
    const isPlain =
      programFiles.length === 0 &&
      // An exit code of the script tells about the content.
      texts.every(({ value }) => isPlainSedScript(value) && !/[qQ]\s*\d/.test(value));
    const isKept = family === 'awk' || (family === 'sed' && (copies.length > 0 || !isPlain));
    return [
      ...read,
      ...files.map((word) => touch('write', word, undefined, isKept ? { moves: true } : {})),
      ...copies.map((word) => touch('write', word)),
    ];
  }
  const everything = /^(rg|ag|ack)$/.test(program);
  const isGrep = family === 'grep';
  const walks =
    everything ||
    program === 'rgrep' ||
    hasOption(given, 'rR', '--recursive', '--dereference-recursive') ||
    (isGrep && searchesFolders(given));
  const isScript = isGrep && !/^[efr]?grep$/.test(program);
  // An option that is not understood may read a list of files, or make a file of the pattern.
  if (given.isUncertain || (isScript && splitsOptions(args)))
    read.push(touch('read', unknownWord('the words of an option')));
  const shown = isGrep || everything ? gitDataOptions(program, given) : {};
  if (!walks) return [...read, ...files.map((word) => touch('read', word, undefined, shown))];
  const deep = everything && skipsHidden(program, given) ? 'visible' : 'all';
  // Without files, the working folder is searched. A script around grep gives it each file on its input.
  const isHere = !namesFolder(given.operands, args, hasProgram) || isScript || given.isUncertain;
  const places = isHere ? [...files, HERE] : files;
  const staysInTree = isGrep
    ? !hasOption(given, 'RSO', '--dereference-recursive')
    : !hasOption(given, program === 'ag' ? 'f' : 'L', '--follow');
  // The name of a link does not show which file it leads to.
  const endings = staysInTree && !isScript ? endingsOf(program, given) : undefined;
  return [
    ...read,
    ...places.map((word) =>
      touch('read', word, deep, { ...shown, staysInTree, ...omitUndefined({ endings }) }),
    ),
  ];
}

/** Returns the files that a script of sed names, or may name. */
function filesInSed(text: ShellWord): Touch[] {
  const { value } = text;
  const named = (kind: 'read' | 'write', file: string): Touch => touch(kind, partOfWord(text, file));
  return [
    ...(mayHideFiles(value) ? [touch('write', SED_FILE), touch('read', SED_FILE)] : []),
    ...(sedFiles(value) ?? []).map(({ kind, name }) => named(kind, name)),
    ...(isPlainSedScript(value) ? [] : mentions(text)),
    ...sedWrites(value).map((file) => named('write', file)),
    ...sedReads(value).map((file) => named('read', file)),
  ];
}

/** A word such as `--include=*.ts` without quotes is an option with a glob. It is not a folder to search. */
function namesFolder(
  operands: readonly ShellWord[],
  args: readonly ShellWord[],
  hasProgram: boolean,
): boolean {
  const end = args.findIndex(({ value }) => value === '--');
  const folders = operands.filter(
    (word) => !word.value.startsWith('-') || (end >= 0 && args.indexOf(word) > end),
  );
  return folders.length > (hasProgram ? 0 : 1);
}

/** Returns whether the shell makes exactly one word of it, which is not an option. */
export function isOneOperand(word: ShellWord, args: readonly ShellWord[]): boolean {
  if (word.kind === 'literal' || word.kind === 'tilde') return true;
  const end = args.findIndex(({ value }) => value === '--');
  return word.single && (/^[^-]/.test(word.begins) || (end >= 0 && args.indexOf(word) > end));
}

/** Scripts such as `bzgrep` split their options and values again: `bzgrep -A "1 -r" x a`. */
function splitsOptions(args: readonly ShellWord[]): boolean {
  return args.some(
    ({ value }, index) =>
      /\s/.test(value) && /^-./.test(value.startsWith('-') ? value : (args[index - 1]?.value ?? '')),
  );
}

function editsInPlace(family: string, given: ParsedOperands): boolean {
  if (family === 'awk') return given.valuesOf('-i').some(({ value }) => value === 'inplace');
  return (family === 'sed' || family === 'yq') && hasOption(given, 'i', '--in-place', '--inplace');
}

/** An option may read any file that it names: `--rcfile=secrets/x`. */
function optionFiles(args: readonly ShellWord[]): Touch[] {
  return args.flatMap((word) => {
    const value = /^--?[\w-]+=(.+)$/s.exec(word.value)?.[1];
    return value === undefined || word.kind !== 'literal' ? [] : [named(word, value)];
  });
}

/** The value of a short option can be a file: `hexdump -Cfsecrets/x`, `file -fsecrets/x`. */
function attachedFiles(program: string, args: readonly ShellWord[]): Touch[] {
  return args.flatMap((word) => {
    const [, letters = ''] = /^-([A-Za-z]+)/.exec(word.value) ?? [];
    if (!word.value.includes('/') && !/^(hexdump|file)$/.test(program)) return [];
    return Array.from(letters, (_, index) => word.value.slice(index + 2)).flatMap((value) =>
      value === '' ? [] : [named(word, value)],
    );
  });
}

/** Options whose value is usually an output file. */
const OUTPUTS =
  /^(-o|-out|--out|--output|--output-file|--out[fF]ile|--log-file|--out-?dir|--outDir|--output-dir)$/;

/** Any text that looks like a path may be one: alone, after `=`, `@` or `:`, or inside a longer text. */
function unknownProgram(args: readonly ShellWord[], deepIfFolder: boolean): Touch[] {
  const distinct = new Map(args.map((word) => [word.text, word]));
  const written = args.flatMap((word, index): Touch[] => {
    if (!word.value.startsWith('-')) return [];
    const [, option = '', value] = /^(--?[\w-]+)=(.+)$/s.exec(word.value) ?? [];
    if (value !== undefined && OUTPUTS.test(option)) return [touch('write', partOfWord(word, value))];
    const next = args[index + 1];
    return OUTPUTS.test(word.value) && next ? [touch('write', next)] : [];
  });
  const touched = [...distinct.values()].flatMap((word): Touch[] => {
    if (word.kind === 'dynamic') return [];
    const { value } = word;
    const candidates = new Set(value.startsWith('-') ? [] : [value]);
    for (const part of partsBetween(value)) candidates.add(part);
    for (const part of attachedParts(value)) candidates.add(part);
    for (const path of localPaths(value)) candidates.add(path);
    const touches = Array.from(candidates, (candidate) =>
      touch('read', partOfWord(word, candidate), undefined, { knowledge: 'named', deepIfFolder }),
    );
    return /[\s'"()`]/.test(value) ? touches.concat(mentions(word)) : touches;
  });
  return [...written, ...touched];
}

/** Finds paths inside a text: `python -c "open('secrets/x')"`. */
export function mentions(word: ShellWord): Touch[] {
  const paths = new Set(word.value.slice(0, LONGEST_TEXT).match(MENTION));
  return Array.from(paths, (found) => named(word, found, 'mentioned'));
}

/** A path starts with the first of its characters, or with a tilde. Other starts would only take more time. */
const MENTION = /(?:(?<![~\w.@-])|(?<!~)(?=~))[~\w.@-]*[/.][\w./@-]+/g;
/** The number of characters of a text that are searched for paths. */
const LONGEST_TEXT = 4_000;

function named(word: ShellWord, value: string, knowledge: Touch['knowledge'] = 'named'): Touch {
  return { kind: 'read', word: partOfWord(word, value), knowledge };
}

const SED_FILE = unknownWord('a file in the script of sed');

/** After a letter as delimiter, versions of sed may find other commands: `sxaxbxw.npmrc`, `\\xaxr.env`. */
function mayHideFiles(script: string): boolean {
  if (isPlainSedScript(script) || !/[wrR]/.test(script)) return false;
  return sedFiles(script) === undefined || /(?:^|[;{}\n!,\d$/])[IM\t-\r ]*(?:[sy]\w|\\\w)/.test(script);
}

/** Returns the files after each `w` that may be a command or a flag of sed. Returns too many rather than too few. */
function sedWrites(script: string): string[] {
  if (isPlainSedScript(script)) return [];
  const files: string[] = [];
  const written = /[wW][\t-\r ]*([^\t-\r ;}][^\n]*)/y;
  // A pattern that looks for the start of the flags would take quadratic time.
  let mayBeFlag = true;
  for (let at = 0; at < script.length; at++) {
    const letter = script[at] ?? '';
    written.lastIndex = at;
    const [whole = '', file] = mayBeFlag ? (written.exec(script) ?? []) : [];
    if (file !== undefined) {
      files.push(file);
      at += whole.length - 1;
      mayBeFlag = true;
    } else if (!/[gpiImMe]/.test(letter)) mayBeFlag = !/[\\A-Za-z]/.test(letter);
  }
  return files;
}

const SED_READ = /(?:^|[^\\A-Za-z])[rR][\t-\r ]*([^\t-\r ;}][^\n]*)/g;

/** Returns the files after each `r` or `R` that may be a command of sed. Returns too many rather than too few. */
function sedReads(script: string): string[] {
  if (isPlainSedScript(script)) return [];
  return Array.from(script.matchAll(SED_READ), ([, file = '']) => file);
}
