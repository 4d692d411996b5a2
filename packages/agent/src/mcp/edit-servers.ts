/** Adds servers to the files that contain them, and removes them. Other content of a file stays as it is. */
import { errorCode, errorMessage, isJsonObject, type Json, type JsonObject } from '@heddle/core';
import path from 'node:path';
import type { SettingsPlaces } from '../settings/scopes.ts';
import { foreignTarget, stateFile, trustKey } from '../settings/trust.ts';
import { readRegularFile, writeJson } from '../settings/json-file.ts';
import { projectFile } from './configured-servers.ts';

/** `local`: the user's, in this project. `project`: everyone's, in `.mcp.json`. `user`: the user's, in every project. */
export type EditableScope = 'local' | 'project' | 'user';

export type ServerEdit =
  | { readonly ok: true; readonly file: string; readonly changed: boolean }
  | { readonly ok: false; readonly message: string };

export function addServer(
  scope: EditableScope,
  name: string,
  entry: JsonObject,
  places: SettingsPlaces,
): ServerEdit {
  return edit(scope, places, (servers) => ({ ...servers, [name]: entry }));
}

export function removeServer(scope: EditableScope, name: string, places: SettingsPlaces): ServerEdit {
  return edit(scope, places, (servers) => {
    if (!Object.hasOwn(servers, name)) return servers;
    const { [name]: _, ...others } = servers;
    return others;
  });
}

function edit(
  scope: EditableScope,
  places: SettingsPlaces,
  change: (servers: JsonObject) => JsonObject,
): ServerEdit {
  const file = scope === 'project' ? projectFile(places.cwd) : stateFile(places);
  const elsewhere = scope === 'project' ? foreignTarget(file, path.dirname(file), places) : undefined;
  if (elsewhere !== undefined)
    return {
      ok: false,
      message: `${file} cannot be changed: it is a link to ${elsewhere}, and the folder is not trusted`,
    };
  const keys = scope === 'local' ? ['projects', trustKey(places), 'mcpServers'] : ['mcpServers'];
  try {
    const content = readObject(file);
    const servers = valueAt(content, keys);
    const changed = change(servers);
    if (changed === servers) return { ok: true, file, changed: false };
    writeJson(file, withValue(content, keys, changed));
    return { ok: true, file, changed: true };
  } catch (thrown) {
    return { ok: false, message: `${file} cannot be changed: ${errorMessage(thrown)}` };
  }
}

/** Throws for an unreadable file: writing it would lose its content. */
function readObject(file: string): JsonObject {
  try {
    const content: unknown = JSON.parse(readRegularFile(file).replace(/^\uFEFF/, ''));
    if (!isJsonObject(content)) throw new Error('it is not a JSON object');
    return content;
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return {};
    throw thrown;
  }
}

function valueAt(content: JsonObject, keys: readonly string[]): JsonObject {
  let place: JsonObject = content;
  for (const key of keys) {
    const inner: Json | undefined = Object.hasOwn(place, key) ? place[key] : undefined;
    place = isJsonObject(inner) ? inner : {};
  }
  return place;
}

function withValue(
  content: JsonObject,
  [key = '', ...rest]: readonly string[],
  value: JsonObject,
): JsonObject {
  const inner = Object.hasOwn(content, key) ? content[key] : undefined;
  return {
    ...content,
    [key]: rest.length === 0 ? value : withValue(isJsonObject(inner) ? inner : {}, rest, value),
  };
}
