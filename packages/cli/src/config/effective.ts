/** The merged settings in effect here, with the source of each value. Secret values are hidden. */
import { existsSync } from 'node:fs';
import os from 'node:os';
import {
  KNOWN_SETTINGS,
  type LoadedFile,
  loadSettings,
  mergeSettings,
  settingsFiles,
  valueAt,
} from '@heddle/agent/settings';
import { isJsonObject, type Json, type JsonObject } from '@heddle/core';

interface Entry {
  readonly key: string;
  readonly value: Json;
  /** The scopes that set a part of the value, the highest first. */
  readonly from: string;
  readonly honored: boolean;
}

export interface Effective {
  readonly merged: JsonObject;
  readonly entries: readonly Entry[];
  readonly places: readonly { readonly source: string; readonly file: string; readonly exists: boolean }[];
}

export function effectiveSettings(
  cwd: string = process.cwd(),
  env: Readonly<Record<string, string | undefined>> = process.env,
): Effective {
  const where = { cwd, env, home: os.homedir() };
  const { files } = loadSettings(where);
  const merged = mergeSettings(files);
  return {
    merged,
    entries: leaves(merged, []).map(({ path, value }) => ({
      key: path.join('.'),
      value: hidden(path, value),
      from: sourcesOf(files, path).join(', '),
      honored: isHonored(path),
    })),
    places: settingsFiles(where)
      .filter(({ file, isAbove }) => !isAbove || existsSync(file))
      .map(({ source, file }) => ({ source, file, exists: existsSync(file) })),
  };
}

function leaves(
  value: Json | undefined,
  path: readonly string[],
): { path: readonly string[]; value: Json }[] {
  if (value === undefined || path.join('.') === '$schema') return [];
  if (!isJsonObject(value) || path.join('.') === 'permissions.examples') return [{ path, value }];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]));
}

/** Hides the values of environment variables, because they often contain API keys. */
function hidden([first]: readonly string[], value: Json): Json {
  return first === 'env' ? '(set)' : value;
}

function sourcesOf(files: readonly LoadedFile[], path: readonly string[]): string[] {
  const sources = files
    .filter((loaded) => valueAt(mergeSettings([loaded]), path) !== undefined)
    .map(({ source }) => source);
  return [...new Set(sources)];
}

function isHonored(path: readonly string[]): boolean {
  return path.some((_, at) => Object.hasOwn(KNOWN_SETTINGS, path.slice(0, at + 1).join('.')));
}
