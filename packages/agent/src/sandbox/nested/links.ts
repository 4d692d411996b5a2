/**
 * Links among what is guarded. A sandbox can keep what they lead to, but not the links: a command can put something of its own in
 * their place.
 */
import { readlink, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';

/** What each leads to, as it is written in it. */
export type Links = ReadonlyMap<string, string>;

export async function linksAmong(paths: readonly string[]): Promise<Links> {
  const links = new Map<string, string>();
  for (const file of paths) {
    const target = await targetOf(file);
    if (target !== undefined) links.set(file, target);
  }
  return links;
}

export async function changedLinks(before: Links): Promise<string[]> {
  const changed: string[] = [];
  for (const [file, target] of before) if ((await targetOf(file)) !== target) changed.push(file);
  return changed;
}

/** Call it when nothing stands in their place any more. Whole sentences for the model. */
export async function putBack(changed: readonly string[], before: Links): Promise<string[]> {
  const back: string[] = [];
  const lost: string[] = [];
  for (const file of changed) ((await link(before.get(file), file)) ? back : lost).push(file);
  return [
    ...(back.length === 0 ? [] : [`The sandbox put links back that must stay: ${back.join(', ')}.`]),
    ...(lost.length === 0 ? [] : [`Links are gone that must stay: ${lost.join(', ')}.`]),
  ];
}

async function targetOf(file: string): Promise<string | undefined> {
  return readlink(file).catch(() => undefined);
}

async function link(target: string | undefined, file: string): Promise<boolean> {
  const folder = path.dirname(file);
  try {
    if (target === undefined || (await realpath(folder)) !== folder) return false;
    await symlink(target, file);
    return true;
  } catch {
    return false;
  }
}
