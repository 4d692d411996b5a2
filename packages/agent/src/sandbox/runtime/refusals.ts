/** What a sandbox refused, from what the runtime saw and from what the command complained about. Pure. */
import type { SandboxPolicy } from '../policy/policy.ts';

/** More would be a list, not an explanation. */
const MOST = 5;

export interface Seen {
  /** What the runtime wrote down. A hint: the command itself could have made it up. */
  readonly lines: readonly string[];
  /** The end of what the command wrote. */
  readonly output: string;
  /** Programs try this and that; of what they do without, nobody needs to hear. */
  readonly failed: boolean;
}

/** Whole sentences for the model. */
export function refusals({ lines, output, failed }: Seen, policy: SandboxPolicy): string[] {
  const files = failed ? deepest(lines.flatMap((line) => fileIn(line, policy))) : [];
  const known = new Set(files.map(baseName));
  const complained = complaints(output).filter((file) => !known.has(baseName(file)));
  const things = unique([
    ...lines.flatMap(hostIn).map((host) => `connecting to ${host}`),
    ...[...files, ...complained].map((file) => `writing ${file}`),
  ]);
  if (things.length === 0) return [];
  const shown = things.slice(0, MOST).join('; ');
  const more = things.length > MOST ? `; and ${things.length - MOST} more` : '';
  return [`The sandbox refused: ${shown}${more}.`];
}

/** `mkdir -p` tries every folder on the way. */
function deepest(files: readonly string[]): string[] {
  return files.filter((file) => !files.some((other) => other.startsWith(`${file}/`)));
}

function hostIn(line: string): string[] {
  const [, destination, reason] = /^deny network-outbound (\S+) \((.*)\)$/.exec(line) ?? [];
  return destination === undefined ? [] : [`${destination} (${reason})`];
}

function fileIn(line: string, policy: SandboxPolicy): string[] {
  const [, named] = /^deny \w+ (\/.*)$/.exec(line) ?? [];
  const file = named === undefined || named === '/' ? named : named.replace(/\/$/, '');
  return file === undefined || isDevice(file) || mayWrite(file, policy) ? [] : [file];
}

/** Where a link was followed, only the command's own words name the file. */
function complaints(output: string): string[] {
  return output.split('\n').flatMap((line) => {
    if (!/Read-only file system|EROFS/.test(line)) return [];
    const [, quoted] = /['‘"`]([^'’"`]+)['’"`]/.exec(line) ?? [];
    const [, shell] = /(?:line \d+|^\S+): ([^:]+): Read-only file system/.exec(line) ?? [];
    const file = quoted ?? shell;
    return file === undefined ? [] : [file.trim()];
  });
}

function baseName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}

/** The runtime learns its lists once; folders that were added since are open all the same. */
function mayWrite(file: string, { writable, unwritable }: SandboxPolicy): boolean {
  const under = (folders: readonly string[]): boolean =>
    folders.some((folder) => file === folder || file.startsWith(`${folder}/`));
  return under(writable) && !under(unwritable);
}

/** These are the sandbox's own, and open. */
function isDevice(file: string): boolean {
  return /^\/(dev|proc)\//.test(file);
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
