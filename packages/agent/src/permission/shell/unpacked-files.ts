/**
 * Repositories among files that a script unpacks. Their settings are unknown before the script runs, and can run programs:
 * `tar xf a.tar && git -C a status`.
 */
import path from 'node:path';
import type { ShellWord, SimpleCommand } from '@heddle/tools/shell';
import type { FilePart, Part } from '../part.ts';
import { isAtOrBelowSome, isInside } from '../paths/places.ts';
import type { PermissionWorld } from '../world.ts';
import type { MadeLinks } from './earlier-effects.ts';
import { baseName, commandWords, unwrap } from './runners.ts';

/** Files with unknown names that a command writes: from an archive, another machine, or a commit. */
export interface Unpacked {
  /** The folders below which they are. */
  readonly roots: 'anywhere' | readonly string[];
  /** Git writes them, and it never writes files of a `.git` folder. These folders are new repositories, with git's own settings. */
  readonly clones?: readonly string[];
}

/** They write an archive's files with any names. */
const UNPACKERS = /^(tar|unzip)$/;
/** Their files are not parts of the call. */
const OTHER_UNPACKERS =
  /^(bsdtar|gtar|patch|7z|7za|7zr|7zz|cpio|pax|unrar|unar|jar|ar|cabextract|dpkg-deb|unsquashfs|bsdcpio|rclone)$/;

/** They copy whole folders from another machine, a container or another system of version control. The text is that of the words. */
const COPIERS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(docker|podman|nerdctl|kubectl|oc)$/, / cp /],
  [/^aws$/, / s3 (cp|sync|mv) /],
  [/^gcloud$/, / (storage|scp) /],
  [/^(gsutil|s3cmd)$/, / (cp|rsync|mv|sync|get) /],
  [/^az$/, / download/],
  [
    /^(svn|hg|bzr|fossil|jj|sl)$/,
    / (checkout|co|export|update|up|clone|archive|open|switch|pull|get|new|edit) /,
  ],
  [/^(npx|bunx|pnpm|yarn|npm|bun|degit|tiged|giget)$/, / (degit|tiged|giget)[@ ]/],
];

function copiesFolders(base: string, words: readonly ShellWord[]): boolean {
  const text = ` ${[base, ...words.map(({ value }) => value)].join(' ')} `;
  // The last word of an upload is the place elsewhere.
  const isUpload = words.at(-1)?.value.includes(':') === true && !/^(svn|hg|npx|npm)$/.test(base);
  return !isUpload && COPIERS.some(([programs, actions]) => programs.test(base) && actions.test(text));
}

/** Returns the files that a command unpacks. `parts` are those of the command, its own first. */
export function unpackedBy(
  command: SimpleCommand | undefined,
  parts: readonly Part[],
  made: MadeLinks | undefined,
): readonly Unpacked[] {
  const [own] = parts;
  if (command === undefined || (own?.kind === 'command' && own.readOnly !== 'no')) return [];
  const [name, ...words] = unwrap(commandWords(command)).at(-1)?.words ?? [];
  const base = baseName(name?.value ?? '');
  const writes = parts.filter(isWrite);
  if (base === 'git')
    return made === 'anywhere'
      ? [{ roots: 'anywhere', clones: writes.flatMap((part) => pathsOf(part) ?? []) }]
      : [];
  if (OTHER_UNPACKERS.test(base) || copiesFolders(base, words)) return [{ roots: 'anywhere' }];
  return writes
    .filter((part) => part.fills === true || (part.deep !== 'no' && UNPACKERS.test(base)))
    .map((part) => ({ roots: pathsOf(part) ?? 'anywhere' }));
}

/** Returns the world with the facts about git after some files were unpacked. */
export function worldAfterUnpacking(world: PermissionWorld, unpacked: readonly Unpacked[]): PermissionWorld {
  if (unpacked.length === 0) return world;
  /** Git may find settings there that did not exist before. */
  const isReplaced = (folder: string): boolean => {
    const spellings = [path.posix.resolve(folder), world.realpath(folder)];
    const hasOwn = world.exists(path.posix.join(folder, '.git'));
    return unpacked.some(({ roots, clones }) => {
      // In the folder of the session, commands of git follow each other all the time.
      if (clones && (hasOwn || spellings.some((at) => at === world.cwd || clones.includes(at)))) return false;
      return roots === 'anywhere' || spellings.some((at) => isAtOrBelowSome(at, roots));
    });
  };
  /** An archive may contain the repository that an address names. Git itself writes none that ordinary words name. */
  const mayBeUnpacked = (place: string): boolean => {
    const spellings = [path.posix.resolve(place), world.realpath(place)];
    return (
      spellings.some((at) => isInside({ path: at, real: at }, world)) &&
      unpacked.some(
        ({ roots, clones }) =>
          clones === undefined &&
          (roots === 'anywhere' || spellings.some((at) => isAtOrBelowSome(at, roots))),
      )
    );
  };
  const { gitIn, repositoryPrograms, repositoriesAt } = world;
  return {
    ...world,
    gitIn: (folder) => (isReplaced(folder) ? undefined : gitIn(folder)),
    repositoryPrograms: (folder) =>
      isReplaced(folder)
        ? { named: undefined, unclear: folder }
        : (repositoryPrograms?.(folder) ?? { named: [] }),
    repositoriesAt: (place) => (mayBeUnpacked(place) ? [undefined] : (repositoriesAt?.(place) ?? [])),
  };
}

function isWrite(part: Part): part is FilePart {
  return part.kind === 'write';
}

function pathsOf({ places }: FilePart): readonly string[] | undefined {
  return places?.flatMap(({ path: at, real }) => [at, real]);
}
