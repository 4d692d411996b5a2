/**
 * Finds every place in the words of a command: a whole word, attached to an option, after `=`, `:`, `,` or `@`, or
 * inside the text of a program. The effect on such a place is unknown. So a protected place, or one outside the working
 * directories, asks. This applies to every program, except to commands that are proven to read.
 */
import path from 'node:path';
import type { ShellWord } from '@heddle/tools/shell';
import type { Concern } from '../../part.ts';
import {
  type FilePlace,
  isInside,
  isSink,
  passedFolders,
  placesOf,
  tildeExpanded,
} from '../../paths/places.ts';
import { protectedMatch, protectedPlaceName } from '../../paths/protected.ts';
import { protectedFromChange } from '../../paths/changed-places.ts';
import type { PermissionWorld } from '../../world.ts';
import { fileAddressesIn, namedRepositories } from './git-addresses.ts';
import { gitArguments } from './git-arguments.ts';
import { hostWords, namesContainerPlaces } from './host-words.ts';
import { localPaths } from './local-addresses.ts';
import { isMessage } from './message-options.ts';
import { namesInAddress } from './network.ts';
import { attachedValues } from './operands.ts';
import { isUnderstood } from './option-tables.ts';
import { expandedByProgram, PROGRAM_VARIABLE } from './program-variables.ts';
import { namesFoundBy, possibleValues, type WordScope } from '../possible-values.ts';
import { type Folders, SOME_NUMBER } from '../shell-state.ts';
import { fixedFolder, linkedMatches } from './quoted-matches.ts';
import { quotedPatterns } from './quoted-patterns.ts';
import { literalWord } from './touch.ts';
import { runsFiles } from '../interpreters.ts';
import { isMake } from '../make-words.ts';
import { baseName, isRunner, localTails } from '../runners.ts';

export interface NamedPlace {
  readonly written: string;
  readonly places: readonly FilePlace[];
  /** Undefined if the place is an ordinary one. A deny or ask rule may still concern it. */
  readonly concern: Concern | undefined;
}

/** The number of candidates per command. More are not checked, and ask. */
const MOST = 2_000;

const TOO_MANY: NamedPlace = {
  written: '…',
  places: [],
  concern: { level: 'unless bypassed', reason: 'It names more places than can be looked at.' },
};

/** `known` contains the words whose effect is known. */
export function namedPlaces(
  [name, ...args]: readonly ShellWord[],
  known: ReadonlySet<ShellWord>,
  scope: WordScope,
): NamedPlace[] {
  const { folders, world } = scope;
  if (name === undefined) return [];
  const program = baseName(name.value);
  if (isTalker(program)) return [];
  const all = namesContainerPlaces(program)
    ? [...hostWords(program, args), ...args.filter((word) => isPathWithColon(word, scope))]
    : args;
  const isFilter = /^(jq|yq|gojq|jaq|fx|gron)$/.test(program);
  const reading = program === 'git' ? readsPaths(args) : 'no';
  const savesAsTold =
    SAVES_AS_TOLD.test(program) && (!/^(curl|wget)$/.test(program) || isUnderstood(program, args));
  const mayRun = mayBeRun(program, all);
  const behind = localTails([name, ...args]).map(([first, ...own]) => ({ run: first?.value ?? '', own }));
  const runs = [{ run: program, own: all }, ...behind];
  const found = new Map<string, NamedPlace>();
  const looked = new Set<string>();
  const lookAt = (word: ShellWord, index: number, words: readonly ShellWord[]): void => {
    const before = words[index - 1]?.value ?? '';
    if (known.has(word) || isMessage(program, words, index) || isReadOption(program, words, index)) return;
    if (word.kind === 'literal' && expandedByProgram(word.value, world) === undefined)
      found.set(word.text, { ...TOO_MANY, written: word.text });
    const isRemote = CARRIERS.test(program) && /^[^/-][^/]*:/.test(word.value);
    const addressed = program === 'git' ? fileAddressesIn(word, scope) : [];
    const saved = savesAsTold ? addressed : namesOfAddresses(word, isRemote);
    const quoted = reading === 'no' ? quotedOf(word, runs, scope) : [];
    const names = saved.concat(quoted.flatMap(({ kind, value }) => (kind === 'literal' ? value : [])));
    for (const written of isRemote ? names : [...candidatesOf(word, scope, isFilter), ...names]) {
      const isOperand = !word.value.startsWith('-') && !/^-./.test(before);
      const isRead = reading === 'all' || (reading === 'operands' && isOperand);
      const key = `${isRead} ${written}`;
      if (looked.has(key)) continue;
      looked.add(key);
      if (looked.size > MOST) return void found.set('…', TOO_MANY);
      const places = placesAt(written, scope);
      const effect = isRead ? 'reads' : mayRun(word, isOperand) ? 'runs' : 'changes';
      const concern = homeOfOther(written, world) ?? concernAbout(written, places, effect, world);
      const isFolder = written.endsWith('/') || !isOperand;
      // The same place may be an operand that is read and a value that is written.
      if (found.get(written)?.concern) continue;
      found.set(written, { written, places: concern || !isFolder ? places : withContent(places), concern });
    }
    if (reading !== 'no') return;
    const patterns = quoted.filter(({ kind }) => kind === 'pattern');
    for (const pattern of word.kind === 'pattern' ? [word] : patterns) {
      const glob = protectedByGlob(pattern, folders, world);
      if (glob) found.set(word.text, glob);
    }
    const concern = patterns.length === 0 ? undefined : concernOfPatterns(patterns, scope);
    if (concern) found.set(word.text, { written: word.text, places: [], concern });
  };
  all.forEach(lookAt);
  return [...found.values(), ...(program === 'git' ? repositoriesOutside(args, scope) : [])];
}

/** The program itself, or one behind a runner, with its words. */
interface Run {
  readonly run: string;
  readonly own: readonly ShellWord[];
}

/** Returns the patterns that one of the programs may expand in a word, and the names that a shell would read in it. */
function quotedOf(word: ShellWord, runs: readonly Run[], scope: WordScope): readonly ShellWord[] {
  const values = word.kind === 'dynamic' ? (possibleValues(word, scope) ?? []) : undefined;
  const texts = values?.map(({ text }) => text);
  const found = runs.flatMap(({ run, own }) => quotedPatterns(baseName(run), own, own.indexOf(word), texts));
  return [...new Map(found.map((one) => [one.value, one])).values()];
}

/** Returns whether an operand may be a program that the command runs, or a target of make. Git changes files by other rules. */
function mayBeRun(
  program: string,
  args: readonly ShellWord[],
): (word: ShellWord, isOperand: boolean) => boolean {
  if (program === 'git') return () => true;
  if (isRunner(program) || isMake(program))
    return ({ value }, isOperand) => isOperand && !value.includes('=');
  const first = args.find(({ value }) => !value.startsWith('-') || value === '-m');
  return (word, isOperand) => isOperand && word === first && runsFiles(program);
}

/** Git may find a repository outside by a name in the project: a link `x.git` for `x`, or a file that names the repository. */
function repositoriesOutside(args: readonly ShellWord[], scope: WordScope): NamedPlace[] {
  return namedRepositories(args, scope).flatMap(({ place: written, data }) =>
    data.flatMap((folder): NamedPlace[] => {
      const places = folder === undefined ? [] : placesOf(folder, ['/'], scope.world);
      if (folder !== undefined && places.every((place) => isInside(place, scope.world))) return [];
      const reason = `${folder ?? written} may lie outside the working directories, and the command may change it.`;
      return [{ written, places, concern: { level: 'outside', reason } }];
    }),
  );
}

/** Adds a file in each place, which the program may complete: `--target config`, `"config/" name`. */
function withContent(places: readonly FilePlace[]): readonly FilePlace[] {
  return places.flatMap((place) => [place, { path: `${place.path}/x`, real: `${place.real}/x` }]);
}

/** Returns the candidates of every possible value of the word, and of the matches if it is a glob. */
function candidatesOf(word: ShellWord, scope: WordScope, isFilter: boolean): Iterable<string> {
  if (word.kind === 'literal' && PROGRAM_VARIABLE.test(word.value)) {
    const expanded = expandedByProgram(word.value, scope.world) ?? [];
    return [word, ...expanded].flatMap((each) => Array.from(candidatesOfValue(each, scope, isFilter)));
  }
  return candidatesOfValue(word, scope, isFilter);
}

function candidatesOfValue(word: ShellWord, scope: WordScope, isFilter: boolean): Iterable<string> {
  const values = word.kind === 'literal' ? undefined : possibleValues(word, scope);
  if (values === undefined) return candidatesIn(word, scope, isFilter);
  const texts = values.flatMap(({ text, isGlob }) =>
    [text].concat(isGlob ? (namesFoundBy(text, scope) ?? []) : []),
  );
  return new Set(texts.flatMap((text) => candidatesIn(literalWord(text), scope, isFilter)));
}

/** An unknown number represents every matching name in its folder. */
function placesAt(written: string, scope: WordScope): readonly FilePlace[] {
  const { folders, world } = scope;
  const from = folders ?? [world.cwd];
  const expanded = tildeExpanded(written, world.home);
  if (!written.includes(SOME_NUMBER)) return placesOf(expanded, from, world);
  const fits = new RegExp(`^${expanded.split(SOME_NUMBER).map(escaped).join('-?\\d+')}$`);
  return (namesFoundBy(expanded.replaceAll(SOME_NUMBER, '*'), scope) ?? [])
    .filter((name) => fits.test(name))
    .flatMap((name) => placesOf(name, from, world));
}

/** The possible matches of a glob count as named: `.gi?/config`. */
function protectedByGlob(
  { value, text }: ShellWord,
  folders: Folders,
  world: PermissionWorld,
): NamedPlace | undefined {
  const starts = [value, ...boundaries(value).map((at) => value.slice(at)), ...startsIn(value)];
  for (const written of new Set(starts)) {
    const at = written.search(/[*?[(+@!]/);
    const folder = written.slice(0, written.lastIndexOf('/', at) + 1);
    const expanded = tildeExpanded(folder === '' ? '.' : folder, world.home);
    const places = placesOf(expanded, folders ?? [world.cwd], world);
    const pattern = written.slice(folder.length);
    const what = places
      .map((place) => (folder === '/' ? 'a folder of the system' : protectedMatch(place, pattern, world)))
      .find((name) => name !== undefined);
    if (at >= 0 && what !== undefined) {
      const reason = `It may find ${what}, which is protected, and change it.`;
      return { written: text, places, concern: { level: 'unless bypassed', reason } };
    }
  }
  return undefined;
}

/** Folders before the wildcards count as named, and matches that links lead elsewhere. */
function concernOfPatterns(quoted: readonly ShellWord[], scope: WordScope): Concern | undefined {
  const { world } = scope;
  const patterns = quoted.map(({ value }) => value);
  const starts = new Set(
    patterns.flatMap((one) => [fixedFolder(one), fixedFolder(path.posix.normalize(one))]),
  );
  for (const folder of starts) {
    const concern =
      folder === '' ? undefined : concernAbout(folder, placesAt(folder, scope), 'changes', world);
    if (concern) return concern;
  }
  const linked = linkedMatches(patterns, scope);
  return linked.length === 0 ? undefined : concernAbout('.', linked, 'changes', world);
}

/** Returns whether the arguments of the program are texts. */
export function isTalker(program: string): boolean {
  return TALKERS.test(program);
}

const TALKERS =
  /^(echo|printf|true|false|:|sleep|seq|expr|exit|return|kill|type|which|set|unset|shift|cd|pushd|popd|test|\[)$/;

/** They accept the name of another machine before a colon. */
const CARRIERS = /^(scp|rsync|sftp|rclone|unison|mutagen)$/;

/** Options whose value is only read, by program. */
const READ_OPTIONS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(ssh|mosh|ssh-copy-id)$/, /^-[iF]/],
  [
    /^(kubectl|helm|k9s|kustomize|oc)$/,
    /^--(kubeconfig|from-file|from-env-file|patch-file|certificate-authority|client-certificate|client-key)(=|$)/,
  ],
  [/^(aws|gcloud|az)$/, /^--(ca-bundle|key-file)(=|$)/],
];

/** The option must not be the value of another one: `kubectl cp p:x --context --kubeconfig FILE`. */
function isReadOption(program: string, words: readonly ShellWord[], index: number): boolean {
  const [value = '', before = '', first = ''] = [0, 1, 2].map((back) => words[index - back]?.value ?? '');
  if (!value.startsWith('-') && !before.startsWith('-')) return false;
  const isOption = program === 'ssh' || !/^-[^=]*$/.test(first);
  return READ_OPTIONS.some(
    ([programs, option]) =>
      programs.test(program) &&
      (option.test(value) || (isOption && option.test(before) && !before.includes('='))),
  );
}

/** Git commands that read the paths in their arguments, and write elsewhere. Some have options that name an output. */
function readsPaths(args: readonly ShellWord[]): 'all' | 'operands' | 'no' {
  const { command } = gitArguments(args);
  if (/^(add|stage|status|ls-files|blame|check-ignore)$/.test(command)) return 'all';
  return /^(commit|diff|log|show|grep)$/.test(command) ? 'operands' : 'no';
}

/** The names of the files that they save are known from their options. */
const SAVES_AS_TOLD = /^(curl|wget|git|gh|ssh|scp|rsync|sftp)$/;

/** Most programs that save an address name the file after it. */
function namesOfAddresses({ value }: ShellWord, isRemote: boolean): readonly string[] {
  if (isRemote) return [value.slice(Math.max(value.lastIndexOf('/'), value.lastIndexOf(':')) + 1)];
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s'"]+$/i.test(value) ? (namesInAddress(value) ?? []) : [];
}

const URL_TEXT = /\b(?!file:)[a-z][a-z0-9+.-]{0,30}:\/\/[^\s'"]*|\bfile:\/\/(localhost)?/gi;
/** Characters that end a path inside a text. */
const TOKEN = /[^\s'"`()<>|;,&=:@{}[\]$!*?^\\]+/g;

/** Returns the paths that a word may contain. Unknown variables split it. */
function candidatesIn(word: ShellWord, scope: WordScope, isFilter = false): string[] {
  // Most words are plain names or options.
  if (word.kind === 'literal' && /^[\w-]+$/.test(word.value) && !/^-[A-Za-z\d]./.test(word.value))
    return word.value.startsWith('-') ? dashedNames(word.value, scope) : [word.value];
  const written = word.kind === 'dynamic' ? expandedHome(word.text, scope.world) : word.value;
  const isPath = mayBePath(written, scope);
  const value = isPath ? written : written.replace(URL_TEXT, ' ');
  // A file may have such a name, too.
  if (!isPath && /^[\w.-]+@[\w.-]+:/.test(value)) return [value, ...passedFolders(value)];
  const found = new Set<string>();
  // A name may contain any character, so a text counts as a whole as well.
  const whole = word.kind === 'dynamic' ? value.replace(/["'\\]/g, '') : value;
  for (const text of isFilter ? [] : [whole, ...stringsIn(value)])
    for (const part of partsAt(text))
      for (const path of [...startsIn(part), ...dashedNames(part, scope)]) found.add(path);
  for (const match of value.matchAll(TOKEN)) {
    const [token] = match;
    const before = value[match.index - 1] ?? '';
    // In a text, a bare name counts only at the start of a string or a word: `{.profile}` is not a file.
    const isBare = !token.includes('/') && !token.startsWith('~');
    if (isBare && (isFilter || !/^$|[\s'"=>@:,]/.test(before))) continue;
    for (const path of startsIn(token)) found.add(path);
  }
  for (const path of isFilter ? [] : localPaths(written)) found.add(path);
  const paths = [...found].filter(
    (path) => path !== '' && path !== '.' && path !== '/' && path.length < LONGEST_PATH,
  );
  // Such a text may be the end of a name: `--suffix=/../../x`.
  const ends = paths.filter((path) => /^\/+\.\.(\/|$)/.test(path)).map((path) => `x${path}`);
  const all = paths.concat(ends, paths.flatMap(passedFolders));
  return ROOT_FOLDER.test(value) ? [...all, '/'] : all;
}

/** A folder may have the name with which an address begins: `a://../x`, `name@host:/../x`, `-oa://x`. */
function mayBePath(written: string, scope: WordScope): boolean {
  const start = written.indexOf(':/');
  if (start < 0) return false;
  if (/\/\.\.(\/|['"\s]|$)/.test(written.slice(start + 1))) return true;
  // Each name is read once, so the time grows with the length of the text.
  const names = Array.from(written.matchAll(/([^\s'"=,/]+)(\/?)/g), ([, name = '', end]) =>
    end === '/' && name.endsWith(':') ? name : '',
  );
  return names
    .filter((name) => name !== '')
    .flatMap((name) => [...partsAt(name)].flatMap(startsIn))
    .some((name) => name.endsWith(':') && !/^file:$/i.test(name) && isNameHere(name, scope));
}

/** Returns whether the folder of the command has an entry of that name. */
function isNameHere(name: string, { folders, world }: WordScope): boolean {
  return (folders ?? [world.cwd]).some((folder) => world.exists(path.posix.join(folder, name)));
}

/** A name on this disk can look like the place of a file in a container: `src/a:b/x`. */
function isPathWithColon({ value }: ShellWord, scope: WordScope): boolean {
  const [name = ''] = /^[^:]*:[^/]*/.exec(value) ?? [];
  return name !== '' && isNameHere(name, scope);
}

/** A word with a leading dash may be the name of a file: after `--`, or as the value of an option. */
function dashedNames(text: string, scope: WordScope): string[] {
  const [name = ''] = text.split('/');
  return name.startsWith('-') && isNameHere(name, scope) ? [text] : [];
}

/**
 * Returns the strings in the code of a program. Each text between two quotes of a kind may be one. Plain names are found
 * without this.
 */
function stringsIn(code: string): readonly string[] {
  const texts = new Set(['"', "'", '`'].flatMap((quote) => code.split(quote).slice(1)));
  return (
    [...texts]
      .filter((text) => /[^\w./~-]/.test(text) && /\S/.test(text) && text.length < LONGEST_PATH)
      // One more is enough for a question.
      .slice(0, MOST + 1)
  );
}

/** A whole word, or the value of an option. In a text, a slash is rather a separator. */
const ROOT_FOLDER = /^(--[A-Za-z][\w-]*=|-C|\w+=)?\/+$/;
/** A number of characters. No file system accepts longer paths. */
const LONGEST_PATH = 4_096;

/** Returns the positions after `=`, `:`, `,` and `@`, where a path may begin. */
function boundaries(value: string): number[] {
  return Array.from(value.matchAll(/[=:,@]/g), ({ index }) => index + 1).slice(0, 16);
}

/** Returns the text, what follows each of these positions, and what is between two of them: `-v 'a b:c d'`. */
function partsAt(text: string): ReadonlySet<string> {
  const starts = [0, ...boundaries(text)];
  return new Set(
    starts.flatMap((at, index) => [
      text.slice(at),
      text.slice(at, (starts[index + 1] ?? text.length + 1) - 1),
    ]),
  );
}

/** Returns the token itself, and the text attached to a short option: `-o/x`, `-I../x`, `-sSLo.npmrc`. */
function startsIn(token: string): string[] {
  if (/^[+%#]/.test(token)) return [token, token.replace(/^[+%#]+/, '')];
  if (!token.startsWith('-')) return [token];
  const at = token.search(/[./~]/);
  return [...(at > 0 ? [token.slice(at)] : []), ...attachedValues(token)];
}

function expandedHome(text: string, { home, cwd }: PermissionWorld): string {
  return text
    .replace(/\$HOME\b|\$\{HOME\}/g, () => home)
    .replace(/\$PWD\b|\$\{PWD\}|\$\(pwd\)|`pwd`/g, () => cwd)
    .replace(/\$\{[^}]*\}|\$\w+|\$\([^)]*\)|`[^`]*`/g, ' ./');
}

/**
 * Folders at the root of common systems. Other absolute texts count only if such a folder exists: `/api/v1` rarely
 * does.
 */
const ROOTS: ReadonlySet<string> = new Set(
  'boot dev etc home media mnt private proc root run srv sys tmp users var volumes data'.split(' '),
);
/** Programs and libraries. Naming them is ordinary, and only the administrator can change them. */
const SYSTEM = /^\/(usr|bin|sbin|lib|lib32|lib64|libx32|opt|nix|snap|System|Applications|Library)(\/|$)/;

/** To run a program from a folder of programs is ordinary. */
function concernAbout(
  written: string,
  places: readonly FilePlace[],
  effect: 'reads' | 'runs' | 'changes',
  world: PermissionWorld,
): Concern | undefined {
  for (const place of places) {
    const isProtected =
      effect === 'runs' || SYSTEM.test(place.path) ? protectedPlaceName : protectedFromChange;
    const what = effect === 'reads' ? undefined : isProtected(place, world);
    if (what !== undefined)
      return {
        level: 'unless bypassed',
        reason: `${what} is protected, and the command may change it.`,
      };
  }
  const outside = places.find((place) => !isInside(place, world));
  if (outside === undefined || isSink(outside.path, 'read') || !isOnDisk(written, outside, world))
    return undefined;
  return {
    level: 'outside',
    reason: `${outside.real} lies outside the working directories, and the command may change it.`,
  };
}

/** Some programs expand `~name` themselves, such as make. After `=`, `~s/a/b/` is rather a substitution of Perl. */
function homeOfOther(written: string, { home, exists }: PermissionWorld): Concern | undefined {
  const [, user] = /^~([A-Za-z_][\w.-]*)(\/|$)/.exec(written) ?? [];
  const base = home.slice(0, home.lastIndexOf('/'));
  if (user === undefined || (/^(s|m|y|tr|qr)$/.test(user) && !exists(`${base}/${user}`))) return undefined;
  return {
    level: 'outside',
    reason: `~${user} is the home folder of a user, and the command may change it.`,
  };
}

function isOnDisk(written: string, { path, real }: FilePlace, world: PermissionWorld): boolean {
  if (path === '/') return true;
  if (SYSTEM.test(path) && SYSTEM.test(real)) return world.isPrivileged === true;
  if (!written.startsWith('/') || path === world.home || path.startsWith(`${world.home}/`)) return true;
  const [, top = '', below] = /^\/([^/]+)(\/.+)?$/s.exec(path) ?? [];
  if (ROOTS.has(top.toLowerCase())) return true;
  if (below === undefined && !world.exists(path))
    return world.isPrivileged === true && /^\/[\w.-]+$/.test(written);
  return world.exists(`/${top}`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
