/**
 * Decides whether the user trusts a folder, so that its settings count.
 *
 * - Folders are compared by their real path: a link cannot use the trust of another folder.
 * - A trusted folder covers its subfolders, also repositories and submodules inside it.
 * - The home folder, and every folder above it, covers only itself, because it contains downloads and clones.
 * - There is no implicit trust. A folder that is not a repository is trusted in the same way.
 */
import { errorCode, errorMessage, isJsonObject, type JsonObject, omitUndefined } from '@heddle/core';
import { existsSync, realpathSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { commonPart, joinSettings } from './merge-settings.ts';
import { configDirs, acceptedRepositoryTop, type SettingsPlaces } from './scopes.ts';
import { parseSettings } from './validate-settings.ts';
import { linkTarget, readFileOrPipe, readRegularFile, writeJson } from './json-file.ts';

type Places = Pick<SettingsPlaces, 'cwd' | 'home' | 'env'>;

type Trusted =
  | {
      readonly ok: true;
      readonly folder: string;
      /** A trusted parent folder that still covers it. */
      readonly coveredBy?: string;
    }
  | { readonly ok: false; readonly message: string };

/** Returns a test for any folder. The state is read with the first call. An unreadable state trusts no folder. */
export function trustIn(places: Omit<Places, 'cwd'>): (folder: string) => boolean {
  let projects: JsonObject | undefined;
  return (folder) => {
    projects ??= projectsIn(readState(stateFile(places)));
    const real = realPath(folder);
    return [projects, heldTrust.get(stateFile(places)) ?? projects].every(
      (each) => trustedAbove(real, each, places.home) !== undefined,
    );
  };
}

/** By state file: the projects whose trust counts, although the file may have more. */
const heldTrust = new Map<string, JsonObject>();

/**
 * Until the next call, a folder counts as trusted in this process only if it is trusted now. The model may change the state file, if it is
 * in a working directory.
 */
export function holdTrust(places: Omit<Places, 'cwd'>): void {
  const file = stateFile(places);
  heldTrust.set(file, projectsIn(readState(file)));
}

export function isTrusted({ cwd, ...places }: Places): boolean {
  return trustIn(places)(cwd);
}

export function trustFolder(places: Places, trusted = true): Trusted {
  const file = stateFile(places);
  const key = trustKey(places);
  const state = readState(file);
  // Other programs store data there, which must not be lost.
  if (!state) return { ok: false, message: `${file} cannot be changed: it cannot be read` };
  const projects = projectsIn(state);
  const project = isJsonObject(projects[key]) ? projects[key] : {};
  const changed = { ...projects, [key]: { ...project, hasTrustDialogAccepted: trusted } };
  try {
    writeJson(file, { ...state, projects: changed });
  } catch (thrown) {
    const why = errorMessage(thrown);
    return { ok: false, message: `${file} cannot be changed: ${why}` };
  }
  const coveredBy = trusted ? undefined : trustedAbove(key, changed, places.home);
  return { ok: true, folder: key, ...omitUndefined({ coveredBy }) };
}

/** Returns the trusted folder that covers this one, possibly the folder itself. */
function trustedAbove(real: string, projects: JsonObject, home: string): string | undefined {
  const isHome = isAtOrAbove(realPath(home));
  for (let folder = real; ; folder = path.dirname(folder)) {
    const project = Object.hasOwn(projects, folder) ? projects[folder] : undefined;
    const isAccepted = isJsonObject(project) && project['hasTrustDialogAccepted'] === true;
    if (isAccepted && (folder === real || !isHome(folder))) return folder;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/**
 * Returns the top of the repository. Returns the folder itself if there is none, or if the top is the home folder or
 * above it.
 */
export function trustKey({ cwd, home }: Places): string {
  const folder = realPath(cwd);
  const top = acceptedRepositoryTop(folder);
  return top === undefined || isAtOrAbove(realPath(home))(top) ? folder : top;
}

/**
 * Returns the top of the repository as the extent of a project: its files may name others in it. Undefined if there is none, or if it
 * is the home folder or above it, which also contains private files and downloads.
 */
export function projectTop(cwd: string, home = os.homedir()): string | undefined {
  const top = acceptedRepositoryTop(cwd);
  return top === undefined || isAtOrAbove(realPath(home))(realPath(top)) ? undefined : top;
}

function isAtOrAbove(home: string): (folder: string) => boolean {
  return (folder) => path.relative(folder, home).split(path.sep)[0] !== '..';
}

/** Resolves links, and uses the spelling of the disk. A path that does not exist does not change. */
export function realPath(file: string): string {
  // Errors are slow to create, and most of these files are absent.
  if (!existsSync(file)) return path.resolve(file);
  try {
    return realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
}

/** Whether a file is inside of a folder, after the links of both. */
export function isReallyWithin(file: string, folder: string): boolean {
  return isWithin(realPath(file), realPath(folder));
}

/** Compares two absolute paths as they are written. */
export function isWithin(file: string, folder: string): boolean {
  const between = path.relative(folder, file);
  return !path.isAbsolute(between) && between.split(path.sep)[0] !== '..';
}

/**
 * Returns the target if a link in a project leads to a file outside of it, which Heddle must not change. Undefined if the file is in the
 * project, or if the project is trusted.
 */
export function foreignTarget(
  file: string,
  project: string,
  places: Omit<Places, 'cwd'>,
): string | undefined {
  const root = realPath(project);
  const target = linkTarget(file);
  return isWithin(target, root) || trustIn(places)(root) ? undefined : target;
}

function projectsIn(state: JsonObject | undefined): JsonObject {
  const projects = state?.['projects'];
  return isJsonObject(projects) ? projects : {};
}

/** The file with the state of projects and servers, which other programs share. */
export function stateFile({ home, env }: Omit<Places, 'cwd'>): string {
  const named = env['HEDDLE_CONFIG_DIR'] || env['CLAUDE_CONFIG_DIR'];
  const [folder = home] = named ? configDirs({ env, home }) : [home];
  return path.join(folder, '.claude.json');
}

/** Returns an empty object for a missing file, and undefined for an unreadable one. */
export function readState(file: string): JsonObject | undefined {
  try {
    // An exception for a missing file would delay every start of a new user.
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return {};
    const state: unknown = JSON.parse(readFileOrPipe(file).replace(/^\uFEFF/, ''));
    return isJsonObject(state) ? state : undefined;
  } catch (thrown) {
    return errorCode(thrown) === 'ENOENT' ? {} : undefined;
  }
}

/*
 * The entries of local settings that Heddle wrote itself, after an answer or a command of the user, are recorded in the
 * user's own folder. The key is the path of the settings file in its project, and the path of the project has no links. Such an entry
 * counts in a folder that is not trusted. Any other entry of the same file needs trust.
 */

type RecordPlaces = Pick<SettingsPlaces, 'home' | 'env'>;

/**
 * Returns the key of a settings file in the record. Undefined if the file, or its folder in the project, is a link: what Heddle wrote
 * for one project must not count in another one that has a link to it.
 */
function recordKey(file: string): string | undefined {
  const folder = path.dirname(path.resolve(file));
  const key = path.join(realPath(path.dirname(folder)), path.basename(folder), path.basename(file));
  return realPath(file) === key ? key : undefined;
}

/** Returns the entries that Heddle wrote into this file. An unreadable record is empty. */
export function writtenIn(file: string, places: RecordPlaces): JsonObject {
  const key = recordKey(file);
  const files = key === undefined ? {} : recordedFiles(places);
  const written = key !== undefined && Object.hasOwn(files, key) ? files[key] : undefined;
  return isJsonObject(written) ? written : {};
}

/**
 * `wrote` contains the entries of one completed change. Returns false if entries of this file are not recorded. Throws if the record
 * cannot be written.
 */
export function recordWritten(file: string, wrote: JsonObject, places: RecordPlaces): boolean {
  const key = recordKey(file);
  if (key === undefined) return false;
  const checked = parseSettings(readRegularFile(key));
  const settings = checked.ok ? checked.settings : {};
  const written = commonPart(settings, joinSettings(writtenIn(file, places), wrote));
  writeJson(recordFile(places), { files: { ...recordedFiles(places), [key]: written } });
  return true;
}

function recordedFiles(places: RecordPlaces): JsonObject {
  try {
    const record: unknown = JSON.parse(readRegularFile(recordFile(places)));
    return isJsonObject(record) && isJsonObject(record['files']) ? record['files'] : {};
  } catch {
    return {};
  }
}

function recordFile(places: RecordPlaces): string {
  const [folder = places.home] = configDirs(places);
  return path.join(folder, 'written-settings.json');
}
