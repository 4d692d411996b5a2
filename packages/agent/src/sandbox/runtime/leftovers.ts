/**
 * Records files and processes that a killed program would leave behind: placeholders on disk, and the process that
 * connects to the proxy. The next sandbox that starts removes them.
 */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { bootId, startTimeOf } from '@heddle/tools';
import { placeholderContent } from './placeholders.ts';

export interface Leftovers {
  /** Records more placeholders. Call it before they are created. */
  add(placeholders: readonly string[]): void;
  /** Returns whether another running program has recorded the placeholder. */
  othersNeed(placeholder: string): boolean;
  /** Removes the record, when nothing is left to clean up. */
  clear(): void;
}

interface Owned {
  readonly boot: string;
  readonly pid: number;
  readonly startTime: string | undefined;
  /** The socket of the bridge process. Its name is unique. */
  readonly bridge: string | undefined;
  readonly placeholders: readonly string[];
}

/** Creates the record of this process. If it cannot be written, the sandbox still works. */
export function recordLeftovers(folder: string, bridge: string | undefined): Leftovers {
  const file = path.join(folder, `${process.pid}.json`);
  const owner = { boot: bootId(), pid: process.pid, startTime: startTimeOf(process.pid), bridge };
  const known = new Set<string>();
  const write = (): void => {
    const owned: Owned = { ...owner, placeholders: [...known] };
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(file, JSON.stringify(owned), { mode: 0o600 });
    } catch {
      // The disk is full or read-only.
    }
  };
  write();
  return {
    add(placeholders) {
      if (placeholders.every((placeholder) => known.has(placeholder))) return;
      for (const placeholder of placeholders) known.add(placeholder);
      write();
    },
    othersNeed: (placeholder) =>
      filesIn(folder)
        .filter((other) => other !== file)
        .some((other) => {
          const owned = read(other);
          return owned !== undefined && owned.placeholders.includes(placeholder) && isAlive(owned);
        }),
    clear: () => rmSync(file, { force: true }),
  };
}

/** Removes the leftovers of programs that ended. */
export function clearLeftovers(folder: string): void {
  for (const file of filesIn(folder)) {
    const owned = read(file);
    if (owned === undefined || isAlive(owned)) continue;
    // Deepest paths first, because a folder can be removed only when it is empty.
    for (const placeholder of [...owned.placeholders].sort((a, b) => b.length - a.length))
      removeEmpty(placeholder);
    if (owned.bridge !== undefined && owned.boot === bootId()) endBridge(owned.bridge);
    rmSync(file, { force: true });
  }
}

function isAlive({ boot, pid, startTime }: Owned): boolean {
  return boot === bootId() && startTime !== undefined && startTimeOf(pid) === startTime;
}

function endBridge(socket: string): void {
  for (const pid of filesIn('/proc').flatMap((entry) => Number(path.basename(entry)) || [])) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (words.some((word) => word.startsWith(`UNIX-LISTEN:${socket},`))) process.kill(pid);
    } catch {
      // The process belongs to another user, or has ended.
    }
  }
  rmSync(socket, { force: true });
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

function read(file: string): Owned | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isOwned(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isOwned(value: unknown): value is Owned {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'boot' in value &&
    'placeholders' in value &&
    Array.isArray(value.placeholders) &&
    value.placeholders.every((placeholder) => typeof placeholder === 'string')
  );
}

function isPlaceholderFile(file: string, size: number): boolean {
  const content = placeholderContent(file);
  return size === content.length && (size === 0 || readFileSync(file, 'utf8') === content);
}

/** Removes a placeholder. A file or folder with other content is not a placeholder and stays. */
export function removeEmpty(placeholder: string): void {
  try {
    const about = lstatSync(placeholder);
    if (about.isDirectory()) rmdirSync(placeholder);
    else if (about.isFile() && isPlaceholderFile(placeholder, about.size)) unlinkSync(placeholder);
  } catch {
    // It is gone, or not empty.
  }
}
