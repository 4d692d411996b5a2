/**
 * Settings files that change while a session runs. Hooks, permission rules and MCP servers apply from the next prompt or call on;
 * other settings apply at the next start. The files are looked at before each prompt and between two calls, so no watcher has to run.
 */
import type { LivePermissions } from '@heddle/agent';
import { settingsHooks } from '@heddle/agent/hooks';
import { type LoadedSettings, settingsFiles } from '@heddle/agent/settings';
import os from 'node:os';
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

type LoadedFile = LoadedSettings['files'][number];
type FileSource = ReturnType<typeof settingsFiles>[number]['source'];

/** The names of scopes as hooks know them. */
const SCOPE_NAMES: Readonly<Partial<Record<FileSource, string>>> = {
  managed: 'policy_settings',
  local: 'local_settings',
  project: 'project_settings',
  user: 'user_settings',
};

export class LiveSettings {
  readonly #setup: LiveSettingsSetup;
  /** The state of each file when it was last read. */
  #seen: ReadonlyMap<string, string>;
  #loaded: readonly LoadedFile[];
  /** The content that counts for files whose change a hook prevented. */
  readonly #kept = new Map<string, LoadedFile | undefined>();
  #directories: readonly string[];
  #files: readonly WatchedFile[];
  /** Messages that the user has read already. */
  readonly #notified = new Set<string>();

  constructor(setup: LiveSettingsSetup) {
    this.#setup = setup;
    this.#loaded = setup.loaded?.files ?? [];
    this.#directories = setup.rules.directories;
    this.#files = watchedFiles(setup.flags);
    this.#seen = statesOf(this.#files);
  }

  /** Searches for the files again: the project may have become a repository. */
  async refreshForPrompt(): Promise<void> {
    this.#files = watchedFiles(this.#setup.flags);
    this.#setup.servers?.findFiles();
    await this.refresh();
  }

  /** Applies changed files. A `ConfigChange` hook may prevent a change, except one of managed settings. Never rejects. */
  async refresh(): Promise<void> {
    const { flags, servers } = this.#setup;
    const files = this.#files;
    const states = statesOf(files);
    const changed = files.filter(({ file }) => states.get(file) !== this.#seen.get(file));
    this.#seen = states;
    const hasOtherServers = servers?.hasChanged() ?? false;
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
      if (!this.#kept.has(file))
        this.#kept.set(
          file,
          this.#loaded.find((loaded) => loaded.file === file),
        );
      this.#setup.notify(`A hook prevents the change of ${file}: ${reason}`);
    }
    if (!applies && !hasOtherServers) return;
    const setup = await permissionSetup({ ...flags, keptSettings: this.#kept });
    if (applies) this.#apply(setup);
    await servers?.apply(setup);
  }

  #apply({ rules, directories, loaded, notes }: PermissionSetup): void {
    const { rules: live, hooks, notify } = this.#setup;
    const { declared, problems, disabled, othersInactive } = settingsHooks(loaded);
    const before = this.#inEffect();
    hooks.replaceSettings(declared, othersInactive);
    live.replaceSettings(rules, { added: directories, removed: this.#directories });
    this.#directories = directories;
    this.#loaded = loaded.files;
    // An answer of the user may have written a rule that counts already.
    if (this.#inEffect() !== before)
      notify('The settings changed. Hooks and permission rules apply from now on.');
    for (const note of [...notes, ...problems, ...(disabled === undefined ? [] : [disabled])]) {
      if (!this.#notified.has(note)) notify(note);
      this.#notified.add(note);
    }
  }

  #inEffect(): string {
    const { rules, hooks } = this.#setup;
    const texts = [rules.rules.deny, rules.rules.ask, rules.rules.allow].map((list) =>
      list.map(({ text }) => text).sort(),
    );
    return JSON.stringify([texts, rules.directories, hooks.list()]);
  }
}

interface WatchedFile {
  readonly source: FileSource;
  readonly file: string;
}

function watchedFiles({ projectConfigRoot, folder }: PermissionFlags): readonly WatchedFile[] {
  const places = { cwd: folder ?? process.cwd(), home: os.homedir(), env: process.env };
  return settingsFiles({ ...places, projectRoot: projectConfigRoot });
}

function statesOf(files: readonly WatchedFile[]): ReadonlyMap<string, string> {
  return new Map(files.map(({ file }) => [file, stateOf(file)]));
}
