/**
 * The entries of local settings that Heddle wrote itself, after an answer or a command of the user. They are recorded in the
 * user's own folder by the real path of the settings file. Such an entry counts in a folder that is not trusted; anything
 * else in the same file, added by hand or by another program, needs trust.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isJsonObject, type JsonObject } from '@heddle/core';
import { commonPart, joinSettings } from './parts.ts';
import { configDirs, type SettingsPlaces } from './scopes.ts';
import { validateSettings } from './shape.ts';
import { realPath } from './trust.ts';
import { writeJson } from './write-file.ts';

type Places = Pick<SettingsPlaces, 'home' | 'env'>;

/** What Heddle wrote into this file. A record that cannot be read is empty. */
export function writtenIn(file: string, places: Places): JsonObject {
  const files = recordedFiles(places);
  const key = realPath(file);
  const written = Object.hasOwn(files, key) ? files[key] : undefined;
  return isJsonObject(written) ? written : {};
}

/** `wrote`: the entries of one change that has been written. Throws where the record cannot be written. */
export function recordWritten(file: string, wrote: JsonObject, places: Places): void {
  const key = realPath(file);
  const checked = validateSettings(readFileSync(key, 'utf8'));
  const settings = checked.ok ? checked.settings : {};
  const written = commonPart(settings, joinSettings(writtenIn(file, places), wrote));
  writeJson(recordFile(places), { files: { ...recordedFiles(places), [key]: written } });
}

function recordedFiles(places: Places): JsonObject {
  try {
    const record: unknown = JSON.parse(readFileSync(recordFile(places), 'utf8'));
    return isJsonObject(record) && isJsonObject(record['files']) ? record['files'] : {};
  } catch {
    return {};
  }
}

function recordFile(places: Places): string {
  const [folder = places.home] = configDirs(places);
  return path.join(folder, 'written-settings.json');
}
