/**
 * Settings files that change while a session runs. Hooks, permission rules and MCP servers apply from the next prompt or call on;
 * other settings apply at the next start. The files are looked at before each prompt and between two calls, so no watcher has to run.
 * A call of the model may change files in working directories, so until the next prompt of the user they only forbid more.
 */
import type { LivePermissions } from '@heddle/agent';
import { settingsHooks } from '@heddle/agent/hooks';
import {
  holdTrust,
  type LoadedFile,
  type LoadedSettings,
  type SettingsFile,
  settingsFiles,
  stateFile,
} from '@heddle/agent/settings';
import { isJsonObject, type JsonObject } from '@heddle/core';
import os from 'node:os';
import path from 'node:path';
import { changeableFiles } from './changeable-files.ts';
import type { LiveServers } from './live-servers.ts';
import { type PermissionFlags, type PermissionSetup, permissionSetup } from '../permissions/setup.ts';
import type { SessionHooks } from './session-hooks.ts';
import { stateOf } from './watched-files.ts';

interface LiveSettingsSetup {
  readonly flags: PermissionFlags;
  /** The settings that the session started with, if any. */
  readonly loaded: LoadedSettings | undefined;
  readonly rules: LivePermissions;
  readonly hooks: SessionHooks;
  /** Undefined if the program has no servers. */
  readonly servers: LiveServers | undefined;
  readonly notify: (text: string) => void;
}

/** The names of scopes as hooks know them. */
const SCOPE_NAMES: Readonly<Partial<Record<SettingsFile['source'], string>>> = {
  managed: 'policy_settings',
  local: 'local_settings',
  project: 'project_settings',
  user: 'user_settings',
};

const HELD =
  'Settings in a working directory changed. New hooks, servers, folders and allow rules apply with your next prompt.';

export class LiveSettings {
  readonly #setup: LiveSettingsSetup;
  /** The state of each file when it was last read. */
  #seen: ReadonlyMap<string, string>;
  #loaded: readonly LoadedFile[];
  /** The content that counts for files whose change a hook prevented, and for the files of `--settings` and `--managed-settings`. */
  readonly #kept: Map<string, LoadedFile | undefined>;
  /** The content of files that the model may change, at the latest prompt of the user. Empty if no file changed since. */
  readonly #held = new Map<string, LoadedFile | undefined>();
  /** The latest content of each file that was valid in this session. */
  readonly #valid = new Map<string, LoadedFile>();
  /** The files that are not valid now, with the reason. */
  #invalid: ReadonlyMap<string, string> = new Map();
  #directories: readonly string[];
  /** The project of the session stays the same, although a command may make another one around its folder. */
  readonly #ofProject: readonly SettingsFile[];
  #files: readonly SettingsFile[];
  readonly #isChangeable: (file: string) => boolean;
  #isTrustHeld = false;
  /** Messages that the user has read already. */
  readonly #notified = new Set<string>();

  constructor(setup: LiveSettingsSetup) {
    this.#setup = setup;
    this.#loaded = setup.loaded?.files ?? [];
    this.#kept = new Map(
      this.#loaded.flatMap((loaded) => (isOfFlag(loaded, setup.flags) ? [[loaded.file ?? '', loaded]] : [])),
    );
    this.#directories = setup.rules.directories;
    this.#files = foundFiles(setup.flags);
    this.#ofProject = this.#files.filter(isOfProject);
    this.#isChangeable = changeableFiles(setup.flags.folder ?? process.cwd(), setup.rules);
    this.#seen = statesOf(this.#files);
    this.#holdTrust(true);
    if (setup.loaded) this.#takeValid(setup.loaded, invalidFiles(setup.loaded));
  }

  /** Applies changed files before a prompt. Those that the model may change apply in full if the prompt is of the user. */
  async refreshForPrompt({ isOfUser }: { readonly isOfUser: boolean }): Promise<void> {
    const found = foundFiles(this.#setup.flags).filter((file) => !isOfProject(file));
    const managed = found.filter(({ source }) => source === 'managed');
    this.#files = [...managed, ...this.#ofProject, ...found.filter((file) => !managed.includes(file))];
    this.#setup.servers?.findFiles();
    await this.#refresh(isOfUser);
  }

  /** Applies changed files during a turn. Never rejects. */
  refresh(): Promise<void> {
    return this.#refresh(false);
  }

  async #refresh(isOfUser: boolean): Promise<void> {
    const { servers } = this.#setup;
    const isReleased = isOfUser && this.#held.size > 0;
    if (isOfUser) {
      this.#held.clear();
      this.#notified.delete(HELD);
    }
    this.#holdTrust(isOfUser);
    const applies = (await this.#takeChanges()) || isReleased;
    if (applies && !isOfUser) this.#hold();
    const changes = servers?.takeChanges(isOfUser) ?? { apply: false, areHeld: false };
    if (applies || changes.apply) {
      const { setup, isHeld } = await this.#read();
      if (applies) this.#apply(setup);
      if (isHeld) this.#notifyOnce(HELD);
      await servers?.apply(setup, isOfUser);
    }
    if (changes.areHeld) this.#notifyOnce(HELD);
  }

  /** The first change of a turn is held back with all others that may follow, also of the entries that count. */
  #hold(): void {
    for (const one of this.#files)
      if (!this.#held.has(one.file) && (isOfProject(one) || this.#isChangeable(one.file)))
        this.#held.set(one.file, this.#loadedFrom(one.file));
  }

  #holdTrust(isOfUser: boolean): void {
    const places = { home: os.homedir(), env: process.env };
    if (this.#isTrustHeld ? !isOfUser : !this.#isChangeable(stateFile(places))) return;
    holdTrust(places);
    this.#isTrustHeld = true;
  }

  #loadedFrom(file: string): LoadedFile | undefined {
    return this.#loaded.find((loaded) => loaded.file === file);
  }

  /** Asks the `ConfigChange` hooks, which may prevent a change, except one of managed settings. Returns true if a file may apply. */
  async #takeChanges(): Promise<boolean> {
    const states = statesOf(this.#files);
    const changed = this.#files.filter(({ file }) => states.get(file) !== this.#seen.get(file));
    this.#seen = states;
    let applies = false;
    for (const { source, file } of changed) {
      const input = { source: SCOPE_NAMES[source] ?? source, file_path: file };
      const { block, stop } = await this.#setup.hooks.report('ConfigChange', input);
      const reason = block ?? stop;
      if (reason === undefined || source === 'managed') {
        this.#kept.delete(file);
        applies = true;
        continue;
      }
      if (!this.#kept.has(file)) this.#kept.set(file, this.#loadedFrom(file));
      this.#setup.notify(`A hook prevents the change of ${file}: ${reason}`);
    }
    return applies;
  }

  /** `isHeld`: the files that the model may change have more than may count before the next prompt. */
  async #read(): Promise<{ readonly setup: PermissionSetup; readonly isHeld: boolean }> {
    const { flags, rules } = this.#setup;
    const known = { ...flags, settingsFiles: this.#files };
    const setup = await permissionSetup({ ...known, keptSettings: this.#kept });
    const contents = this.#lastValidContents(setup.loaded);
    let isHeld = false;
    for (const [file, before] of this.#held) {
      if (this.#kept.has(file)) continue;
      const now = contents.get(file) ?? setup.loaded.files.find((loaded) => loaded.file === file);
      contents.set(file, stricterFile(before, now, rules));
      isHeld ||= hasNews(before, now, rules);
    }
    if (contents.size === 0) return { setup, isHeld };
    const keptSettings = new Map([...this.#kept, ...contents]);
    return { setup: await permissionSetup({ ...known, keptSettings }), isHeld };
  }

  /**
   * Returns the contents that count in place of files that are not valid now, and reports these. An editor may write a file in several
   * steps, and its protections must not end in between. A file that does not exist is valid.
   */
  #lastValidContents(loaded: LoadedSettings): Map<string, LoadedFile | undefined> {
    const invalid = invalidFiles(loaded);
    this.#takeValid(loaded, invalid);
    const contents = new Map<string, LoadedFile | undefined>();
    for (const [file, why] of invalid) {
      const isRead = loaded.files.some((one) => one.file === file);
      const before = isRead ? undefined : this.#loadedFrom(file);
      const content = this.#valid.get(file) ?? before;
      if (content === undefined) continue;
      contents.set(file, content);
      if (!this.#invalid.has(file))
        this.#setup.notify(
          `${file} is not valid: ${why}. Its last valid content stays in force until the file is valid again.`,
        );
    }
    this.#invalid = invalid;
    return contents;
  }

  #takeValid({ files }: LoadedSettings, invalid: ReadonlyMap<string, string>): void {
    for (const { file } of this.#files) {
      if (this.#kept.has(file) || invalid.has(file)) continue;
      const content = files.find((one) => one.file === file);
      if (content === undefined) this.#valid.delete(file);
      else this.#valid.set(file, content);
    }
  }

  #apply({ rules, directories, loaded, notes }: PermissionSetup): void {
    const { rules: live, hooks, notify } = this.#setup;
    const { declared, problems, disabled, othersInactive } = settingsHooks(loaded);
    const before = this.#inEffect();
    hooks.replaceSettings(declared, othersInactive);
    live.replaceSettings(rules, {
      added: directories,
      removed: this.#directories,
      isChangeable: this.#isChangeable,
    });
    this.#directories = directories;
    this.#loaded = loaded.files;
    // An answer of the user may have written a rule that counts already.
    if (this.#inEffect() !== before)
      notify('The settings changed. Hooks and permission rules apply from now on.');
    for (const note of [...notes, ...problems, ...(disabled === undefined ? [] : [disabled])])
      this.#notifyOnce(note);
  }

  #notifyOnce(note: string): void {
    if (!this.#notified.has(note)) this.#setup.notify(note);
    this.#notified.add(note);
  }

  #inEffect(): string {
    const { rules, hooks } = this.#setup;
    const texts = [rules.rules.deny, rules.rules.ask, rules.rules.allow].map((list) =>
      list.map(({ text }) => text).sort(),
    );
    return JSON.stringify([texts, rules.directories, hooks.list()]);
  }
}

/** Returns the files with something that cannot be read, and protects: a rule or a hook, for example. */
function invalidFiles({ files, invalid = new Map() }: LoadedSettings): ReadonlyMap<string, string> {
  const lacking = files.flatMap((one): [string, string][] => {
    const { missing } = settingsHooks({ files: [one], problems: [] });
    return one.file === undefined || missing.length === 0 ? [] : [[one.file, 'a hook cannot be read']];
  });
  return new Map([...lacking, ...invalid]);
}

function foundFiles({ projectConfigRoot, folder }: PermissionFlags): readonly SettingsFile[] {
  const places = { cwd: folder ?? process.cwd(), home: os.homedir(), env: process.env };
  return settingsFiles({ ...places, projectRoot: projectConfigRoot });
}

function isOfProject({ source }: SettingsFile): boolean {
  return source === 'project' || source === 'local';
}

function isOfFlag({ source, file }: LoadedFile, { managedSettings }: PermissionFlags): boolean {
  if (file === undefined) return false;
  return (
    source === 'command line' || (managedSettings !== undefined && file === path.resolve(managedSettings))
  );
}

function statesOf(files: readonly SettingsFile[]): ReadonlyMap<string, string> {
  return new Map(files.map(({ file }) => [file, stateOf(file)]));
}

type Live = Pick<LivePermissions, 'rules' | 'directories'>;

/**
 * Returns the earlier content of a file with the stricter rules of both contents. Allow rules count if both have them, or if an answer
 * of the user has just written them. Undefined if the file was and is missing.
 */
function stricterFile(
  before: LoadedFile | undefined,
  now: LoadedFile | undefined,
  live: Live,
): LoadedFile | undefined {
  const file = before ?? now;
  if (file === undefined) return undefined;
  const earlier = before?.counting ?? {};
  const [had, has] = [permissionsOf(before), permissionsOf(now)];
  const permissions = {
    ...had,
    deny: [...new Set([...listOf(had, 'deny'), ...listOf(has, 'deny')])],
    ask: [...new Set([...listOf(had, 'ask'), ...listOf(has, 'ask')])],
    allow: listOf(has, 'allow').filter(
      (rule) => listOf(had, 'allow').includes(rule) || isLive(rule, file, live),
    ),
  };
  const counting = { ...earlier, permissions };
  return { ...file, counting, settings: before === undefined ? counting : before.settings };
}

/** Whether the new content has something that does not count yet. */
function hasNews(before: LoadedFile | undefined, now: LoadedFile | undefined, live: Live): boolean {
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
