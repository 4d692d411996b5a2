/**
 * Detects whether an attributes file applies a filter to a tracked file. Filters are often configured and
 * rarely used.
 */
import path from 'node:path';
import { readBoundedFile } from './bounded-file.ts';

const MOST_BYTES = 1024 * 1024;
/** More folders take too long to check. */
const MOST_FOLDERS = 5_000;

/**
 * `others`: attributes files outside the working tree. Returns true if the answer cannot be determined.
 */
export function usesFilters(top: string, paths: readonly string[], others: readonly string[]): boolean {
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
  const inTree = Array.from(folders, (folder) => path.join(top, folder, '.gitattributes'));
  return [...inTree, ...others].some(mentionsFilter);
}

function parentOf(file: string): string {
  return file.slice(0, Math.max(file.lastIndexOf('/'), 0));
}

function mentionsFilter(file: string): boolean {
  const read = readBoundedFile(file, MOST_BYTES);
  return read.kind === 'read' ? read.bytes.includes('filter') : read.kind === 'unreadable';
}
