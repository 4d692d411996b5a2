/**
 * A sandbox on sandbox-runtime: bubblewrap and a filtering proxy on Linux, seatbelt on macOS. The runtime is one for the whole
 * process and takes a quarter of a second to load, so it is started with the first command.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { findRipgrep } from '@heddle/tools';
import type { SandboxSettings } from '../../settings/sandbox.ts';
import { checkSandbox } from '../check/check.ts';
import type { SandboxPolicy } from '../policy/policy.ts';
import type { AskForHost, SandboxReadiness, Sandbox, Wrapped, Wrapping } from '../sandbox.ts';
import { runtimeConfig } from './config.ts';
import { expand } from './expand.ts';
import type { PlaceholderKeeper, HeldPlaceholders } from './ghost-keeper.ts';
import { type Placeholders, placeholdersFor, withPlaceholders } from './ghosts.ts';
import { gitIgnoringPlaceholders } from './git-ignore.ts';
import { clearLeftovers } from './leftovers.ts';
import { lease, type Lease } from './lease.ts';
import { refusals } from './refusals.ts';

export interface RuntimeSandboxOptions {
  readonly settings: SandboxSettings;
  /** What holds at the start. */
  readonly policy: () => Promise<SandboxPolicy>;
  /** Undefined: nobody can be asked, and unlisted hosts are refused. */
  readonly askForHost: AskForHost | undefined;
  /** For notes on what a killed program would leave behind. */
  readonly notes: string;
}

export function createRuntimeSandbox(options: RuntimeSandboxOptions): Sandbox {
  const { settings, policy, askForHost, notes } = options;
  let readiness: Promise<SandboxReadiness> | undefined;
  let held: Lease | undefined;
  let ripgrep: string | undefined;

  async function start(): Promise<SandboxReadiness> {
    const check = await checkSandbox();
    if (!check.available) return { ready: false, reason: check.reason, install: check.install };
    clearLeftovers(notes);
    ripgrep = await findRipgrep();
    const taken = await lease(await configFor(await policy()), askForHost, notes);
    if (!taken.ok) return { ready: false, reason: taken.reason, install: undefined };
    held = taken.lease;
    return { ready: true };
  }

  async function configFor(current: SandboxPolicy) {
    return runtimeConfig(current, settings, { ripgrep, unwritable: await expand(current) });
  }

  async function wrap({ script, command, directory, temp, policy: current }: Wrapping): Promise<Wrapped> {
    if (!held) return notStarted('the sandbox is not running');
    const { manager, update, leftovers, placeholderKeeper } = held;
    let kept: HeldPlaceholders | undefined;
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
      const wrapped = await manager.wrapWithSandbox(`${git}${script}`, 'bash', config, undefined, {
        commandId: id,
        commandText: command,
      });
      return {
        launch: { ok: true, file: 'bash', args: ['-c', withoutKernelSettings(wrapped)] },
        ended({ failed, output }) {
          manager.cleanupAfterCommand();
          const seen = manager.getSandboxViolationStore().getViolationsForCommand(id);
          const lines = seen.map(({ line }) => line);
          const exposed = kept?.release() ?? [];
          return Promise.resolve({ refused: refusals({ lines, output, failed }, current), exposed });
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
 * Below /proc/sys root can change the kernel for all, which can run programs outside of the sandbox. Bubblewrap covers other such
 * places itself. Throws if the command line is not the expected one.
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

/** Only bubblewrap needs something to mount over. */
function keptPlaceholders(policy: SandboxPolicy, keeper: PlaceholderKeeper): Placeholders {
  if (process.platform !== 'linux') return { ours: [], others: [] };
  const exists = (file: string): boolean => existsSync(file) && !keeper.isPlaceholder(file);
  return placeholdersFor(policy, { cwd: process.cwd(), exists, realpath });
}

function realpath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
