/** Creates the sandbox of one session. */
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { LivePermissions } from '../permission/live-permissions.ts';
import { bareWorld } from '../permission/world.ts';
import type { SandboxSettings } from '../settings/sandbox-settings.ts';
import { createSandboxPolicyGate, type SandboxGate } from './gate.ts';
import { hostQuestions } from './hosts.ts';
import type { PolicySources } from './policy/ground.ts';
import type { Sandbox } from './sandbox.ts';
import type { AskPermission } from '../permission/question.ts';

export interface SandboxOptions {
  readonly settings: SandboxSettings;
  readonly live: LivePermissions;
  /** The project folder. */
  readonly root: string;
  readonly directories?: readonly string[];
  readonly home: string;
  readonly configDirs: readonly string[];
  /** Further files that configure the session. */
  readonly configFiles?: (() => readonly string[]) | undefined;
  /** The environment of commands in its current state. */
  readonly environment: () => PolicySources['environment'];
  /** The folder of the agent's own files. */
  readonly stateDir: string;
  /** Undefined if there is no user to ask. */
  readonly ask: AskPermission | undefined;
  readonly notify: (text: string) => void;
  /** Replaces the built-in sandbox. */
  readonly sandbox?: Sandbox;
}

export function createSandboxGate(options: SandboxOptions): SandboxGate {
  const {
    settings,
    live,
    root,
    directories = [],
    home,
    configDirs,
    configFiles,
    environment,
    stateDir,
    ask,
    notify,
  } = options;
  const over = new AbortController();
  let folder: string | undefined;
  let inside = 0;
  const temp = (): string => {
    folder ??= mkdtempSync(path.join(realpathSync.native(os.tmpdir()), 'heddle-sandbox-'));
    return folder;
  };
  const hosts = ask && hostQuestions(ask, live, over.signal);

  const policyFor = async (directory: string, variables = environment()) => {
    const [{ collectPolicyInput }, { computePolicy }] = await Promise.all([
      import('./policy/ground.ts'),
      import('./policy/policy.ts'),
    ]);
    const files = configFiles?.() ?? [];
    const takenAway = files.filter(isAbsentModule);
    const kept = files.filter((file) => !takenAway.includes(file));
    const own = [...new Set([...configDirs, ...kept, stateDir])];
    const places = { root, directories, home, configDirs: own, temp: temp() };
    const grounds = { ...places, environment: variables, live, settings };
    return { ...computePolicy(collectPolicyInput(grounds, directory)), takenAway };
  };

  const gate = createSandboxPolicyGate({
    settings,
    sandbox:
      options.sandbox ??
      lazily(async () => {
        const { createRuntimeSandbox } = await import('./runtime/runtime.ts');
        const notes = path.join(stateDir, 'sandbox');
        return createRuntimeSandbox({
          settings,
          policy: () => policyFor(root),
          askForHost: hosts?.ask,
          notes,
        });
      }),
    ask,
    notify,
    isExcluded: async (command) => {
      const { isExcluded } = await import('./excluded.ts');
      return isExcluded(command, settings.excludedCommands, bareWorld(root, home));
    },
    confining: {
      temp,
      quarantine: path.join(stateDir, 'quarantine'),
      policyFor,
      begins: () => void inside++,
      ends() {
        inside--;
        if (inside === 0) hosts?.settle();
      },
    },
  });
  return {
    ...gate,
    async dispose() {
      over.abort();
      await gate.dispose();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns whether the file may be a module of Python that a configured command names, and is elsewhere: `python3 -m json.tool`. An
 * empty placeholder would take the place of that module in the command.
 */
function isAbsentModule(file: string): boolean {
  return /^[^.]+(\.py)?$/.test(path.basename(file)) && !existsSync(file);
}

/** Loads the sandbox with the first command. */
function lazily(load: () => Promise<Sandbox>): Sandbox {
  let loaded: Promise<Sandbox> | undefined;
  const sandbox = (): Promise<Sandbox> => (loaded ??= load());
  return {
    prepare: async () => (await sandbox()).prepare(),
    wrap: async (command) => (await sandbox()).wrap(command),
    dispose: async () => (await loaded)?.dispose(),
  };
}
