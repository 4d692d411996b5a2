/** Where a session's files lie. */
import { createHash } from 'node:crypto';
import path from 'node:path';

export interface SessionPlace {
  readonly configDir: string;
  /** Folders of other tools with sessions of the same layout. They are read and never written. */
  readonly otherConfigDirs?: readonly string[] | undefined;
  readonly cwd: string;
}

/** Folder names longer than this are cut and told apart by a hash. */
const MAX_FOLDER_NAME = 200;

export function projectFolder({ configDir, cwd }: SessionPlace): string {
  const name = cwd.replaceAll(/[^a-zA-Z0-9]/g, '-');
  if (name.length <= MAX_FOLDER_NAME) return path.join(configDir, 'projects', name);
  const hash = createHash('sha256').update(cwd).digest('hex').slice(0, 16);
  return path.join(configDir, 'projects', `${name.slice(0, MAX_FOLDER_NAME)}-${hash}`);
}

export function sessionFile(place: SessionPlace, sessionId: string): string {
  return path.join(projectFolder(place), `${sessionId}.jsonl`);
}

/** Beside the log: the lock, what was cut from a torn log, files that tools spilled. */
export function sessionFolder(place: SessionPlace, sessionId: string): string {
  return path.join(projectFolder(place), sessionId);
}

/** In that folder: outputs that were too large for the conversation, which names them by their path. */
export const SPILLS = 'tool-results';

/** Shared by the sessions of a folder, so that a fork costs nothing. */
export function blobFolder(place: SessionPlace): string {
  return path.join(projectFolder(place), 'blobs');
}

/** Old contents of the files that a session changed, outside any repository. */
export function fileHistoryFolder(configDir: string, sessionId: string): string {
  return path.join(configDir, 'file-history', sessionId);
}

/** Session ids become file names: nothing that could lead elsewhere. */
export function isSessionId(text: string): boolean {
  return /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,127}$/.test(text);
}
