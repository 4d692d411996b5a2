/**
 * The folder in which programs of the user start: MCP servers, hooks, helpers, the status line and the editor.
 *
 * Many programs load code from the folder in which they start: `npx` reads `.npmrc` and `node_modules`, and `python3 -m` finds
 * modules there first. So a clone could run its own code in place of a program that the user configured for every folder.
 */
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { realPath, stateFile, trustIn } from '@heddle/agent/settings';
import { errorCode } from '@heddle/core';
import { configDir } from './config-dir.ts';

/**
 * Returns the folder in which programs of the user start: `cwd` if the user trusts it, otherwise an empty folder. The home folder
 * contains the user's own files and needs no trust. The answer changes with the trust of the user.
 *
 * Contract: never throws. If the empty folder cannot be made, it is the home folder.
 */
export function startFolder(cwd: string): string {
  return mayStartIn(cwd) ? cwd : makeEmptyFolder();
}

/** Whether programs of the user start in `cwd`. */
export function mayStartIn(cwd: string): boolean {
  return realPath(cwd) === realPath(os.homedir()) || isTrustedNow(cwd);
}

/** The name of the empty folder. It need not exist. */
export function emptyFolder(): string {
  return path.join(configDir(process.env), 'empty');
}

function makeEmptyFolder(): string {
  const folder = emptyFolder();
  try {
    mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
    mkdirSync(folder);
  } catch (thrown) {
    if (errorCode(thrown) !== 'EEXIST') return os.homedir();
  }
  try {
    // A program that works in its own folder must not leave files there that a later one loads.
    chmodSync(folder, 0o500);
  } catch {
    return os.homedir();
  }
  return folder;
}

let known: { readonly stamp: string; readonly isTrusted: (folder: string) => boolean } | undefined;

/** Hooks start often, and the state file can be large. It is read again if it has changed. */
function isTrustedNow(folder: string): boolean {
  const places = { home: os.homedir(), env: process.env };
  const file = stateFile(places);
  const { mtimeMs, size, ino } = statSync(file, { throwIfNoEntry: false }) ?? {};
  const stamp = [file, mtimeMs, size, ino].join('\0');
  if (known?.stamp !== stamp) known = { stamp, isTrusted: trustIn(places) };
  return known.isTrusted(folder);
}
