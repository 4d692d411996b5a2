/** JSON files of settings, jobs, schedules and teams. A write is complete or has no effect, so that a reader never sees a part. */
import {
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import type * as z from 'zod';

/** Returns undefined if the file does not exist, or does not have this shape. */
export function readJson<Value>(file: string, schema: z.ZodType<Value>): Value | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return schema.safeParse(value).data;
  } catch {
    return undefined;
  }
}

/** `mode`: the mode of a new file. */
export function writeJson(file: string, value: object, mode = 0o644): void {
  mkdirSync(path.dirname(file), { recursive: true });
  // Writes through a link, so that a settings file elsewhere stays there.
  const target = linkTarget(file);
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, `${JSON.stringify(value, undefined, 2)}\n`, { mode: modeOf(target) ?? mode });
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Returns the file that a write to this path would change, existing or not. Follows links in all its folders. */
export function linkTarget(file: string, hops = MOST_LINKS): string {
  try {
    return realpathSync.native(file);
  } catch {
    // It does not exist yet: a broken link, or a new name in a folder.
  }
  const link = hops > 0 ? linkedTo(file) : undefined;
  if (link !== undefined) return linkTarget(link, hops - 1);
  const parent = path.dirname(file);
  return parent === file ? file : path.join(linkTarget(parent, hops), path.basename(file));
}

/** The limit of Linux. */
const MOST_LINKS = 40;

function linkedTo(file: string): string | undefined {
  try {
    return path.resolve(path.dirname(file), readlinkSync(file));
  } catch {
    return undefined;
  }
}

function modeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mode;
}
