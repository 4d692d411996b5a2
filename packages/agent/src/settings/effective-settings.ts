/** Selects the entries of a settings file that count, and reports the others. */
import { isJsonObject, type Json, type JsonObject } from '@heddle/core';
import { KNOWN_SETTINGS } from './known-settings.ts';
import { commonPart, joinSettings, remainder } from './merge-settings.ts';
import { stringsOf } from './validate-settings.ts';
import type { LoadedFile } from './scopes.ts';

/**
 * The entries that count in an untrusted folder: they can only forbid. It is an allow-list, so a new key is left out
 * until it is known to be harmless.
 */
const PERMISSIONS_ALWAYS: ReadonlySet<string> = new Set([
  'deny',
  'ask',
  'disableBypassPermissionsMode',
  'examples',
]);

export interface CountingFacts {
  readonly settings: JsonObject;
  readonly trusted: boolean;
  /** The entries that Heddle itself wrote into this file. */
  readonly written: JsonObject;
}

export function countingPart({ settings, trusted, written }: CountingFacts): JsonObject {
  if (trusted) return settings;
  return joinSettings(commonPart(settings, written), forbiddingPart(settings));
}

/** Returns the entries that can only forbid. */
export function forbiddingPart({ permissions }: JsonObject): JsonObject {
  if (!isJsonObject(permissions)) return {};
  const kept = Object.entries(permissions).filter(([key]) => PERMISSIONS_ALWAYS.has(key));
  return kept.length === 0 ? {} : { permissions: Object.fromEntries(kept) };
}

/** Keys that are reported when they are left out. Heddle does not use other keys. */
const REPORTED: ReadonlySet<string> = new Set([
  ...Object.keys(KNOWN_SETTINGS).map((key) => key.split('.')[0] ?? key),
  'hooks',
  'apiKeyHelper',
  'statusLine',
  'enableAllProjectMcpServers',
  'enabledMcpjsonServers',
  'extraKnownMarketplaces',
  'enabledPlugins',
]);

/** Returns one line about everything that does not count, and how to change that. Empty if all of it counts. */
export function leftOutNotes(files: readonly LoadedFile[]): string[] {
  const left = files.flatMap((loaded) => {
    const things = leftOut(loaded);
    if (things.length === 0) return [];
    const from = loaded.target === undefined ? '' : ` (a link to ${loaded.target})`;
    return [`${loaded.file ?? loaded.source}${from}: ${things.join(', ')}`];
  });
  return left.length === 0 ? [] : [untrustedNote(left)];
}

/**
 * Returns the entries of a project's file that count because of trust, whether the folder is trusted or not. Keys that Heddle does not use
 * are left out.
 */
export function trustedPart({ settings, counting, written = {}, target }: LoadedFile): JsonObject {
  // A file outside of the project needs trust in its own place, too.
  const whole = target === undefined ? settings : counting;
  const part = remainder(whole, countingPart({ settings: whole, trusted: false, written }));
  return Object.fromEntries(
    Object.entries(part).filter(([key]) => key === 'permissions' || REPORTED.has(key)),
  );
}

const UNTRUSTED = 'Left out, because the folder is not trusted: ';
const HOW_TO_TRUST = '. If you trust it: heddle permissions trust';

/** The one line about parts of a folder that do not count until it is trusted. */
export function untrustedNote(parts: readonly string[]): string {
  return `${UNTRUSTED}${parts.join('; ')}${HOW_TO_TRUST}`;
}

interface SplitNotes {
  /** Parts for one note about trust. */
  readonly untrusted: readonly string[];
  readonly others: readonly string[];
}

/** Settings, servers, skills and commands each report their parts. The user reads one line about all of them. */
export function splitUntrustedNotes(notes: readonly string[]): SplitNotes {
  const isAboutTrust = (note: string): boolean => note.startsWith(UNTRUSTED) && note.endsWith(HOW_TO_TRUST);
  return {
    untrusted: notes
      .filter(isAboutTrust)
      .map((note) => note.slice(UNTRUSTED.length, note.length - HOW_TO_TRUST.length)),
    others: notes.filter((note) => !isAboutTrust(note)),
  };
}

/** Returns the names of entries that do not count. */
function leftOut({ settings, counting }: LoadedFile): string[] {
  const { permissions, ...others } = remainder(settings, counting);
  return [
    ...(isJsonObject(permissions) ? leftOutPermissions(permissions) : []),
    ...Object.keys(others).filter((key) => REPORTED.has(key)),
  ];
}

function leftOutPermissions(permissions: JsonObject): string[] {
  const count = (list: Json | undefined, one: string, many: string): string[] => {
    const { length } = stringsOf(list);
    return length === 0 ? [] : [length === 1 ? `1 ${one}` : `${length} ${many}`];
  };
  const { allow, additionalDirectories, defaultMode } = permissions;
  return [
    ...count(allow, 'allow rule', 'allow rules'),
    ...count(additionalDirectories, 'additional directory', 'additional directories'),
    ...(typeof defaultMode === 'string' ? [`the mode ${defaultMode}`] : []),
  ];
}
