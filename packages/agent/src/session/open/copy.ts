/** Copies a session's file under another name, without damaged lines. Creates the whole copy or nothing. */
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { errorCode } from '@heddle/core';
import { decodeLine } from '../codec/read-lines.ts';
import { wholeLength, wholeLines } from '../files/lines.ts';
import { fileHistoryFolder, sessionFile, sessionFolder, type SessionPlace } from '../files/paths.ts';
import { writeFileWhole } from '../files/write.ts';

export function copySession(from: string, to: string): void {
  viaDraft(to, (draft) => copyFileSync(from, draft));
}

/** Removes the copy with all files that were copied with it. */
export function discardCopy(place: SessionPlace, id: string): void {
  for (const part of [
    sessionFile(place, id),
    fileHistoryFolder(place.configDir, id),
    sessionFolder(place, id),
  ])
    rmSync(part, { recursive: true, force: true });
}

export function dropDamagedLines(file: string): void {
  const bytes = readFileSync(file);
  const readable = [...wholeLines(bytes)].filter((line) =>
    decodeLine(line).every(({ kind }) => kind !== 'damaged'),
  );
  const torn = bytes.subarray(wholeLength(bytes));
  const kept = Buffer.from(readable.map((line) => `${line}\n`).join(''));
  viaDraft(file, (draft) => writeFileWhole(draft, Buffer.concat([kept, torn]), true));
}

/** Writes to a draft first: a crash or a full disk must not leave a partial file. */
function viaDraft(file: string, write: (draft: string) => void): void {
  const draft = `${file}.${process.pid}`;
  try {
    rmSync(draft, { force: true });
    write(draft);
    renameSync(draft, file);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
}

export function copyCompanions(place: SessionPlace, from: string, to: string): void {
  const [parent, fork] = [sessionFolder(place, from), sessionFolder(place, to)];
  mkdirSync(fork, { recursive: true, mode: 0o700 });
  copyIfThere(path.join(parent, 'collapses.jsonl'), path.join(fork, 'collapses.jsonl'));
  copyFileHistory(fileHistoryFolder(place.configDir, from), fileHistoryFolder(place.configDir, to));
}

/** Contents never change under their hash, so both sessions share the files. Only the index is copied. */
function copyFileHistory(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(path.join(to, 'blobs'), { recursive: true, mode: 0o700 });
  // The index is copied first. A content is stored before the index names it, so everything in the copy exists.
  if (!copyIfThere(path.join(from, 'index.jsonl'), path.join(to, 'index.jsonl'))) return;
  for (const name of namesIn(path.join(from, 'blobs')))
    linkOrCopy(path.join(from, 'blobs', name), path.join(to, 'blobs', name));
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // The file system has no links, or the draft is gone.
    copyIfThere(from, to);
  }
}

function copyIfThere(from: string, to: string): boolean {
  try {
    copyFileSync(from, to);
    return true;
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return false;
    throw thrown;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
