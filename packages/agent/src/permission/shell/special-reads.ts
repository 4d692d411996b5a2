/**
 * Finds commands that may open a named pipe, a device or a file of the kernel: by their words, by values in their options, and by
 * words whose value is known only when they run. Such a read has no proof, and the read-only view does not replace one.
 */
import path from 'node:path';
import type { ReadCommand, ShellWord } from '@heddle/tools/shell';
import type { CommandPart, Concern, FilePart, Part } from '../part.ts';
import { knownEntries, placesOf, tildeExpanded, workingFolders } from '../paths/places.ts';
import { isSpecial, NAMED_PIPE, SPECIAL_FILE, specialConcern } from '../paths/special-files.ts';
import type { PermissionWorld } from '../world.ts';
import { limitsOfFind } from './files/find.ts';
import { argumentsOf } from './files/operands.ts';
import { KNOWN_READERS } from './files/reader-options.ts';
import { possibleValues, namesFoundBy, unusualFoundBy, type WordScope } from './possible-values.ts';
import { baseName, commandWords, type Unwrapped } from './runners.ts';
import type { PossibleValue } from './shell-state.ts';
import { optionPattern, shortOption } from './short-options.ts';

type Script = Extract<ReadCommand, { ok: true }>;

/** They look at names and properties of files, and do not open them. */
const OPENS_NOTHING =
  /^(?:ls|eza|exa|lsd|stat|test|\[|\[\[|df|readlink|realpath|basename|dirname|lsblk|mountpoint|lsof|cd|pushd|echo|printf)$/;
/** They open no operand, but some options name a file that they read: `du -X FILE`. These options are listed, or the others are. */
const OPENS_FOR_OPTIONS: ReadonlyMap<string, RegExp | 'if not listed'> = new Map<
  string,
  RegExp | 'if not listed'
>([
  ['du', 'if not listed'],
  ['tree', 'if not listed'],
  ['find', /^-files0/],
  ['fd', /^--ignore-f/],
  ['fdfind', /^--ignore-f/],
  ['findmnt', optionPattern({ letters: 'F', long: 'ta' })],
]);

/** Returns whether the program opens files that its words name. */
export function opensFiles(program: string, args: readonly ShellWord[] = []): boolean {
  if (OPENS_NOTHING.test(program)) return false;
  const opening = OPENS_FOR_OPTIONS.get(program);
  if (opening === undefined) return true;
  if (opening !== 'if not listed') return args.some(({ value }) => opening.test(value));
  const listed = KNOWN_READERS.get(program);
  return listed === undefined || argumentsOf(args, listed).isUncertain;
}

/** Letters of grep that take the rest of the word. */
const GREP_VALUED = 'ABCefm';
const DEVICES = new RegExp(`^(?:${shortOption('D', GREP_VALUED)}|--dev[a-z]*=?)(.*)$`, 's');

/** Returns whether a search in folders also opens the named pipes and devices there. */
function opensPipesInFolders(program: string, args: readonly ShellWord[]): boolean {
  return (
    program.endsWith('grep') &&
    args.some(({ value }, at) => {
      const [, chosen] = DEVICES.exec(value) ?? [];
      return chosen !== undefined && (chosen || args[at + 1]?.value) !== 'skip';
    })
  );
}

/** They look for files in folders, and skip named pipes there. Archives contain the name of a pipe, and not its data. */
const SKIPS_PIPES = /^(?:rg|ag|ack|ugrep|git|tokei|scc|tar|bsdtar|gtar)$/;

/** They print compressed files. */
const DECOMPRESSES = /^(?:lz4|lz|z|gz|xz|bz|zstd)cat$/;

/**
 * Returns whether the program opens named pipes in a folder that it reads. GNU grep skips them with `-r`, but not with `-R`.
 * `diff a folder` compares `a` with `folder/a`, and `7z l folder` opens all files in it. Others open all files of a folder that they read as a whole: `zstd -dcr docs`.
 */
function opensEntries(program: string, args: readonly ShellWord[], { deep }: FilePart): boolean {
  if (/^(?:s|color)?diff$|^7z/.test(program)) return true;
  const has = (option: RegExp): boolean => args.some(({ value }) => option.test(value));
  if (program.endsWith('grep')) return has(optionPattern({ letters: 'R', valued: GREP_VALUED, long: 'der' }));
  if (DECOMPRESSES.test(program)) return has(optionPattern({ letters: 'r', long: 'rec' }));
  return deep !== 'no' && opensFiles(program, args) && !SKIPS_PIPES.test(program);
}

/** Returns whether the program takes names of files from a file: `md5sum -c sums`, `wc --files0-from=x`, `strings @x`. */
function takesNamesFromFile(program: string, args: readonly ShellWord[]): boolean {
  const checks = /^(?:md5|sha\d*|b2|b3|ck|xxh\w*)sum$|^shasum$/.test(program);
  return args.some(
    ({ value }) =>
      /^(?:@.|--files)/.test(value) || (checks && optionPattern({ letters: 'c', long: 'c' }).test(value)),
  );
}

/** A command that opens a named pipe or a device does more than read, so only a rule allows it. */
export function withSpecialFiles(
  own: CommandPart,
  [name, ...args]: readonly ShellWord[],
  files: readonly FilePart[],
  scope: WordScope,
): CommandPart {
  const { folders, world } = scope;
  const program = baseName(name?.value ?? '');
  if (own.concern || (own.readOnly === 'no' && own.confinable === 'no')) return own;
  const isOpening = opensFiles(program, args);
  const separate = isOpening ? separateValues(program, args) : [];
  const attached = args
    .filter(({ kind }) => kind === 'literal')
    .flatMap(({ value }) => (isOpening ? valuesInOption(value) : []).concat(zoneFiles(value)));
  const read = files.filter((part) => !part.stored && part.knowledge !== 'mentioned');
  const searched = read
    .filter((part) => opensEntries(program, args, part))
    .flatMap(({ places = [], glob }) => [...places, ...(glob?.found(true) ?? [])].map(({ real }) => real));
  const [special] = isOpening ? read.flatMap((part) => specialConcern(part, world) ?? []) : [];
  const opened =
    namesPipe(attached, folders, world) ||
    separate.some((word) => mayBePipe(word, scope) || (isUnknown(word, scope) && isNearPipe(scope))) ||
    (isOpening && takesNamesFromFile(program, args) && isNearPipe(scope)) ||
    searched.some((folder) => containsPipe(folder, world))
      ? NAMED_PIPE
      : namesDevice([...attached, ...separate.flatMap((word) => textsOf(word, scope))], scope)
        ? SPECIAL_FILE
        : undefined;
  // Without a proof, a rule, a mode or a hook decides about the command, and the view does not.
  if (own.readOnly === 'no') return opened || special ? { ...own, confinable: 'no' } : own;
  if (opened) return concernedBy(own, opened);
  if (opensPipesInFolders(program, args)) return concernedBy(own, NAMED_PIPE);
  return special ? concernedBy(own, special) : own;
}

/** Returns the command with the concern about the files that `find` gives to a program. Pipes further down are not looked for. */
export function concernAboutFound(
  run: readonly ShellWord[],
  [, ...tests]: readonly ShellWord[],
  found: readonly FilePart[],
  world: PermissionWorld,
): Concern | undefined {
  const [program, ...args] = run;
  if (!opensFiles(baseName(program?.value ?? ''), args)) return undefined;
  // Only the files of programs that are known to read count here.
  const read = found.filter(({ kind, knowledge }) => kind === 'read' && knowledge === 'known');
  const [special] = read.flatMap((part) => specialConcern(part, world) ?? []);
  const { isPlain, mayMatch: isSelected } = limitsOfFind(tests, (action) => action !== '-delete');
  if (special || isPlain) return special;
  const folders = new Set(read.flatMap(({ places = [] }) => places.map(({ real }) => real)));
  return [...folders].some((folder) => containsPipe(folder, world, isSelected)) ? NAMED_PIPE : undefined;
}

export function concernedBy(part: CommandPart, concern: Concern): CommandPart {
  return { ...part, concern: part.concern ?? concern };
}

/** Returns the values that may be attached to an option: `--exclude-from=x`, `-aXx`. */
function valuesInOption(word: string): readonly string[] {
  const [, value] = /^--[^=]+=(.+)$/s.exec(word) ?? [];
  if (value !== undefined) return [value];
  const [, letters = ''] = /^-([A-Za-z0-9]+)/.exec(word) ?? [];
  return Array.from(letters, (_, at) => word.slice(at + 2)).filter((rest) => rest !== '');
}

/**
 * Returns the words that are values of the options before them. A program may open any of them: `iconv -f ./map`. The listed options of
 * programs with a pattern, and of programs without files, have other values.
 */
function separateValues(program: string, args: readonly ShellWord[]): readonly ShellWord[] {
  const listed = KNOWN_READERS.get(program);
  const given = listed && argumentsOf(args, listed);
  if (given?.isUncertain === false)
    return listed?.files === 'all' ? given.valuesOf(...listed.valued) : NO_WORDS;
  return args.filter((_, at) => args[at - 1]?.value.startsWith('-') === true);
}

const NO_WORDS: readonly ShellWord[] = [];

function isNearPipe({ folders, world }: WordScope): boolean {
  return (folders ?? [world.cwd]).some((folder) => containsPipe(folder, world));
}

/** `date -d 'TZ="/a/b" now'` and tests of `find` open the file of the time zone. */
function zoneFiles(word: string): readonly string[] {
  if (!word.includes('TZ="')) return [];
  return Array.from(word.matchAll(/TZ=":?((?:[^"\\]|\\.)*)/gs), ([, zone = '']) =>
    path.posix.resolve('/usr/share/zoneinfo', zone.replace(/\\(.)/gs, '$1')),
  );
}

function namesPipe(
  values: readonly string[],
  folders: WordScope['folders'],
  { isPipe, home, cwd }: PermissionWorld,
): boolean {
  if (isPipe === undefined) return false;
  return values.some((value) =>
    (folders ?? [cwd]).some((folder) => isPipe(path.posix.resolve(folder, tildeExpanded(value, home)))),
  );
}

/** Returns the possible values of a word, and its globs as they are written. */
function textsOf(word: ShellWord, scope: WordScope): readonly string[] {
  return (possibleValues(word, scope) ?? []).map(({ text }) => text);
}

/** Returns whether a value may name a device or a file of the kernel, also through a link: `iconv -f /dev/ttyS0`. */
function namesDevice(values: readonly string[], { folders, world }: WordScope): boolean {
  return values
    .filter((value) => value.includes('/'))
    .some((value) =>
      placesOf(value, folders ?? [world.cwd], world).some(
        (place) => isSpecial(place.path, false) || isSpecial(place.real, false),
      ),
    );
}

/**
 * Marks the reads of a command that may be of any file, because a word or the working directory is known only when it runs. A program
 * that opens no file has none.
 */
export function withUnclearFiles(
  files: readonly FilePart[],
  { words, more }: Unwrapped,
  scope: WordScope,
): readonly FilePart[] {
  if (!files.some(isUnknownRead)) return files;
  const [name, ...args] = words;
  const isUnclear =
    (more || scope.folders === undefined || args.some((word) => isUnknown(word, scope))) &&
    mayOpenAny(baseName(name?.value ?? ''), args, scope);
  return isUnclear
    ? files.map((part) => (isUnknownRead(part) ? { ...part, mayBeAnyFile: true } : part))
    : files;
}

/** Git opens few of its operands, but a word may become an option with the name of a file. */
function mayOpenAny(program: string, args: readonly ShellWord[], scope: WordScope): boolean {
  const mayBecomeOption = args.some((word) => isUnknown(word, scope) && word.begins === '');
  if (program === 'git')
    return mayBecomeOption || args.some(({ value }) => /^(?:--no-i|-O|-f$|--file)/.test(value));
  return opensFiles(program, args) || (mayBecomeOption && /^(?:du|tree|fd|fdfind|findmnt)$/.test(program));
}

function isUnknown(word: ShellWord, scope: WordScope): boolean {
  return word.kind !== 'literal' && possibleValues(word, scope) === undefined;
}

function isUnknownRead(part: Part): part is FilePart {
  return part.kind === 'read' && part.places === undefined && !part.stored && part.concern === undefined;
}

/**
 * Asks about reads of unknown files if one of them may be a named pipe or a device: one that another word names
 * (`for f in ctl; do cat "$f"; done`), or one in a folder in which the script works, or which its words name.
 */
export function askAboutUnknownReads(
  parts: readonly Part[],
  text: string,
  read: Script,
  scope: WordScope,
): readonly Part[] {
  if (!parts.some(isUnknownRead)) return parts;
  const isNamed = wordsIn(read).some((word) => mayBePipe(word, scope));
  const isAny = (part: Part): part is FilePart => isUnknownRead(part) && part.mayBeAnyFile === true;
  const concern = isNamed ? NAMED_PIPE : parts.some(isAny) ? concernNearby(text, read, scope) : undefined;
  if (concern === undefined) return parts;
  return parts.map((part) => ((isNamed ? isUnknownRead : isAny)(part) ? { ...part, concern } : part));
}

function mayBePipe(word: ShellWord, { folders: known, world, variables }: WordScope): boolean {
  // Files in unknown folders are not checked.
  const folders = known ?? [world.cwd];
  const scope = { folders, world, variables };
  const isPipe = ({ text, isGlob }: PossibleValue): boolean => {
    const places = isGlob ? unusualFoundBy(text, scope) : placesOf(text, folders, world);
    return (
      places === undefined ||
      // A link that leads elsewhere after another call may lead to a pipe.
      places.some(({ path: file, real }) => world.isPipe?.(real) === true || mayLeadElsewhere(file, world)) ||
      (!isGlob && namesPipe(valuesInOption(text), folders, world))
    );
  };
  const values = possibleValues(word, scope);
  if (values) return values.some(isPipe);
  const given = givenValues(word, scope);
  // The word may name a file in a folder that the glob matches.
  const isMore = !/^"?\$\{?\w+\}?"?$/.test(word.text);
  const isOpen = ({ text, isGlob }: PossibleValue): boolean =>
    isGlob && namesFoundBy(text, scope) === undefined;
  return given.some((value) => isPipe(value) || (isMore && isOpen(value)));
}

/** Returns whether the text of a link leaves another link with `..`. If that one is replaced by a folder, the path leads elsewhere. */
function mayLeadElsewhere(file: string, { leftByLinks, realpath }: PermissionWorld): boolean {
  return leftByLinks?.(file).some((place) => realpath(place) !== place) === true;
}

/** Returns the known values of the variables in a word, split and taken for globs as the shell may do it. */
function givenValues({ text }: ShellWord, { variables }: WordScope): readonly PossibleValue[] {
  const names = Array.from(text.matchAll(/\$\{?(\w+)/g), ([, name = '']) => name);
  return names
    .flatMap((name) => variables(name) ?? [])
    .flatMap((value) => value.text.split(/\s+/).map((part) => ({ text: part, isGlob: /[*?[]/.test(part) })));
}

export function wordsIn({ commands, redirections, loopWords }: Script): readonly ShellWord[] {
  const targets = [...commands.flatMap((command) => command.redirections), ...redirections].flatMap(
    (redirection) => ('target' in redirection ? [redirection.target] : []),
  );
  const assigned = commands.flatMap(({ assignments }) => assignments.flatMap(({ value }) => value ?? []));
  return [...commands.flatMap(commandWords), ...assigned, ...targets, ...loopWords];
}

/**
 * Looks for a named pipe or a device directly in the working directories, in the folders of the script, and in those that known parts
 * of its words name.
 */
function concernNearby(text: string, read: Script, { folders, world }: WordScope): Concern | undefined {
  const bases = new Set([world.cwd, ...workingFolders(world), ...(folders ?? [])]);
  // Elements of arrays and lines of here-documents are not among the words. Other texts without a slash are names of variables.
  const pieces = new Set([
    ...wordsIn(read).flatMap(({ value }) => piecesOf(value, world)),
    ...text.split('\n').flatMap((line) => piecesOf(line, world).filter((piece) => piece.includes('/'))),
  ]);
  const isDevice = (piece: string): boolean =>
    piece.startsWith('/') && isSpecial(path.posix.resolve(piece), piece.endsWith('/'));
  if ([...pieces].some(isDevice)) return SPECIAL_FILE;
  const looked = new Set(bases);
  for (const base of [...bases, '/']) {
    const names = new Set(knownEntries(base, world).map(({ name }) => name));
    world.spend?.(pieces.size);
    for (const piece of pieces) {
      const relative = piece.replace(/^\/+/, '');
      const [first = ''] = relative.split('/', 1);
      const isHere = base !== '/' || piece.startsWith('/');
      if (!isHere || !(names.has(first) || /^\.\.?$/.test(first))) continue;
      const place = path.posix.resolve(base, relative);
      looked.add(place).add(path.posix.dirname(place));
    }
  }
  return [...looked].some((folder) => containsPipe(folder, world)) ? NAMED_PIPE : undefined;
}

/** Returns the known parts of a text that may be a path, or a part of one. */
function piecesOf(text: string, { home }: PermissionWorld): readonly string[] {
  const bare = text.replace(/["'\\]/g, '').replace(/\$\{?!?\w+/g, '$');
  // A name may contain blanks, or be one of several in a text.
  return [bare.split(/[$`{}()[\]:%#^,=*?|&;<>]+/), bare.split(/[\s$`{}()[\]:%#^,=*?|&;<>]+/)]
    .flat()
    .map((piece) => tildeExpanded(piece.trim().replace(/^[-+?@!]+(?=[^/])/, ''), home).replace(/^~[^/]*/, ''))
    .filter((piece) => piece !== '');
}

/** Links may lead to one. */
function containsPipe(
  folder: string,
  world: PermissionWorld,
  isSelected: (name: string) => boolean = () => true,
): boolean {
  return knownEntries(folder, world).some(({ name, kind }) => {
    if ((kind !== 'pipe' && kind !== 'link') || !isSelected(name)) return false;
    world.spend?.(1);
    return world.isPipe?.(path.posix.join(folder, name)) === true;
  });
}
