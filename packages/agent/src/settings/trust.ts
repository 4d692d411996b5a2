/** Whether the user has said that a folder's own settings may count. */
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { writeJson } from './write-file.ts';
import { configDirs, repositoryTop, type SettingsPlaces } from './scopes.ts';
import { isObject } from './shape.ts';

type Places = Pick<SettingsPlaces, 'cwd' | 'home' | 'env'>;

export type Trusted =
  | { readonly ok: true; readonly folder: string }
  | { readonly ok: false; readonly message: string };

/** A state that cannot be read trusts nobody. */
export function isTrusted(places: Places): boolean {
  const state = readState(stateFile(places));
  const projects = state?.['projects'];
  const project = isObject(projects) ? projects[trustKey(places.cwd)] : undefined;
  return isObject(project) && project['hasTrustDialogAccepted'] === true;
}

export function trustFolder(places: Places, trusted = true): Trusted {
  const file = stateFile(places);
  const key = trustKey(places.cwd);
  const state = readState(file);
  // Other programs keep what they know there: it must not be overwritten with less.
  if (!state) return { ok: false, message: `${file} cannot be changed: it cannot be read` };
  const projects = isObject(state['projects']) ? state['projects'] : {};
  const project = isObject(projects[key]) ? projects[key] : {};
  try {
    writeJson(file, {
      ...state,
      projects: { ...projects, [key]: { ...project, hasTrustDialogAccepted: trusted } },
    });
    return { ok: true, folder: key };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { ok: false, message: `${file} cannot be changed: ${why}` };
  }
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

/** Empty where there is no file; undefined where there is one that cannot be read. */
function readState(file: string): JsonObject | undefined {
  try {
    const state: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
    return isObject(state) ? state : undefined;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT' ? {} : undefined;
  }
}
