/** Opens the sandbox and the read-only view that the settings ask for. Their code is loaded when it is needed. */
import type { AskPermission } from '@heddle/agent';
import type { ReadOnlyView, SandboxGate } from '@heddle/agent/sandbox';
import type { SandboxSettings } from '@heddle/agent/settings';
import os from 'node:os';
import { configDir } from '../config-dir.ts';
import { commandEnvironment } from '../keys.ts';
import type { AgentSetup } from './agent-options.ts';

/** The read-only view, or undefined if the settings switch it off. Its code is loaded with the first command. */
export function openView(settings: SandboxSettings | undefined): ReadOnlyView | undefined {
  if (settings?.readOnlyView === 'off') return undefined;
  let loading: Promise<ReadOnlyView> | undefined;
  let loaded: ReadOnlyView | undefined;
  const load = (): Promise<ReadOnlyView> =>
    (loading ??= import('@heddle/agent/sandbox').then(
      ({ createReadOnlyView }) => (loaded = createReadOnlyView()),
    ));
  return {
    readiness: async () => (await load()).readiness(),
    confine: async (command) => (await load()).confine(command),
    hasFailed: (command) => loaded?.hasFailed(command) ?? false,
  };
}

/** The reason why the read-only view cannot be used here, in the same words on every surface. Undefined if it can. */
export async function missingView(): Promise<string | undefined> {
  const { createReadOnlyView } = await import('@heddle/agent/sandbox');
  const readiness = await createReadOnlyView().readiness();
  if (readiness.ready) return undefined;
  return `${readiness.reason} Commands that are proven to only read, and permitted edits by commands, run without a second safeguard.`;
}

/** The limits of the commands that the model runs. */
export interface SessionConfinement {
  readonly sandbox: SandboxGate | undefined;
  readonly view: ReadOnlyView | undefined;
}

type OpenedSandbox =
  | { readonly ok: true; readonly sandbox: SandboxGate | undefined }
  | { readonly ok: false; readonly message: string };

/** The sandbox starts with the first command. Only `failIfUnavailable` waits here for the check that it can start. */
export async function openSandbox(
  settings: SandboxSettings | undefined,
  {
    cwd,
    rules,
    configDirs = [],
    configFiles,
  }: Pick<AgentSetup, 'cwd' | 'rules' | 'configDirs' | 'configFiles'>,
  { ask, notify }: { readonly ask: AskPermission | undefined; readonly notify: (text: string) => void },
): Promise<OpenedSandbox> {
  if (!settings?.enabled) return { ok: true, sandbox: undefined };
  const { checkSandbox, createSandboxGate, noSandbox } = await import('@heddle/agent/sandbox');
  if (settings.failIfUnavailable) {
    const check = await checkSandbox();
    if (!check.available) {
      const message = `${noSandbox(check)} The setting sandbox.failIfUnavailable does not allow a start without it.`;
      return { ok: false, message };
    }
  }
  return {
    ok: true,
    sandbox: createSandboxGate({
      settings,
      live: rules,
      root: cwd,
      home: os.homedir(),
      configDirs,
      configFiles,
      environment: commandEnvironment,
      stateDir: configDir(process.env),
      ask,
      notify,
    }),
  };
}
