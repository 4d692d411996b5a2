/** Leaves out what permission denies to read: neither its lines nor its name are shown. The same for both engines. */
import type { ToolUseContext } from '@heddle/core';
import type { Target } from './target.ts';

/** Answers for paths below the target's root. No engine follows links below it; it may itself be reached through some. */
export async function shownBelow(
  { root, file, written }: Target,
  { deniedFiles }: ToolUseContext,
): Promise<(name: string) => boolean> {
  const isDenied = await deniedFiles?.();
  if (!isDenied) return () => true;
  return (name) =>
    !isDenied(`${root}/${name}`) && !isDenied(file === undefined ? `${written}/${name}` : written);
}
