/** Checks whether this machine can sandbox commands, and reports missing packages. */
import { findProgram, findRipgrep } from '@heddle/tools';
import { execFile } from 'node:child_process';
import { access, constants, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export type SandboxCheck =
  | { readonly available: true; readonly missing: readonly []; readonly install: undefined }
  | {
      readonly available: false;
      /** A whole sentence. */
      readonly reason: string;
      /** Names of packages. */
      readonly missing: readonly string[];
      /** The command that installs the missing packages, if one is known. */
      readonly install: string | undefined;
    };

interface SandboxCheckDeps {
  readonly platform?: NodeJS.Platform;
  readonly searchPath?: string | undefined;
}

const AVAILABLE: SandboxCheck = { available: true, missing: [], install: undefined };

/** Bubblewrap takes milliseconds. On a machine with many busy processes it took seconds. */
const DEADLINE_MS = 30_000;

/** Never rejects. */
export async function checkSandbox({
  platform = process.platform,
  searchPath = process.env['PATH'],
}: SandboxCheckDeps = {}): Promise<SandboxCheck> {
  if (platform === 'darwin') return onMac();
  if (platform !== 'linux') return impossible(`There is no sandbox for ${platform} yet.`);
  const bubblewrap = findProgram(searchPath, 'bwrap');
  const socat = findProgram(searchPath, 'socat');
  const ripgrep = await findRipgrep();
  const missing = [
    ...(bubblewrap === undefined ? ['bubblewrap'] : []),
    ...(socat === undefined ? ['socat'] : []),
    ...(ripgrep === undefined ? ['ripgrep'] : []),
  ];
  if (bubblewrap === undefined || missing.length > 0) {
    const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
    const reason = `The sandbox needs ${missing.join(' and ')}, which ${missing.length === 1 ? 'is' : 'are'} not installed.`;
    return { available: false, reason, missing, install: sandboxInstallCommand(missing, release) };
  }
  for (const name of STARTED_BY_NAME) {
    const own = await programOfProject(searchPath, name);
    if (own !== undefined) return impossible(`PATH leads to ${own}, a program of the project.`);
  }
  const refusal = await tryOut(bubblewrap);
  return refusal === undefined ? AVAILABLE : impossible(refusal, hintFor(refusal));
}

/** The programs that the runtime looks for on the search path itself. All others are given to it with their paths. */
const STARTED_BY_NAME = ['which', 'bwrap'];

/** Returns the program that the name leads to, if the project provides it. */
async function programOfProject(searchPath = '', name: string): Promise<string | undefined> {
  const outside = findProgram(searchPath, name);
  for (const folder of searchPath.split(path.delimiter)) {
    const program = path.resolve(folder, name);
    if (program === outside) return undefined;
    const isProgram = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return program;
  }
  return undefined;
}

function onMac(): SandboxCheck {
  return findProgram('/usr/bin', 'sandbox-exec')
    ? AVAILABLE
    : impossible('The sandbox needs /usr/bin/sandbox-exec, which is not there.');
}

function impossible(reason: string, install?: string): SandboxCheck {
  return { available: false, reason, missing: [], install };
}

/** Runs bubblewrap once. Being installed is not enough: many kernels and containers forbid user namespaces. */
async function tryOut(bubblewrap: string): Promise<string | undefined> {
  const args = [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--ro-bind',
    '/',
    '/',
    '--',
    '/bin/sh',
    '-c',
    ':',
  ];
  try {
    await promisify(execFile)(bubblewrap, args, { timeout: DEADLINE_MS });
    return undefined;
  } catch (thrown) {
    const { stderr } = { stderr: '', ...(typeof thrown === 'object' ? thrown : {}) };
    const output = typeof stderr === 'string' ? stderr.trim().split('\n')[0] : '';
    return `bubblewrap is installed but cannot make a sandbox here: ${output || (thrown instanceof Error ? thrown.message : String(thrown))}.`;
  }
}

/** Ubuntu allows user namespaces only for programs that have a profile. */
function hintFor(refusal: string): string | undefined {
  return /uid map|Operation not permitted|Permission denied|No permissions/i.test(refusal)
    ? 'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (on Ubuntu), or kernel.unprivileged_userns_clone=1 (on older Debian)'
    : undefined;
}

/** Install commands by distribution. */
const MANAGERS: readonly { readonly families: readonly string[]; readonly command: string }[] = [
  { families: ['debian', 'ubuntu'], command: 'sudo apt-get install' },
  { families: ['fedora', 'rhel', 'centos'], command: 'sudo dnf install' },
  { families: ['arch'], command: 'sudo pacman -S' },
  { families: ['alpine'], command: 'sudo apk add' },
  { families: ['suse', 'opensuse'], command: 'sudo zypper install' },
  { families: ['void'], command: 'sudo xbps-install' },
];

/** `release` is the text of /etc/os-release. For an unknown distribution, the text only names the packages. */
export function sandboxInstallCommand(packages: readonly string[], release: string): string {
  const field = (name: string): string =>
    new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(release)?.[1]?.toLowerCase() ?? '';
  const families = `${field('ID')} ${field('ID_LIKE')}`.split(/\s+/);
  const manager = MANAGERS.find(({ families: known }) =>
    known.some((name) => families.some((family) => family === name || family.startsWith(`${name}-`))),
  );
  const names = packages.join(' ');
  return manager ? `${manager.command} ${names}` : `install ${names} with your package manager`;
}
