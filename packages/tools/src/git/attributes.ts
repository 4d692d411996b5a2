/** Detects whether an attributes file applies a filter to a file. Filters are often configured and rarely used. */
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { readBoundedFile } from './bounded-file.ts';
import { type GitEnvironment, resolveConfigPath, type ScopedSetting } from './config-files.ts';
import type { GitRepository } from './repository.ts';

const MOST_BYTES = 1024 * 1024;
/** More folders take too long to check. */
const MOST_FOLDERS = 5_000;

/** Returns the attributes files outside the working tree. Undefined: a file that cannot be determined. */
export function attributesFiles(
  { commonDir, top }: GitRepository,
  settings: readonly ScopedSetting[],
  environment: GitEnvironment,
): readonly (string | undefined)[] {
  const { HOME: home, XDG_CONFIG_HOME: config = home && path.join(home, '.config') } = environment;
  const named = settings.filter(({ key }) => key === 'core.attributesfile');
  return [
    path.join(commonDir, 'info/attributes'),
    '/etc/gitattributes',
    ...(config ? [path.join(config, 'git/attributes')] : []),
    ...named.map(({ value }) => resolveConfigPath(value, top, environment)),
  ];
}

/**
 * Returns whether a filter may apply to a tracked file. `others` are the attributes files outside the working tree. True if the
 * answer cannot be determined.
 */
export function usesFilters(
  top: string,
  paths: readonly string[],
  others: readonly (string | undefined)[],
): boolean {
  const folders = new Set(['']);
  // If the file is missing, git reads it from the index.
  const isMissing = (file: string): boolean =>
    file.toLowerCase().endsWith('.gitattributes') &&
    readBoundedFile(path.join(top, file), MOST_BYTES).kind === 'absent';
  if (paths.some(isMissing)) return true;
  for (const file of paths) {
    // The parents of a known folder are known, too.
    for (let folder = parentOf(file); !folders.has(folder); folder = parentOf(folder)) folders.add(folder);
    // A name that is not text cannot be looked up.
    if (folders.size > MOST_FOLDERS || file.includes('\uFFFD')) return true;
  }
  return [...folders].some((folder) => setsFilter(path.join(top, folder))) || others.some(mentionsFilter);
}

/** Returns whether attributes in the working tree may apply a filter to a file that may be untracked. */
export function mayFilterFile(file: string, top: string): boolean {
  for (let folder = file; ; folder = path.dirname(folder)) {
    if (setsFilter(folder)) return true;
    // A file elsewhere has other attributes.
    if (folder === top || folder === path.dirname(folder)) return folder !== top;
  }
}

function parentOf(file: string): string {
  return file.slice(0, Math.max(file.lastIndexOf('/'), 0));
}

function setsFilter(folder: string): boolean {
  const file = path.join(folder, '.gitattributes');
  try {
    // Git follows no link here, and reads the file from the index instead.
    if (!lstatSync(file).isFile()) return true;
  } catch {
    // Reading it has the same result.
  }
  return mentionsFilter(file);
}

function mentionsFilter(file: string | undefined): boolean {
  if (file === undefined) return true;
  const read = readBoundedFile(file, MOST_BYTES);
  return read.kind === 'read' ? read.bytes.includes('filter') : read.kind === 'unreadable';
}
