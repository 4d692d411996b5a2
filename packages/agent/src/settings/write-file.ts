/** Writes a settings file whole or not at all: a reader never meets half of one. */
import { mkdirSync, readlinkSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { randomUUID } from 'node:crypto';

export function writeJson(file: string, value: object): void {
  mkdirSync(path.dirname(file), { recursive: true });
  // Through a link, so that a settings file kept elsewhere stays there.
  const target = real(file);
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, `${JSON.stringify(value, undefined, 2)}\n`, { mode: modeOf(target) });
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

function real(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return linkedTo(file) ?? file;
  }
}

/** What a link names that is not there yet. */
function linkedTo(file: string): string | undefined {
  try {
    return path.resolve(path.dirname(file), readlinkSync(file));
  } catch {
    return undefined;
  }
}

function modeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644;
}
