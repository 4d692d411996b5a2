/** Places whose removal nobody wants by accident: no rule and no mode lets `rm` have them unasked. */
import path from 'node:path';
import type { ShellWord } from '@heddle/tools/shell';
import type { World } from '../world.ts';

/** Why removing what this word means would be a disaster; undefined where it would not. */
export function disaster(word: ShellWord, folders: readonly string[], world: World): string | undefined {
  if (word.kind === 'dynamic') {
    // An empty variable turns "$X/…" into /….
    return /^["']?\$(\w+|\{\w+\})["']?\/?(\*?["']?$|\*)/.test(word.text) && /\//.test(word.text)
      ? `${word.text} is / when the variable is empty`
      : undefined;
  }
  // What a star removes is what the folder holds.
  const [, folderOnly] =
    /^(.*?)\/?(?:\*|\.\*|\{\*,\.\*\}|\.\[!\.\]\*)$/.exec(word.kind === 'pattern' ? word.value : '') ?? [];
  const written =
    folderOnly === undefined
      ? word.value
      : folderOnly === '' && word.value.startsWith('/')
        ? '/'
        : folderOnly || '.';
  if (word.kind === 'pattern' && folderOnly === undefined) return undefined;
  for (const folder of folders) {
    const target = resolved(written, folder, world.home, word.kind !== 'literal');
    for (const place of [target, world.realpath(target)]) {
      const reason = criticalPath(place, world);
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

function resolved(written: string, folder: string, home: string, expands: boolean): string {
  const tilde = expands && (written === '~' || written.startsWith('~/'));
  return path.posix.resolve(folder, tilde ? home + written.slice(1) : written);
}

function criticalPath(place: string, world: World): string | undefined {
  if (place === '/') return 'it is the root of the file system';
  if (/^\/[^/]+$/.test(place)) return `${place} is a folder of the system`;
  if (place === world.home || world.home.startsWith(`${place}/`))
    return `${place} is the home folder or holds it`;
  for (const folder of [world.root, world.cwd]) {
    if (place === folder || folder.startsWith(`${place}/`))
      return `${place} is the working directory or holds it`;
  }
  return undefined;
}
