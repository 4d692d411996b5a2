/** Leaves out what permission denies to read: neither its lines nor its name are shown. The same for both engines. */
import { realpath } from 'node:fs/promises';
import type { ToolUseContext } from '@heddle/core';

/** Answers for paths relative to `root`. Neither engine follows links below it; it may itself be reached through some. */
export async function shownBelow(
  root: string,
  { deniedFiles }: ToolUseContext,
): Promise<(name: string) => boolean> {
  const isDenied = await deniedFiles?.();
  if (!isDenied) return () => true;
  const real = await realpath(root);
  return (name) => !isDenied(`${root}/${name}`) && (real === root || !isDenied(`${real}/${name}`));
}
