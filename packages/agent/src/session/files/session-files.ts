/** Lists session files and the files next to them. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { LineFile } from './lines.ts';
import { isSessionId, projectFolder, type SessionPlace } from './paths.ts';

export interface SessionFile {
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

const ENDING = '.jsonl';

/** Returns the session files of one folder that have a line. Files of other tools for subagents are not sessions. */
export function sessionFilesIn(folder: string): SessionFile[] {
  return namesIn(folder).flatMap((name) => {
    const id = name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : '';
    return isSessionId(id) && !id.startsWith('agent-') ? statOf(`${folder}${path.sep}${name}`, id) : [];
  });
}

/** Returns the sessions of a folder, or of all folders, including those of other tools that were not continued here. */
export function sessionFilesOf({
  cwd,
  ...place
}: Omit<SessionPlace, 'cwd'> & { readonly cwd?: string | undefined }): SessionFile[] {
  const filesIn = (configDir: string): SessionFile[] =>
    cwd === undefined ? allSessionFiles(configDir) : sessionFilesIn(projectFolder({ configDir, cwd }));
  const own = filesIn(place.configDir);
  const ids = new Set(own.map(({ id }) => id));
  const others = (place.otherConfigDirs ?? []).flatMap(filesIn);
  return [...own, ...others.filter(({ id }) => !ids.has(id))];
}

function allSessionFiles(configDir: string): SessionFile[] {
  const projects = path.join(configDir, 'projects');
  return namesIn(projects).flatMap((name) => sessionFilesIn(path.join(projects, name)));
}

/** The folder next to a session's file: the lock, torn lines, spilled outputs, tasks, collapses. */
export function folderBeside(file: string): string {
  return file.slice(0, -ENDING.length);
}

export function blobsBeside(file: string): string {
  return path.join(path.dirname(file), 'blobs');
}

export function idOf(file: string): string {
  return path.basename(file, ENDING);
}

/** The lines before the first prompt are shorter than this. */
const HEAD_BYTES = 1024 * 1024;
const FIRST_PROMPT = /^\{(?:"parentUuid":[^{]*?)?"type":"user"[^]*?"message":/m;

/**
 * Returns whether the user began the session in this folder. The line of the first prompt contains it before the text.
 * - Sessions of a subagent or of a member of a team do not count. In a fork, that line has the id of another session.
 * - Two folders can have the same folder of sessions: `/a/b-c` and `/a/b/c`. A session of the other one does not count.
 */
export function isOwnSession(session: SessionFile, cwd: string): boolean {
  const origin = originOf(session);
  const isMember = origin.includes('"teamName":"') && origin.includes(`"sessionId":"${session.id}"`);
  return !isMember && !isOtherOrigin(origin, cwd) && !origin.includes('"isSidechain":true');
}

/** Returns whether a session began in another folder that has the same folder of sessions. */
export function isOfOtherFolder(session: SessionFile, cwd: string): boolean {
  return isOtherOrigin(originOf(session), cwd);
}

/** The line of the first prompt, up to its text. */
function originOf({ path: file }: SessionFile): string {
  const lines = new LineFile(file);
  try {
    const head = lines.read(0, Math.min(lines.size, HEAD_BYTES)).toString('utf8');
    return FIRST_PROMPT.exec(head)?.[0] ?? '';
  } finally {
    lines.close();
  }
}

function isOtherOrigin(origin: string, cwd: string): boolean {
  const folder = /"cwd":("(?:[^"\\]|\\.)*")/.exec(origin)?.[1];
  return folder !== undefined && isOtherWithSameName(textIn(folder), cwd);
}

/** Undefined for a text with an escape that JSON does not have. */
function textIn(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Whether the names of two different folders become the same name of a folder of sessions. */
export function isOtherWithSameName(folder: unknown, cwd: string): boolean {
  if (typeof folder !== 'string' || folder === cwd) return false;
  return projectFolder({ configDir: '', cwd: folder }) === projectFolder({ configDir: '', cwd });
}

function statOf(file: string, id: string): SessionFile[] {
  const about = statSync(file, { throwIfNoEntry: false });
  // A file without a line is from a run that never began.
  if (!about?.isFile() || about.size === 0) return [];
  return [{ id, path: file, size: about.size, mtimeMs: about.mtimeMs }];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
