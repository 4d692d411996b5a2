/**
 * The read-only view, and the view for edits. A command that was allowed because it changes nothing runs where it cannot
 * change anything. A script that was allowed because of its edits can change only the places that edits may go to. Both
 * see all files except hidden ones, and have no network and no sockets. Bubblewrap is started directly, because the
 * sandbox runtime takes longer to load than most of these commands run.
 */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { FileLimits } from '@heddle/core';
import type { ConfinedEnd, Confinement, Launch, ShellView } from '@heddle/tools';

import { findProgram, ownEnvironment } from '@heddle/tools';
import { makeTemporaryFolder, removeTemporaryFolder } from '@heddle/tools/files';
import {
  bubblewrapArguments,
  isOnlyLocalClient,
  type Power,
  scopeFor,
  seatbeltArguments,
  type ViewedScript,
} from './command-line.ts';
import { callFilter, type ProcessScope } from './filter.ts';

export interface ReadOnlyView extends ShellView {
  /** Tests the view at the first call. Later calls return the same result. Never rejects. */
  readiness(): Promise<ViewReadiness>;
  /**
   * The same command failed in the view before, because it missed something. Now only a rule or the user can allow it.
   */
  hasFailed(command: string): boolean;
}

export type ViewReadiness =
  | {
      readonly ready: true;
      /**
       * No effect can leave the view, so running in it is a reason to allow a command. False if the view only supports
       * the proof.
       */
      readonly isComplete: boolean;
    }
  /** A whole sentence. */
  | { readonly ready: false; readonly reason: string };

export interface ViewPlatform {
  readonly platform?: NodeJS.Platform;
  readonly arch?: string;
  readonly searchPath?: string | undefined;
  readonly isRoot?: boolean;
}

/** How a script is started, and the filter for it if there is one. */
interface Starter {
  readonly file: string;
  readonly args: (viewed: ViewedScript) => string[];
  readonly filter: (viewed: ViewedScript) => Buffer | undefined;
  readonly isComplete: boolean;
  /** Whether a script may see the processes of the host. */
  readonly canShowHost: boolean;
}

type Found =
  | { readonly ok: true; readonly starter: Starter }
  | { readonly ok: false; readonly reason: string };

/** Bubblewrap takes milliseconds. On a machine with many busy processes it took seconds. */
const PROBE_DEADLINE_MS = 30_000;
const SEATBELT = '/usr/bin/sandbox-exec';

export function createReadOnlyView(platform: ViewPlatform = {}): ReadOnlyView {
  const failed = new Set<string>();
  let found: Promise<Found> | undefined;
  const find = (): Promise<Found> =>
    (found ??= findStarter(platform).catch((thrown: unknown) => ({
      ok: false,
      reason: `The read-only view cannot start: ${messageOf(thrown)}.`,
    })));
  return {
    async readiness() {
      const answer = await find();
      return answer.ok
        ? { ready: true, isComplete: answer.starter.isComplete }
        : { ready: false, reason: answer.reason };
    },
    hasFailed: (command) => failed.has(command),
    async confine({ command, directory, isProven, fileLimits = NO_LIMITS }) {
      const answer = await find();
      if (!answer.ok) return undefined;
      const { readCommand } = await import('@heddle/tools/shell');
      const read = readCommand(command);
      // The proof suffices for a client of a local server, whose socket the view does not have.
      if (isProven && isOnlyLocalClient(read)) return undefined;
      try {
        return confinementIn(answer.starter, {
          directory,
          limits: {
            writable: fileLimits.writable.filter(isStillThere),
            unwritable: fileLimits.unwritable.filter(isStillThere),
            hidden: fileLimits.hidden,
          },
          kind: kindOf(fileLimits),
          // Programs without a proof never see the processes of the host.
          scope: isProven && answer.starter.canShowHost ? scopeFor(read, kindOf(fileLimits)) : 'own',
          onMissed: () => failed.add(command),
        });
      } catch (thrown) {
        // The temporary files cannot be stored. Outside of the view, the command could read what the decision takes for hidden.
        failed.add(command);
        return notStarted(`The read-only view cannot start: ${messageOf(thrown)}.`);
      }
    },
  };
}

function notStarted(why: string): Confinement {
  return { report: '', start: () => Promise.resolve({ ok: false, why }), ended: () => Promise.resolve([]) };
}

const NO_LIMITS: FileLimits = { writable: [], unwritable: [], hidden: [] };

function kindOf({ writable }: Pick<FileLimits, 'writable'>): keyof typeof VIEWS {
  return writable.length > 0 ? 'edits' : 'read-only';
}

/** A place that became a link since the decision would open the target of the link. */
function isStillThere(place: string): boolean {
  try {
    return realpathSync.native(place) === place;
  } catch {
    return false;
  }
}

interface Viewed {
  readonly directory: string;
  readonly limits: FileLimits;
  readonly kind: keyof typeof VIEWS;
  readonly scope: ProcessScope;
  /** Called if the command missed something that the view does not have. */
  readonly onMissed: () => void;
}

function confinementIn(starter: Starter, { directory, limits, kind, scope, onMissed }: Viewed): Confinement {
  const folder = makeTemporaryFolder('view');
  const report = path.join(folder, 'report');
  writeFileSync(report, '', { mode: 0o600 });
  const masks = masksIn(folder, limits.hidden);
  let filter: number | undefined;
  return {
    report,
    start(script) {
      const viewed = { script, directory, folder, report, scope, limits, masks };
      const bytes = starter.filter(viewed);
      if (bytes) filter = descriptorOf(bytes, folder);
      const inherits = filter === undefined ? [] : [filter];
      return Promise.resolve({ ok: true, file: starter.file, args: starter.args(viewed), inherits });
    },
    ended(end) {
      if (filter !== undefined) closeSync(filter);
      removeFolder(folder);
      const missed = missedIn(end, kind);
      if (missed !== undefined) onMissed();
      return Promise.resolve(missed === undefined ? [] : [missed]);
    },
  };
}

/** Returns an empty file or folder for each place that exists now. A missing one would be created by its mount. */
function masksIn(folder: string, hidden: readonly string[]): ViewedScript['masks'] {
  const present = hidden.flatMap((place) => {
    const about = lstatSync(place, { throwIfNoEntry: false });
    const isUsed = folder.startsWith(`${place}/`) || about === undefined || about.isSymbolicLink();
    return isUsed ? [] : [{ place, name: about.isDirectory() ? 'empty-folder' : 'empty-file' }];
  });
  if (present.length === 0) return [];
  mkdirSync(path.join(folder, 'empty-folder'), { mode: 0o555 });
  writeFileSync(path.join(folder, 'empty-file'), '');
  chmodSync(path.join(folder, 'empty-file'), 0);
  return present.map(({ place, name }) => ({ place, empty: path.join(folder, name) }));
}

/** A folder that cannot be removed must not fail the command. */
function removeFolder(folder: string): void {
  try {
    removeTemporaryFolder(folder);
  } catch {
    // The system removes its temporary files.
  }
}

/** Opens a file without a name, so that the command cannot reach it. */
function descriptorOf(bytes: Buffer, folder: string): number {
  const file = path.join(folder, 'filter');
  writeFileSync(file, bytes, { mode: 0o600 });
  try {
    return openSync(file, 'r');
  } finally {
    unlinkSync(file);
  }
}

async function findStarter(given: ViewPlatform): Promise<Found> {
  const { platform = process.platform, arch = process.arch, searchPath = process.env['PATH'] } = given;
  const { isRoot = process.getuid?.() === 0 } = given;
  if (platform === 'darwin') {
    const starter: Starter = {
      file: SEATBELT,
      args: seatbeltArguments,
      filter: () => undefined,
      isComplete: false,
      canShowHost: true,
    };
    return (await works(starter)) ? { ok: true, starter } : unavailable(`${SEATBELT} does not work here`);
  }
  if (platform !== 'linux') return unavailable(`there is none for ${platform}`);
  if (!callFilter('own', arch)) return unavailable(`there is none for ${arch} processors`);
  const file = findProgram(searchPath, 'bwrap');
  if (file === undefined) return unavailable('bubblewrap is not installed');
  const starterWith = (power: Power, canShowHost = true): Starter => ({
    file,
    args: (viewed) => bubblewrapArguments(viewed, power),
    filter: ({ scope, limits }) => callFilter(scope, arch, kindOf(limits)),
    isComplete: true,
    canShowHost,
  });
  const hasUserNamespaces = await works(starterWith('user'));
  // Root without a user namespace can still read the files of every user.
  const forRoot = starterWith('root', hasUserNamespaces);
  if (isRoot && (await works(forRoot))) return { ok: true, starter: forRoot };
  if (hasUserNamespaces) return { ok: true, starter: starterWith('user') };
  return unavailable('bubblewrap is installed but cannot make namespaces here');
}

function unavailable(why: string): Found {
  return { ok: false, reason: `Commands cannot run in a read-only view: ${why}.` };
}

/**
 * Being installed is not enough: many kernels and containers forbid namespaces. The test writes a file, which must be
 * refused.
 */
async function works(starter: Starter): Promise<boolean> {
  const outside = makeTemporaryFolder('view');
  const confinement = confinementIn(starter, {
    limits: NO_LIMITS,
    kind: 'read-only',
    scope: 'own',
    directory: '/',
    onMissed: () => undefined,
  });
  try {
    const launch = await confinement.start(`: > "$TMPDIR/in" && ! : > '${outside}/out'`);
    return await succeeds(launch);
  } finally {
    await confinement.ended({ failed: false, output: '' });
    removeTemporaryFolder(outside);
  }
}

/** Never rejects. */
function succeeds(launch: Launch): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  if (!launch.ok) return Promise.resolve(false);
  const child = spawn(launch.file, [...launch.args], {
    env: ownEnvironment(),
    stdio: ['ignore', 'ignore', 'ignore', ...(launch.inherits ?? [])],
    timeout: PROBE_DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  child.once('error', () => resolve(false));
  child.once('close', (code) => resolve(code === 0));
  return promise;
}

/**
 * The end of a line in which a program reports a refused write. Search results with these words do not end like this.
 */
const REFUSED_WRITE =
  /(: Read-only file system|\(Read-only file system\)|EROFS: read-only file system.*)\.?$/im;
const REFUSED_NETWORK =
  /Could not resolve host|Temporary failure in name resolution|Network is unreachable|\b(EAI_AGAIN|ENETUNREACH|ENOTFOUND)\b|\bsocket: operation not permitted/i;

/** A mounted place cannot be removed or renamed. */
const REFUSED_REMOVAL = /: Device or resource busy$/m;

const VIEWS = {
  'read-only': { name: 'a read-only view', writes: 'nothing can be written' },
  edits: {
    name: 'a view for edits',
    writes: 'only the folder of its edits can be written, without protected files',
  },
};

/** Returns a sentence for the model if the command reported something missing in the view. */
function missedIn({ output, failed }: ConfinedEnd, kind: keyof typeof VIEWS): string | undefined {
  const isNetwork = failed && REFUSED_NETWORK.test(output);
  const isRefused = REFUSED_WRITE.test(output) || (kind === 'edits' && REFUSED_REMOVAL.test(output));
  if (!isNetwork && !isRefused) return undefined;
  const { name, writes } = VIEWS[kind];
  const what = isNetwork ? 'it has no network' : writes;
  return `The command ran in ${name}, in which ${what}. If it needs more, run the same command again: the user is asked then.`;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
