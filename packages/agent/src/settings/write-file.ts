/** Writes a settings file whole or not at all: a reader never meets half of one. */
import { mkdirSync, readlinkSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { randomUUID } from 'node:crypto';

export function writeJson(file: string, value: object): void {
  mkdirSync(path.dirname(file), { recursive: true });
  // Through a link, so that a settings file kept elsewhere stays there.
  const target = linkTarget(file);
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, `${JSON.stringify(value, undefined, 2)}\n`, { mode: modeOf(target) });
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The file that a write to this path would change, whether or not it exists. Links are followed in every folder of it. */
export function linkTarget(file: string, hops = MOST_LINKS): string {
  try {
    return realpathSync.native(file);
  } catch {
    // Not there yet: a link to nothing, or a name in a folder.
  }
  const link = hops > 0 ? linkedTo(file) : undefined;
  if (link !== undefined) return linkTarget(link, hops - 1);
  const parent = path.dirname(file);
  return parent === file ? file : path.join(linkTarget(parent, hops), path.basename(file));
}

/** As many as Linux follows. */
const MOST_LINKS = 40;

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
