/** The sandbox that the settings want. Nothing of it is loaded where they want none. */
import os from 'node:os';
import { type AskPermission, LivePermissions, NO_RULES } from '@heddle/agent';
import type { SandboxGate } from '@heddle/agent/sandbox';
import type { SandboxSettings } from '@heddle/agent/settings';
import { configDir } from '../config-dir.ts';
import type { AgentSetup } from './agent-options.ts';

export type Opened =
  | { readonly ok: true; readonly sandbox: SandboxGate | undefined }
  | { readonly ok: false; readonly message: string };

/** It is started later, with the first command; only who insists on it waits for the answer whether it can be. */
export async function openSandbox(
  settings: SandboxSettings | undefined,
  { cwd, rules, configDirs = [] }: Omit<AgentSetup, 'sandboxSettings'>,
  { ask, tell }: { readonly ask: AskPermission | undefined; readonly tell: (text: string) => void },
): Promise<Opened> {
  if (!settings?.enabled) return { ok: true, sandbox: undefined };
  const { checkSandbox, createSandboxGate } = await import('@heddle/agent/sandbox');
  if (settings.failIfUnavailable) {
    const check = await checkSandbox();
    if (!check.available) {
      const how = check.install === undefined ? '' : ` To mend it: ${check.install}.`;
      return {
        ok: false,
        message: `${check.reason}${how} The setting sandbox.failIfUnavailable forbids to start without.`,
      };
    }
  }
  const live = rules instanceof LivePermissions ? rules : new LivePermissions(rules ?? NO_RULES);
  return {
    ok: true,
    sandbox: createSandboxGate({
      settings,
      live,
      root: cwd,
      home: os.homedir(),
      configDirs,
      stateDir: configDir(process.env),
      ask,
      tell,
    }),
  };
}
