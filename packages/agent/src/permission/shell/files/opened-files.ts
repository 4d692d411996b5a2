/** Creates the parts for files that a program opens by itself, and no word names: files of ignored names, and those of git's settings. */
import type { ShellWord } from '@heddle/tools/shell';
import type { Concern, FilePart } from '../../part.ts';
import { openedBelow, openedBySearch } from '../../paths/opened-by-search.ts';
import { type FilePlace, placesOf, tildeExpanded } from '../../paths/places.ts';
import { specialConcern } from '../../paths/special-files.ts';
import type { OpenedByGit, PermissionWorld } from '../../world.ts';
import { baseName } from '../runners.ts';
import type { Folders } from '../shell-state.ts';
import { gitArguments } from './git-arguments.ts';

/** Programs that open such files, some of them only with an option. */
const OPENERS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:rg|fd|fdfind|ag|ack|tokei|scc|shellcheck)$/, /^/],
  [/^tree$/, /^--(?:git|inf)/],
  [/^(?:eza|exa)$/, /^--git/],
];

/** Programs that open a file of a fixed name in the working directory, even for their version: settings of a library for directories. */
const OPENS_HERE: ReadonlyMap<string, string> = new Map([['curl', 'ldaprc']]);

/** `files` are those that the words name. */
export function openedParts(
  [name, ...args]: readonly ShellWord[],
  files: readonly FilePart[],
  folders: Folders,
  world: PermissionWorld,
): FilePart[] {
  const program = baseName(name?.value ?? '');
  const from = folders ?? [world.cwd];
  const here = OPENS_HERE.get(program);
  if (here !== undefined)
    return placesOf(here, from, world)
      .map((place) => partOf(place, world))
      .filter(({ concern }) => concern !== undefined);
  if (args.length === 1 && args[0]?.value === '--version') return [];
  if (program === 'git') return openedByGit(args, from, world);
  const isOpening = OPENERS.some(
    ([programs, option]) =>
      programs.test(program) && [name, ...args].some((word) => option.test(word?.value ?? '')),
  );
  if (!isOpening) return [];
  const starts = [
    ...from.flatMap((folder) => placesOf(folder, ['/'], world)),
    ...files.flatMap(({ places = [] }) => places),
    ...args.flatMap((word) => placesOfValue(word, from, world)),
  ];
  return openedBySearch(starts, from, world).map((place) => partOf(place, world));
}

/** An option may name the folder: `--search-path=x`, `-C x`. */
function placesOfValue(
  { kind, value }: ShellWord,
  folders: readonly string[],
  world: PermissionWorld,
): readonly FilePlace[] {
  const [, attached] = /^-(?:-[\w-]+=|C)(.+)$/s.exec(value) ?? [];
  const written = attached ?? value;
  const isName = attached !== undefined || (value !== '' && !value.startsWith('-'));
  return kind === 'dynamic' || !isName ? [] : placesOf(tildeExpanded(written, world.home), folders, world);
}

/** Commands that may print lines of the file that a setting names. With the other settings, no command does. */
const PRINTING: ReadonlyMap<string, RegExp> = new Map([
  ['blame.ignorerevsfile', /^(?:blame|annotate|)$/],
  ['core.excludesfile', /^(?:check-ignore|)$/],
  ['commit.template', /^(?:commit|)$/],
  // Every command may show people and warnings about attributes.
  ['mailmap.file', /^/],
  ['core.attributesfile', /^/],
  ['fsck.skiplist', /^(?:fsck|)$/],
  ['format.signaturefile', /^(?:format-patch|)$/],
]);

/** Commands that open none of the files, except those that every command opens. */
const OPENS_NONE =
  /^(?:version|help|config|rev-parse|remote|ls-remote|var|symbolic-ref|merge-base|count-objects)$/;

function openedByGit(
  args: readonly ShellWord[],
  from: readonly string[],
  world: PermissionWorld,
): FilePart[] {
  const { command, folder } = gitArguments(args);
  const isKnown = folder !== undefined && folder.kind !== 'dynamic';
  const named = isKnown ? placesOf(tildeExpanded(folder.value, world.home), from, world) : [];
  const folders = isKnown ? named.map(({ real }) => real) : from;
  const opensNone = OPENS_NONE.test(command);
  const isNamed = ({ setting, file }: OpenedByGit): boolean =>
    setting !== undefined && (file === undefined || PRINTING.get(setting)?.test(command) === true);
  const isRead = (one: OpenedByGit): boolean =>
    opensNone ? one.isUnusual && one.isOfAll === true : one.isUnusual || isNamed(one);
  const opened = folders.flatMap((at) => world.openedByGit?.(at) ?? []).filter(isRead);
  const tops = folders.flatMap((at) => {
    const repository = world.repository(at);
    return typeof repository === 'string' ? [at] : [at, repository.top];
  });
  const inFolders = opensNone
    ? []
    : [...new Set(tops)].flatMap((at) => (world.openedIn?.(at) ?? []).concat(openedBelow(at, world)));
  const deep = new Set(opened.flatMap(({ file, isFolder }) => (isFolder === true ? [file] : [])));
  const files = new Set([...opened.map(({ file }) => file), ...inFolders]);
  return [...files].flatMap((file) =>
    file === undefined
      ? [{ ...partOf(undefined, world), concern: UNKNOWN_FILE }]
      : placesOf(file, ['/'], world).map((place) => partOf(place, world, deep.has(file) ? 'all' : 'no')),
  );
}

const UNKNOWN_FILE: Concern = {
  level: 'unless covered',
  reason: 'Git may read a file that cannot be determined, because of its settings or its data.',
};

function partOf(
  place: FilePlace | undefined,
  world: PermissionWorld,
  deep: FilePart['deep'] = 'no',
): FilePart {
  const read = { places: place && [place], glob: undefined, deep };
  return {
    ...read,
    kind: 'read',
    shown: place?.path ?? 'a file of a setting',
    tool: 'Bash',
    by: 'command',
    knowledge: 'known',
    concern: place && specialConcern(read, world),
  };
}
