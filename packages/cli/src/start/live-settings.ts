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
import os from 'node:os';
import path from 'node:path';
import { changeableFiles } from './changeable-files.ts';
import type { LiveServers } from './live-servers.ts';
import { type PermissionFlags, type PermissionSetup, permissionSetup } from '../permissions/setup.ts';
import type { SessionHooks } from './session-hooks.ts';
import { hasNews, stricterFile, UNTIL_PROMPT, UNTIL_VALID, withWrittenGrants } from './stricter-file.ts';
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
    const contents = this.#contentsUntilValid(setup.loaded);
    let isHeld = false;
    for (const [file, before] of this.#held) {
      if (this.#kept.has(file)) continue;
      const now = contents.get(file) ?? setup.loaded.files.find((loaded) => loaded.file === file);
      contents.set(file, stricterFile(before, now, rules, UNTIL_PROMPT));
      isHeld ||= hasNews(before, now, rules);
    }
    if (contents.size === 0) return { setup, isHeld };
    const keptSettings = new Map([...this.#kept, ...contents]);
    return { setup: await permissionSetup({ ...known, keptSettings }), isHeld };
  }

  /**
   * Returns the contents that count in place of files that are not valid now, and reports these. An editor may write a file in several
   * steps, and its protections must not end in between: of a file that can be read in part, the stricter rules of both contents count,
   * of others the last valid content. A file that does not exist is valid.
   */
  #contentsUntilValid(loaded: LoadedSettings): Map<string, LoadedFile | undefined> {
    const invalid = invalidFiles(loaded);
    this.#takeValid(loaded, invalid);
    const contents = new Map<string, LoadedFile | undefined>();
    for (const [file, why] of invalid) {
      const now = loaded.files.find((one) => one.file === file);
      const before = this.#valid.get(file) ?? (now === undefined ? this.#loadedFrom(file) : undefined);
      if (before === undefined) continue;
      const { rules, notify } = this.#setup;
      const counts = now && stricterFile(before, withWrittenGrants(now), rules, UNTIL_VALID);
      contents.set(file, counts ?? before);
      const what = counts
        ? 'The stricter rules of its last valid and its new content count, and the hooks of both,'
        : 'Its last valid content stays in force';
      if (!this.#invalid.has(file))
        notify(`${file} is not valid: ${why}. ${what} until the file is valid again.`);
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
