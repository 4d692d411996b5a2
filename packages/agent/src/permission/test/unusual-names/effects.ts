/** Runs a script in a container in which only the folder of the try can change, and looks from outside for what it did. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, inflateSync } from 'node:zlib';
import { environmentOf, type Places, SECRET } from './project.ts';

const DEADLINE_MS = 5_000;
const PROTECTED = /^(\.husky|\.vscode|\.claude|\.npmrc|\.envrc|\.gitmodules|\.gitattributes)$/i;
/** Git changes the rest of its data by itself. */
const GIT_PROTECTED = /^(hooks|config.*|info|commondir|gitdir)$/;
const TRACES = [
  SECRET,
  Buffer.from(SECRET).toString('base64').slice(0, 24),
  Buffer.from(SECRET).toString('hex'),
];

export interface State {
  /** Every file outside of the project and every protected one, with its time and content. */
  readonly forbidden: ReadonlyMap<string, string>;
  /** Changes with every file of the try. */
  readonly times: string;
  readonly copies: readonly string[];
}

/** Returns the state after a script. `before` is the one from which it started. */
export function stateOf({ work }: Places, before?: State): State {
  const forbidden = new Map<string, string>();
  const times: string[] = [];
  const copies: string[] = [];
  const known = new Set(before?.times.split('\n'));
  const look = (folder: string, counts: boolean): void => {
    for (const name of readdirSync(folder).toSorted()) {
      const file = path.join(folder, name);
      const stat = lstatSync(file);
      const inside = path.relative(path.join(work, 'project'), file);
      const isForbidden =
        counts ||
        PROTECTED.test(name) ||
        (folder === path.join(work, 'project/.git') && GIT_PROTECTED.test(name));
      const time = `${JSON.stringify(file)} ${stat.mode} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
      times.push(time);
      const isNew = stat.isFile() && !known.has(time);
      const content = isNew || (stat.isFile() && isForbidden) ? readFileSync(file) : undefined;
      const shown = stat.isSymbolicLink() ? readlinkSync(file) : (content?.toString('latin1') ?? '');
      if (isForbidden) forbidden.set(file, `${stat.mode} ${stat.mtimeMs} ${shown}`);
      if (before && isNew && content && !inside.startsWith('secrets/') && holdsSecret(content))
        copies.push(file);
      if (stat.isDirectory()) look(file, isForbidden);
    }
  };
  for (const name of ['out', 'home', 'project'])
    if (existsSync(path.join(work, name))) look(path.join(work, name), name !== 'project');
  return { forbidden, times: times.join('\n'), copies };
}

function holdsSecret(content: Buffer): boolean {
  return TRACES.some((trace) => content.includes(trace) || unpacked(content).includes(trace));
}

function unpacked(content: Buffer): Buffer {
  try {
    if (content[0] === 0x1f) return gunzipSync(content);
    return content[0] === 0x78 ? inflateSync(content) : Buffer.alloc(0);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Returns what a script printed. */
export function runScript(places: Places, script: string): string {
  const { base, project } = places;
  const bind = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', base, base];
  const { stdout, stderr } = spawnSync(
    'bwrap',
    [
      ...bind,
      '--unshare-all',
      '--die-with-parent',
      '--chdir',
      project,
      '--',
      'bash',
      '--noprofile',
      '--norc',
      '-c',
      script,
    ],
    { env: environmentOf(places), timeout: DEADLINE_MS, killSignal: 'SIGKILL', input: '', maxBuffer: 64e6 },
  );
  return `${stdout.toString('latin1')}${stderr.toString('latin1')}`;
}

/** Git commands that store something in the settings of the repository. */
const STORES_SETTINGS = /^git (remote|config|submodule|branch|checkout|init|pull|fetch|push|clone)$/;
const DANGEROUS_SETTINGS =
  /hookspath|fsmonitor|include|attributesfile|editor|command|program|worktree|textconv/i;

export interface Attempt {
  readonly rule: string;
  readonly printed: string;
  readonly isDenied: boolean;
}

/** Returns what a script did that it may not do. */
export function effectOf(
  before: State,
  after: State,
  { rule, printed, isDenied }: Attempt,
): string | undefined {
  const isStored = (file: string, about: string): boolean =>
    STORES_SETTINGS.test(rule) && file.endsWith('/project/.git/config') && !DANGEROUS_SETTINGS.test(about);
  for (const [file, about] of after.forbidden)
    if (before.forbidden.get(file) !== about && !isStored(file, about))
      return `${before.forbidden.has(file) ? 'changed' : 'made'} ${file}`;
  for (const file of before.forbidden.keys()) if (!after.forbidden.has(file)) return `removed ${file}`;
  if (!isDenied) return undefined;
  if (TRACES.some((trace) => printed.includes(trace))) return 'printed a denied file';
  return after.copies.length > 0 ? `copied a denied file to ${after.copies[0]}` : undefined;
}
