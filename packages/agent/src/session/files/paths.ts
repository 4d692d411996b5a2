/** The paths of a session's files. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';

export interface SessionPlace {
  readonly configDir: string;
  /** Folders of other tools with sessions of the same layout. They are read and never written. */
  readonly otherConfigDirs?: readonly string[] | undefined;
  readonly cwd: string;
}

/** Longer folder names are cut, and a hash makes them unique. */
const MAX_FOLDER_NAME = 200;

export function projectFolder({ configDir, cwd }: SessionPlace): string {
  const name = cwd.replaceAll(/[^a-zA-Z0-9]/g, '-');
  if (name.length <= MAX_FOLDER_NAME) return path.join(configDir, 'projects', name);
  const hash = createHash('sha256').update(cwd).digest('hex').slice(0, 16);
  return path.join(configDir, 'projects', `${name.slice(0, MAX_FOLDER_NAME)}-${hash}`);
}

/** The folder with the memories of a project. */
export function memoryFolder(place: SessionPlace): string {
  return path.join(projectFolder(place), 'memory');
}

export function sessionFile(place: SessionPlace, sessionId: string): string {
  return path.join(projectFolder(place), `${sessionId}.jsonl`);
}

/** The folder next to the log: the lock, the rest of a torn log, spilled files. */
export function sessionFolder(place: SessionPlace, sessionId: string): string {
  return path.join(projectFolder(place), sessionId);
}

/** The subfolder for outputs that were too large for the conversation, which contains their paths. */
export const SPILLS = 'tool-results';

/** The session of a subagent, in the folder of its parent's session. Throws if the id could lead to another folder. */
export function childFile(parentFile: string, agentId: string): string {
  if (!isSessionId(agentId)) throw new Error(`${JSON.stringify(agentId)} is not the id of a subagent.`);
  return path.join(childFolder(parentFile), `agent-${agentId}.jsonl`);
}

function childFolder(parentFile: string): string {
  return path.join(parentFile.slice(0, -path.extname(parentFile).length), 'subagents');
}

/** The record of a subagent, beside its session. */
export function childRecordFile(parentFile: string, agentId: string): string {
  return childFile(parentFile, agentId).replace(/\.jsonl$/, '.meta.json');
}

/** The subagents with a record beside this session. */
export function childIdsBeside(parentFile: string): readonly string[] {
  try {
    const ids = readdirSync(childFolder(parentFile)).flatMap(
      (name) => /^agent-(.+)\.meta\.json$/.exec(name)?.[1] ?? [],
    );
    return ids.filter(isSessionId);
  } catch {
    // No subagent was started yet.
    return [];
  }
}

/** The sessions of a folder share it, so that a fork copies nothing. */
export function blobFolder(place: SessionPlace): string {
  return path.join(projectFolder(place), 'blobs');
}

/** Old contents of files that a session changed, outside of any repository. */
export function fileHistoryFolder(configDir: string, sessionId: string): string {
  return path.join(configDir, 'file-history', sessionId);
}

/** Ids of sessions and subagents become file names, so they must not contain path separators. */
export function isSessionId(text: string): boolean {
  return /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,127}$/.test(text);
}
