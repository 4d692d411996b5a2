/** The machine: what Heddle runs on, and the programs it uses. */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { VERSION } from '@heddle/agent';
import { findRipgrep } from '@heddle/tools';
import { type Finding, hint, ok, problem } from './finding.ts';

const run = promisify(execFile);
const PATIENCE_MS = 5_000;
const OLDEST_NODE = [22, 18] as const;

export function checkNode(version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [least, leastMinor] = OLDEST_NODE;
  if (major > least || (major === least && minor >= leastMinor))
    return ok('program', `Heddle ${VERSION} on Node ${version}`);
  return problem('program', `Node ${version} is too old`, `install Node ${least}.${leastMinor} or newer`);
}

export async function checkSearch(): Promise<Finding> {
  const program = await findRipgrep();
  if (program !== undefined) return ok('search', `ripgrep at ${program}`);
  return hint(
    'search',
    'no ripgrep: Grep and Glob use a slower search of their own',
    'install ripgrep (the package is called ripgrep in most distributions)',
  );
}

export async function checkGit(): Promise<Finding> {
  try {
    const { stdout } = await run('git', ['--version'], {
      timeout: PATIENCE_MS,
      cwd: path.parse(process.cwd()).root,
    });
    return ok('git', stdout.trim());
  } catch {
    return hint('git', 'git was not found', 'install git: the state of a repository is shown to the model');
  }
}

/** The config folder holds the sessions: what cannot be written there is lost. */
export function checkFolder(folder: string): Finding[] {
  const existing = nearest(folder);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch {
    return [
      problem(
        'folder',
        `${folder} cannot be written`,
        'mend its permissions, or name another one with HEDDLE_CONFIG_DIR',
      ),
    ];
  }
  return [ok('folder', existing === folder ? folder : `${folder} (not there yet)`), checkDisk(existing)];
}

const LITTLE_SPACE = 1024 ** 3;
/** A session may not even begin. */
const NO_SPACE = 4 * 1024 ** 2;

function checkDisk(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${(free / 1024 ** 3).toFixed(1)} GB free for sessions`;
  if (free >= LITTLE_SPACE) return ok('disk', text);
  if (free < NO_SPACE)
    return problem('disk', 'the disk is full', 'make room; or name another place with HEDDLE_CONFIG_DIR');
  return hint('disk', text, 'make room, or prune old sessions: heddle sessions prune');
}

function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(path.dirname(folder));
}
