/** Describes what a sandbox refused, from the log of the runtime and the output of the command. */
import type { SandboxPolicy } from '../policy/policy.ts';

/** A longer list would not explain more. */
const MOST = 5;

export interface Seen {
  /** Lines that the runtime logged. They are only a hint: the command could have written them. */
  readonly lines: readonly string[];
  /** The end of the command's output. */
  readonly output: string;
  /** Programs try optional accesses. They matter only if the command failed. */
  readonly failed: boolean;
}

/** Returns whole sentences for the model. */
export function describeRefusals({ lines, output, failed }: Seen, policy: SandboxPolicy): string[] {
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

/** Removes the parent folders that `mkdir -p` tried. */
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

/** Reads file names from the command's own messages. They are the only source if a link was followed. */
function complaints(output: string): string[] {
  return output.split('\n').flatMap((line) => {
    if (!/Read-only file system|EROFS/.test(line)) return [];
    const [, quoted] = /['‘"`]([^'‘’"`]+)['’"`]/.exec(line) ?? [];
    const [, shell] = /(?:line \d+|^\S+): ([^:]+): Read-only file system/.exec(line) ?? [];
    const file = quoted ?? shell;
    return file === undefined ? [] : [file.trim()];
  });
}

function baseName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}

/** The runtime reads its lists once. Folders that were added later are writable, too. */
function mayWrite(file: string, { writable, unwritable }: SandboxPolicy): boolean {
  const under = (folders: readonly string[]): boolean =>
    folders.some((folder) => file === folder || file.startsWith(`${folder}/`));
  return under(writable) && !under(unwritable);
}

/** Device files belong to the sandbox and are writable. */
function isDevice(file: string): boolean {
  return /^\/(dev|proc)\//.test(file);
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
