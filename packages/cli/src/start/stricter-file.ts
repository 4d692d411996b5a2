/** Combines the earlier and the new content of a settings file to the stricter parts of both, while the new one may not count in full. */
import type { LivePermissions } from '@heddle/agent';
import { readHooks } from '@heddle/agent/hooks';
import { type LoadedFile, parseRule, parseSettings, raisesMode } from '@heddle/agent/settings';
import { isJsonObject, type Json, type JsonObject } from '@heddle/core';
import path from 'node:path';

type Live = Pick<LivePermissions, 'rules' | 'directories'>;

interface Combination {
  /** `earlier`: new hooks wait. `both`: they count beside the earlier ones. */
  readonly hooks: 'earlier' | 'both';
  /** `earlier`: folders stay, because files in them wait like this one. `common`: those of both contents count. */
  readonly folders: 'earlier' | 'common';
}

/** For files that the model may change. */
export const UNTIL_PROMPT: Combination = { hooks: 'earlier', folders: 'earlier' };

/** For files with a part that cannot be read. */
export const UNTIL_VALID: Combination = { hooks: 'both', folders: 'common' };

/**
 * Returns the earlier content of a file with the stricter rules of both contents. Allow rules count if both have them, or if an answer
 * of the user has just written them. Undefined if the file was and is missing.
 */
export function stricterFile(
  before: LoadedFile | undefined,
  now: LoadedFile | undefined,
  live: Live,
  { hooks, folders }: Combination,
): LoadedFile | undefined {
  const file = before ?? now;
  if (file === undefined) return undefined;
  const [had, has] = [permissionsOf(before), permissionsOf(now)];
  const { defaultMode, ...others } = had;
  const isModeKept = !raisesMode(defaultMode) || has['defaultMode'] === defaultMode;
  const isBypassDisabled = [had, has].some((one) => one['disableBypassPermissionsMode'] === 'disable');
  const permissions: JsonObject = {
    ...others,
    ...(defaultMode !== undefined && isModeKept ? { defaultMode } : {}),
    ...(isBypassDisabled ? { disableBypassPermissionsMode: 'disable' } : {}),
    deny: withNewRules(had, has, 'deny'),
    ask: withNewRules(had, has, 'ask'),
    allow: listOf(has, 'allow').filter(
      (rule) => listOf(had, 'allow').includes(rule) || isLive(rule, file, live),
    ),
    additionalDirectories: listOf(had, 'additionalDirectories').filter(
      (folder) => folders === 'earlier' || listOf(has, 'additionalDirectories').includes(folder),
    ),
  };
  const combine = (earlier: JsonObject = {}, later: JsonObject = {}): JsonObject =>
    hooks === 'earlier' ? earlier : withNewHooks(earlier, later);
  const counting = { ...combine(before?.counting, now?.counting), permissions };
  return {
    ...file,
    counting,
    settings: before === undefined ? counting : combine(before.settings, now?.settings),
  };
}

/** Whether the new content has something that does not count yet. */
export function hasNews(before: LoadedFile | undefined, now: LoadedFile | undefined, live: Live): boolean {
  const [had, has] = [permissionsOf(before), permissionsOf(now)];
  const isNewRule = listOf(has, 'allow').some(
    (rule) => !listOf(had, 'allow').includes(rule) && (now === undefined || !isLive(rule, now, live)),
  );
  const isNewFolder = listOf(has, 'additionalDirectories').some(
    (folder) =>
      !listOf(had, 'additionalDirectories').includes(folder) &&
      !live.directories.includes(path.resolve(now?.base ?? '', folder)),
  );
  return isNewRule || isNewFolder || othersOf(before) !== othersOf(now);
}

const GRANTS = ['allow', 'additionalDirectories', 'defaultMode'] as const;

/** Returns a file with what its text grants. Beside a protection that cannot be read, this does not count otherwise. */
export function withWrittenGrants(loaded: LoadedFile): LoadedFile {
  const parsed = parseSettings(loaded.text ?? '');
  const written = parsed.ok ? parsed.settings['permissions'] : undefined;
  if (!isJsonObject(written)) return loaded;
  const permissions = { ...permissionsOf(loaded) };
  for (const key of GRANTS) {
    const value = written[key];
    if (value !== undefined) permissions[key] = value;
  }
  return { ...loaded, counting: { ...loaded.counting, permissions } };
}

/** A new rule that cannot be read was reported when the file was read. */
function withNewRules(had: JsonObject, has: JsonObject, list: 'deny' | 'ask'): string[] {
  const earlier = listOf(had, list);
  const readable = listOf(has, list).filter((text) => parseRule(text, list).ok);
  return [...new Set([...earlier, ...readable])];
}

function withNewHooks(earlier: JsonObject, later: JsonObject): JsonObject {
  const [had, has] = [earlier['hooks'], later['hooks']].map((hooks) => (isJsonObject(hooks) ? hooks : {}));
  const hooks = { ...had };
  for (const [event, groups] of Object.entries(has ?? {})) {
    const known = new Set(handlersOf(had?.[event]).map((group) => JSON.stringify(group)));
    const added = handlersOf(groups).filter(
      (group) =>
        !known.has(JSON.stringify(group)) && readHooks({ [event]: [group] }, { source: '' }).hooks.length > 0,
    );
    if (added.length > 0) hooks[event] = [...arrayOf(had?.[event]), ...added];
  }
  return Object.keys(hooks).length === 0 ? earlier : { ...earlier, hooks };
}

/** Returns each handler in a group of its own. */
function handlersOf(groups: Json | undefined): JsonObject[] {
  const found: JsonObject[] = [];
  for (const group of arrayOf(groups))
    if (isJsonObject(group))
      for (const handler of arrayOf(group['hooks'])) found.push({ ...group, hooks: [handler] });
  return found;
}

function arrayOf(value: Json | undefined): readonly Json[] {
  return typeof value === 'object' && value !== null && !isJsonObject(value) ? value : [];
}

function isLive(rule: string, { source }: LoadedFile, { rules }: Live): boolean {
  return rules.allow.some((one) => one.source === source && one.text === rule);
}

function othersOf(file: LoadedFile | undefined): string {
  const { permissions: _permissions, ...others } = file?.counting ?? {};
  return JSON.stringify(others);
}

function permissionsOf(file: LoadedFile | undefined): JsonObject {
  const permissions = file?.counting['permissions'];
  return isJsonObject(permissions) ? permissions : {};
}

/** The texts of a list. Other values were reported when the file was read. */
function listOf(permissions: JsonObject, key: string): readonly string[] {
  const list: unknown = permissions[key];
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
}
