/**
 * Shares the sandbox runtime, which exists once per process. Each user takes a lease. The runtime stops when the last
 * lease is released.
 */
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import type * as Runtime from '@anthropic-ai/sandbox-runtime';
import type { SandboxAskCallback, SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime';
import { findPackage } from '@heddle/tools/packages';
import type { AskForHost } from '../sandbox.ts';
import { PlaceholderKeeper } from './placeholder-keeper.ts';
import { type Leftovers, recordLeftovers } from './leftovers.ts';

type Manager = typeof Runtime.SandboxManager;

export interface Lease {
  readonly manager: Manager;
  readonly leftovers: Leftovers;
  readonly placeholderKeeper: PlaceholderKeeper;
  /** Host lists apply to the whole process, and change only here. */
  readonly update: (config: SandboxRuntimeConfig) => void;
  release(): Promise<void>;
}

export type Leased =
  | { readonly ok: true; readonly lease: Lease }
  | { readonly ok: false; readonly reason: string };

interface Running {
  readonly manager: Manager;
  readonly leftovers: Leftovers;
  readonly placeholderKeeper: PlaceholderKeeper;
  config: SandboxRuntimeConfig;
  holders: number;
  readonly ask: AskForHost | undefined;
}

let running: Running | undefined;
/** Serializes starts and stops. */
let turn: Promise<unknown> = Promise.resolve();

/** `notes` is the folder for records that let the next start clean up after a crash. */
export function leaseRuntime(
  config: SandboxRuntimeConfig,
  ask: AskForHost | undefined,
  notes: string,
): Promise<Leased> {
  const leased = turn.then(() => take(config, ask, notes));
  turn = leased.catch(() => undefined);
  return leased;
}

async function take(
  config: SandboxRuntimeConfig,
  ask: AskForHost | undefined,
  notes: string,
): Promise<Leased> {
  if (running) {
    // A host that one conversation may reach would also be open to the other.
    if (!isDeepStrictEqual(running.config.network, config.network) || running.ask !== ask) {
      const reason =
        'The sandbox cannot start: another conversation of this program uses it with other lists of hosts.';
      return { ok: false, reason };
    }
    running.holders++;
    return { ok: true, lease: leaseOf(running) };
  }
  const { SandboxManager: manager, SandboxRuntimeConfigSchema } = loadRuntime();
  const checked = SandboxRuntimeConfigSchema.safeParse(config);
  if (!checked.success) {
    const problems = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { ok: false, reason: `The sandbox settings are not usable: ${problems.join('; ')}` };
  }
  if (
    manager
      .checkDependencies(config.ripgrep && { command: config.ripgrep.command })
      .warnings.some((warning) => warning.includes('seccomp'))
  ) {
    const reason = `The sandbox cannot start: it cannot keep commands from the sockets of this machine on ${process.arch}.`;
    return { ok: false, reason };
  }
  const onAsk: SandboxAskCallback = async ({ host, port }) => (await ask?.(host, port)) ?? false;
  const ours = signalListeners();
  await repeatLookups(() => manager.initialize(config, ask ? onAsk : undefined, true));
  withoutNewListeners(ours);
  const leftovers = recordLeftovers(notes, manager.getLinuxHttpSocketPath());
  running = {
    manager,
    config,
    holders: 1,
    ask,
    leftovers,
    placeholderKeeper: new PlaceholderKeeper(leftovers),
  };
  return { ok: true, lease: leaseOf(running) };
}

const MOST_LOOKUPS = 5;

/**
 * The runtime looks for programs with `which`, and gives it one second. If a busy machine takes longer, the runtime
 * reports a missing program. So the work is repeated.
 */
export async function repeatLookups<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let lookup = 1; ; lookup++) {
    try {
      return await work();
    } catch (thrown) {
      const isMissing = thrown instanceof Error && /not (found|installed)/.test(thrown.message);
      if (!isMissing || lookup === MOST_LOOKUPS) throw thrown;
    }
  }
}

const RUNTIME = '@anthropic-ai/sandbox-runtime';

/** The runtime is not bundled, because it loads helper programs from its own folder. */
function loadRuntime(): typeof Runtime {
  const load: (file: string) => typeof Runtime = createRequire(import.meta.url);
  const file = findPackage(RUNTIME, { code: import.meta.dirname });
  if (file === undefined) throw new Error(`The package ${RUNTIME} is not installed.`);
  return load(file);
}

function leaseOf(held: Running): Lease {
  let isOver = false;
  return {
    manager: held.manager,
    leftovers: held.leftovers,
    placeholderKeeper: held.placeholderKeeper,
    update(config) {
      if (isDeepStrictEqual(held.config.network, config.network)) return;
      held.config = { ...held.config, network: config.network };
      held.manager.updateConfig(held.config);
    },
    release() {
      if (isOver) return Promise.resolve();
      isOver = true;
      const released = turn.then(() => giveBack(held));
      turn = released.catch(() => undefined);
      return released;
    },
  };
}

async function giveBack(held: Running): Promise<void> {
  held.holders--;
  if (held.holders > 0) return;
  running = undefined;
  await held.manager.reset();
  held.leftovers.clear();
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

function signalListeners(): ReadonlySet<unknown> {
  return new Set(SIGNALS.flatMap((signal) => process.listeners(signal)));
}

/**
 * Removes the signal listeners that the runtime added. They would keep a program alive that has no listener itself.
 * Heddle stops the runtime instead.
 */
function withoutNewListeners(ours: ReadonlySet<unknown>): void {
  for (const signal of SIGNALS) {
    for (const listener of process.listeners(signal)) if (!ours.has(listener)) process.off(signal, listener);
  }
}
