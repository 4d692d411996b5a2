/**
 * Implements a sandbox with sandbox-runtime: bubblewrap and a filtering proxy on Linux, seatbelt on macOS. The runtime
 * exists once per process and takes a quarter of a second to load, so it starts with the first command.
 */
import type { SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime';
import { findBash, findProgram, findRipgrep } from '@heddle/tools';
import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { SandboxSettings } from '../../settings/sandbox-settings.ts';
import { checkSandbox } from '../check.ts';
import type { SandboxPolicy } from '../policy/policy.ts';
import type { AskForHost, Sandbox, SandboxReadiness, Wrapped, Wrapping } from '../sandbox.ts';
import { leaseRuntime, type Lease, repeatLookups } from './lease.ts';
import { clearLeftovers } from './leftovers.ts';
import type { HeldPlaceholders, PlaceholderKeeper } from './placeholder-keeper.ts';
import {
  gitIgnoringPlaceholders,
  type Placeholders,
  placeholdersFor,
  withPlaceholders,
} from './placeholders.ts';
import { describeRefusals } from './refusals.ts';
import { omitUndefined } from '@heddle/core';

export interface RuntimeSandboxOptions {
  readonly settings: SandboxSettings;
  /** The policy at the start. */
  readonly policy: () => Promise<SandboxPolicy>;
  /** Undefined if there is no user to ask. Then unlisted hosts are refused. */
  readonly askForHost: AskForHost | undefined;
  /** The folder for records that let the next start clean up after a crash. */
  readonly notes: string;
}

export function createRuntimeSandbox(options: RuntimeSandboxOptions): Sandbox {
  const { settings, policy, askForHost, notes } = options;
  let readiness: Promise<SandboxReadiness> | undefined;
  let held: Lease | undefined;
  let programs: Programs | undefined;

  async function start(): Promise<SandboxReadiness> {
    const check = await checkSandbox();
    if (!check.available) return { ready: false, reason: check.reason, install: check.install };
    clearLeftovers(notes);
    programs = await findPrograms();
    const taken = await leaseRuntime(await configFor(await policy()), askForHost, notes);
    if (!taken.ok) return { ready: false, reason: taken.reason, install: undefined };
    held = taken.lease;
    return { ready: true };
  }

  async function configFor(current: SandboxPolicy) {
    return runtimeConfig(current, settings, { programs, unwritable: await expand(current) });
  }

  async function wrap({ script, command, directory, temp, policy: current }: Wrapping): Promise<Wrapped> {
    if (!held) return notStarted('the sandbox is not running');
    const { manager, update, leftovers, placeholderKeeper } = held;
    let kept: HeldPlaceholders | undefined;
    const shell = findBash();
    const id = randomBytes(16).toString('base64url');
    try {
      const placeholders = keptPlaceholders(current, placeholderKeeper);
      const config = await configFor({
        ...current,
        unwritable: withPlaceholders(current.unwritable, placeholders),
      });
      update(config);
      leftovers.add(placeholders.others);
      const all = [...placeholders.ours.map((placeholder) => placeholder.path), ...placeholders.others];
      const git = await gitIgnoringPlaceholders(all, temp, directory);
      kept = placeholderKeeper.keep(placeholders.ours);
      const wrapped = await repeatLookups(() =>
        manager.wrapWithSandbox(`${git}${script}`, shell, config, undefined, {
          commandId: id,
          commandText: command,
        }),
      );
      return {
        launch: { ok: true, file: shell, args: ['-c', withoutKernelSettings(wrapped)] },
        ended({ failed, output }) {
          manager.cleanupAfterCommand();
          const seen = manager.getSandboxViolationStore().getViolationsForCommand(id);
          const lines = seen.map(({ line }) => line);
          const exposed = kept?.release() ?? [];
          return Promise.resolve({ refused: describeRefusals({ lines, output, failed }, current), exposed });
        },
      };
    } catch (thrown) {
      kept?.release();
      return notStarted(
        `the sandbox cannot take it: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      );
    }
  }

  return {
    prepare() {
      readiness ??= start().catch((thrown: unknown) => ({
        ready: false,
        reason: `The sandbox cannot start: ${thrown instanceof Error ? thrown.message : String(thrown)}.`,
        install: undefined,
      }));
      return readiness;
    },
    wrap,
    async dispose() {
      await readiness;
      await held?.release();
      held = undefined;
    },
  };
}

/**
 * Hides /proc/sys. Root could change kernel settings there, which can run programs outside of the sandbox. Bubblewrap
 * hides other such paths itself. Throws if the command line has an unexpected form.
 */
function withoutKernelSettings(wrapped: string): string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return wrapped;
  const [mount] = / --(proc|bind \/proc) \/proc /.exec(wrapped) ?? [];
  if (mount === undefined) throw new Error('its /proc is not where it should be');
  return wrapped.replace(mount, `${mount}--ro-bind /proc/sys /proc/sys `);
}

function notStarted(why: string): Wrapped {
  return { launch: { ok: false, why }, ended: () => Promise.resolve({ refused: [], exposed: [] }) };
}

/** Only bubblewrap needs placeholders to mount over. */
function keptPlaceholders(policy: SandboxPolicy, keeper: PlaceholderKeeper): Placeholders {
  if (process.platform !== 'linux') return { ours: [], others: [] };
  const exists = (file: string): boolean => existsSync(file) && !keeper.isPlaceholder(file);
  return placeholdersFor(policy, { cwd: process.cwd(), exists, realpath });
}

function realpath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file;
  }
}

type Entry = SandboxRuntimeConfig['filesystem']['denyRead'][number];

/** The programs that make the sandbox. They are not found in folders of the project. */
interface Programs {
  readonly bwrap: string | undefined;
  readonly socat: string | undefined;
  readonly ripgrep: string | undefined;
}

async function findPrograms(): Promise<Programs> {
  const find = (name: string): string | undefined => findProgram(process.env['PATH'], name);
  return { bwrap: find('bwrap'), socat: find('socat'), ripgrep: await findRipgrep() };
}

/**
 * Converts a policy for sandbox-runtime. `unwritable` contains the matches of the policy's patterns, if the runtime
 * cannot apply patterns itself.
 */
function runtimeConfig(
  policy: SandboxPolicy,
  { network, enableWeakerNestedSandbox }: SandboxSettings,
  given: { readonly programs: Programs | undefined; readonly unwritable: readonly string[] },
): SandboxRuntimeConfig {
  const { bwrap: bwrapPath, socat: socatPath, ripgrep } = given.programs ?? {};
  const { httpProxyPort, socksProxyPort } = network;
  return {
    network: {
      allowedDomains: [...policy.allowedDomains],
      deniedDomains: [...policy.deniedDomains],
      allowUnixSockets: [...network.allowUnixSockets],
      allowLocalBinding: network.allowLocalBinding,
      ...omitUndefined({ httpProxyPort, socksProxyPort }),
    },
    filesystem: {
      allowWrite: policy.writable.map(literal),
      denyWrite: [...policy.unwritable, ...given.unwritable].map(literal),
      // A path without wildcards is literal. All others are patterns.
      denyRead: policy.unreadable.map((path) => (/[*?[\]]/.test(path) ? path : literal(path))),
      allowRead: policy.readable.map((path) => (/[*?[\]]/.test(path) ? path : literal(path))),
    },
    enableWeakerNestedSandbox,
    ...omitUndefined({ bwrapPath, socatPath }),
    ...(ripgrep === undefined ? {} : { ripgrep: { command: ripgrep } }),
  };
}

function literal(path: string): Entry {
  return { path, literal: true };
}

/** Enough for a large project. Folders beyond this number are not searched. */
const MOST_FOLDERS = 20_000;
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);

async function expand({ unwritableLike, writable }: SandboxPolicy): Promise<string[]> {
  if (unwritableLike.length === 0) return [];
  if (process.platform === 'darwin') return unwritableLike.map(({ glob }) => glob);
  const found: string[] = [];
  const open = [...writable];
  for (let visited = 0; open.length > 0 && visited < MOST_FOLDERS; visited++) {
    const folder = open.pop() ?? '';
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const file = path.join(folder, entry.name);
      if (unwritableLike.some(({ matches }) => matches(file))) found.push(file);
      else if (entry.isDirectory() && !SKIPPED.has(entry.name)) open.push(file);
    }
  }
  return found;
}
