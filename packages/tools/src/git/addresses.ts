/** Finds the repositories on this machine that an address may mean, as git does it, without git. */
import path from 'node:path';
import { readBoundedFile } from './bounded-file.ts';
import { dependsOnProcess, gitPath } from './git-path.ts';
import { isGitFolder, kindOf, mayHaveEntry } from './repository.ts';

/**
 * Returns the paths that git may use for an address: the text itself, and the path of a `file:` address. Git decodes the latter, and
 * ignores its host, also one in brackets.
 */
export function pathsOfAddress(address: string): readonly string[] {
  const [, written] = /^file:\/\/(.*)$/is.exec(address) ?? [];
  if (written === undefined) return [address];
  const text = percentDecoded(written);
  const starts = [text.indexOf('/'), ...Array.from(upToSlash(text).matchAll(/\][^/]*(?=\/)/g), endOf)];
  return [address, ...starts.filter((at) => at >= 0).map((at) => text.slice(at))];
}

/** Behind the last slash, each bracket would search for one in vain. */
function upToSlash(text: string): string {
  return text.slice(0, text.lastIndexOf('/') + 1);
}

function endOf({ 0: found, index }: RegExpExecArray): number {
  return index + found.length;
}

/** Replaces percent codes. A sequence of bytes that is not UTF-8 becomes a character that no path has. */
export function percentDecoded(text: string): string {
  return text.replace(/(?:%(?!00)[\da-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

/** Git completes a path in this order. */
export const REPOSITORY_ENDINGS = ['/.git', '', '.git/.git', '.git'] as const;

/**
 * Returns the folders with the data of repositories that git may use for a full path, also if another of them has precedence.
 * Undefined: one that cannot be determined.
 */
export function repositoriesAt(place: string): readonly (string | undefined)[] {
  const start = place.replace(/(?<=[^/]|^\/)\/+$/, '');
  return REPOSITORY_ENDINGS.flatMap((ending) => dataAt(start + ending));
}

/** Bytes of a file that names a repository. Git rejects a longer one. */
const MOST_BYTES = 1_048_576;

function dataAt(entry: string): readonly (string | undefined)[] {
  if (entry.includes('\0')) return [];
  if (dependsOnProcess(entry)) return [undefined];
  const kind = kindOf(entry);
  if (kind === 'folder') return isGitFolder((name) => mayHaveEntry(path.join(entry, name))) ? [entry] : [];
  // Any file can name a repository, whatever its name is.
  const read = kind === 'file' ? readBoundedFile(entry, MOST_BYTES) : undefined;
  if (read?.kind !== 'read') return [];
  const text = read.bytes.toString('utf8');
  if (!text.startsWith('gitdir: ')) return [];
  const [, named] = /^gitdir: ([^\r\n]+)[\r\n]*$/.exec(text) ?? [];
  return [named === undefined ? undefined : gitPath(path.dirname(entry), named)];
}
