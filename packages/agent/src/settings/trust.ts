/** Whether the user has said that a folder's own settings may count. */
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { writeJson } from './write-file.ts';
import { configDirs, repositoryTop, type SettingsPlaces } from './scopes.ts';
import { isObject } from './shape.ts';

type Places = Pick<SettingsPlaces, 'cwd' | 'home' | 'env'>;

export function isTrusted(places: Places): boolean {
  const projects = readState(stateFile(places))['projects'];
  const project = isObject(projects) ? projects[trustKey(places.cwd)] : undefined;
  return isObject(project) && project['hasTrustDialogAccepted'] === true;
}

export function trustFolder(places: Places, trusted = true): string {
  const file = stateFile(places);
  const key = trustKey(places.cwd);
  const state = readState(file);
  const projects = isObject(state['projects']) ? state['projects'] : {};
  const project = isObject(projects[key]) ? projects[key] : {};
  writeJson(file, {
    ...state,
    projects: { ...projects, [key]: { ...project, hasTrustDialogAccepted: trusted } },
  });
  return key;
}

/** The top of the repository, or the folder itself; by its real path, so that a link cannot borrow trust. */
function trustKey(cwd: string): string {
  const folder = repositoryTop(cwd) ?? cwd;
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function stateFile({ home, env }: Places): string {
  const named = env['HEDDLE_CONFIG_DIR'] || env['CLAUDE_CONFIG_DIR'];
  const [folder = home] = named ? configDirs({ env, home }) : [home];
  return path.join(folder, '.claude.json');
}

/** A state that cannot be read trusts nobody. */
function readState(file: string): JsonObject {
  try {
    const state: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isObject(state) ? state : {};
  } catch {
    return {};
  }
}
