/**
 * The memory folder of a project. Two folders may have the same folder of sessions: `/a/b-c` and `/a/b/c`. The first one of them that uses
 * memory gets its usual folder, which then names its owner. The other ones get folders of their own.
 */
import { errorCode, isRecord } from '@heddle/core';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { memoryFolder, projectFolder, type SessionPlace } from '../session/files/paths.ts';
import { isOfOtherFolder, sessionFilesIn } from '../session/files/session-files.ts';
import { readRegularFile } from '../settings/json-file.ts';

const OWNER = '.folder.json';

/** Returns the memory folder of this folder alone. The usual one is created, so that it names its owner. Never throws. */
export function ownMemoryFolder(place: SessionPlace): string {
  const usual = memoryFolder(place);
  const hash = createHash('sha256').update(place.cwd).digest('hex').slice(0, 16);
  const apart = `${usual}-${hash}`;
  const owner = ownerOf(usual);
  if (owner !== undefined) return owner === place.cwd ? usual : apart;
  if (existsSync(apart)) return apart;
  // Memories of an earlier version have no owner. They may be those of another folder that has sessions here.
  const isShared =
    existsSync(usual) &&
    sessionFilesIn(projectFolder(place)).some((file) => isOfOtherFolder(file, place.cwd));
  return isShared ? apart : claimed(usual, place.cwd, apart);
}

function ownerOf(folder: string): string | undefined {
  try {
    const content: unknown = JSON.parse(readRegularFile(path.join(folder, OWNER)));
    return isRecord(content) && typeof content['folder'] === 'string' ? content['folder'] : undefined;
  } catch {
    return undefined;
  }
}

function claimed(usual: string, cwd: string, apart: string): string {
  try {
    mkdirSync(usual, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(usual, OWNER), `${JSON.stringify({ folder: cwd })}\n`, {
      mode: 0o600,
      flag: 'wx',
    });
    return usual;
  } catch (thrown) {
    // Another process was faster, or the disk cannot be written.
    return errorCode(thrown) === 'EEXIST' && ownerOf(usual) !== cwd ? apart : usual;
  }
}
