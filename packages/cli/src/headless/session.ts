/** Which session the command line means. */
import {
  type AskPermission,
  forkSession,
  LivePermissions,
  memorySession,
  newestSession,
  newSession,
  NO_RULES,
  type Opened,
  type OpenSetup,
  recallSession,
  resumeSession,
  type Session,
  systemClock,
  VERSION,
} from '@heddle/agent';
import type { ReadOnlyView, SandboxGate } from '@heddle/agent/sandbox';
import type { SandboxSettings } from '@heddle/agent/settings';
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { SessionChoice } from '../arguments.ts';
import { configDir, sessionPlace } from '../config-dir.ts';
import type { AgentSetup } from './agent-options.ts';

type ChosenSession =
  | { readonly ok: true; readonly session: Session }
  | { readonly ok: false; readonly message: string; readonly sessionId: string };

export async function openChosen(choice: SessionChoice): Promise<ChosenSession> {
  const fresh = choice.id ?? randomUUID();
  if (!choice.persist && choice.from.kind === 'new')
    return { ok: true, session: memorySession(fresh, systemClock.now) };
  const setup: OpenSetup = {
    place: sessionPlace(process.env, process.cwd()),
    version: VERSION,
    durability: process.env['HEDDLE_DURABILITY'] === 'power' ? 'power' : 'process',
    now: systemClock.now,
  };
  if (choice.from.kind === 'new') return named(newSession(setup, fresh), fresh);
  const id = choice.from.kind === 'resume' ? choice.from.id : newestSession(setup.place);
  if (id === undefined)
    return { ok: false, message: 'There is no conversation to continue in this folder.', sessionId: fresh };
  const opened = openEarlier(setup, choice, id, fresh);
  if (opened.ok || !opened.isUnknown) return named(opened, id);
  const { meantSession } = await import('../sessions/meant.ts');
  const meant = meantSession(id, setup.place);
  return meant.ok ? named(openEarlier(setup, choice, meant.id, fresh), meant.id) : named(meant, id);
}

function openEarlier(
  setup: OpenSetup,
  { persist, fork, at }: SessionChoice,
  id: string,
  fresh: string,
): Opened {
  // What is not to be kept goes on in memory; the session itself stays as it is.
  if (!persist) return recallSession(setup, id, fork ? fresh : id, { at });
  return fork ? forkSession(setup, id, fresh, { at }) : resumeSession(setup, id, { at });
}

function named(
  opened: Opened | { readonly ok: false; readonly message: string },
  sessionId: string,
): ChosenSession {
  return opened.ok ? opened : { ok: false, message: opened.message, sessionId };
}

/** Undefined if the settings switch it off. It is loaded with the first command. */
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

/** Why the read-only view cannot be used here, in the same words on every surface; undefined if it can. */
export async function missingView(): Promise<string | undefined> {
  const { createReadOnlyView } = await import('@heddle/agent/sandbox');
  const readiness = await createReadOnlyView().readiness();
  if (readiness.ready) return undefined;
  return `${readiness.reason} Commands that are proven to only read run without a second safeguard.`;
}

type OpenedSandbox =
  | { readonly ok: true; readonly sandbox: SandboxGate | undefined }
  | { readonly ok: false; readonly message: string };

/** It is started later, with the first command; only who insists on it waits for the answer whether it can be. */
export async function openSandbox(
  settings: SandboxSettings | undefined,
  { cwd, rules, configDirs = [] }: Omit<AgentSetup, 'sandboxSettings'>,
  { ask, tell }: { readonly ask: AskPermission | undefined; readonly tell: (text: string) => void },
): Promise<OpenedSandbox> {
  if (!settings?.enabled) return { ok: true, sandbox: undefined };
  const { checkSandbox, createSandboxGate, noSandbox } = await import('@heddle/agent/sandbox');
  if (settings.failIfUnavailable) {
    const check = await checkSandbox();
    if (!check.available) {
      const message = `${noSandbox(check)} The setting sandbox.failIfUnavailable forbids to start without.`;
      return { ok: false, message };
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
