/** What a command's words and redirections do to files, as parts. */
import path from 'node:path';
import type { ShellRedirection, ShellWord } from '@heddle/tools/shell';
import type { Concern, FilePart, Place } from '../part.ts';
import { disaster } from '../paths/critical.ts';
import { isInside, isSink, placesOf } from '../paths/places.ts';
import { protectedBelow, protection } from '../paths/protected.ts';
import { escapeRegExp } from '../rules/wildcard.ts';
import type { World } from '../world.ts';
import type { Touch } from './touch.ts';
import type { Folders } from './folders.ts';

export function touchPart(
  touch: Touch,
  by: 'command' | 'redirection',
  folders: Folders,
  world: World,
): FilePart[] {
  const { kind, word } = touch;
  const { places, pattern } = meant(word, folders, world);
  if (places?.every((place) => isSink(place.path))) return [];
  return [
    {
      kind,
      shown: word.value,
      tool: 'Bash',
      places,
      deep: touch.deep ?? 'no',
      knowledge: touch.knowledge ?? 'known',
      by,
      pattern,
      concern: kind === 'read' ? undefined : concernOf(touch, places, pattern, folders, world),
    },
  ];
}

/** A redirection to a file; none for pipes between descriptors and for here-documents. */
export function redirectionParts(redirection: ShellRedirection, folders: Folders, world: World): FilePart[] {
  if (redirection.kind === 'here_doc' || redirection.kind === 'here_string') return [];
  const { operator, target: word } = redirection;
  if (redirection.kind === 'duplicate' && /^(\d+-?|-)$/.test(word.value)) return [];
  const touch = (kind: Touch['kind']) => touchPart({ kind, word }, 'redirection', folders, world);
  if (operator === '<' || operator === '<&') return touch('read');
  return operator === '<>' ? [...touch('read'), ...touch('write')] : touch('write');
}

/** Why changing these places is asked about whatever rules say. */
export function concernOf(
  { kind, word, deep }: Pick<Touch, 'kind' | 'deep'> & { readonly word: ShellWord | undefined },
  places: readonly Place[] | undefined,
  pattern: RegExp | undefined,
  folders: Folders,
  world: World,
): Concern | undefined {
  const lost =
    (kind === 'remove' || deep) && word ? disaster(word, folders ?? [world.cwd], world) : undefined;
  if (lost !== undefined && kind === 'remove')
    return { level: 'always', reason: `Removing it would be a disaster: ${lost}.` };
  if (places === undefined) {
    return { level: 'unless bypassed', reason: 'Nobody can tell which file it would change before it runs.' };
  }
  for (const place of places) {
    const what = protection(place, world) ?? (pattern && protectedBelow(place, pattern));
    if (what !== undefined)
      return { level: 'unless bypassed', reason: `${what} is protected: a change to it always asks.` };
  }
  const outside = places.find((place) => !isInside(place, world));
  return outside && { level: 'outside', reason: `${outside.real} lies outside the working directories.` };
}

interface Meant {
  readonly places: readonly Place[] | undefined;
  readonly pattern: RegExp | undefined;
}

function meant(word: ShellWord, folders: Folders, world: World): Meant {
  const unknown: Meant = { places: undefined, pattern: undefined };
  if (word.kind === 'dynamic') return unknown;
  const tilde = word.text.startsWith('~') && word.kind !== 'literal';
  if (tilde && !/^~(\/|$)/.test(word.value)) return unknown;
  const written = tilde ? world.home + word.value.slice(1) : word.value;
  if (folders === undefined && !path.posix.isAbsolute(written)) return unknown;
  const from = folders ?? [world.cwd];
  if (word.kind !== 'pattern') return { places: placesOf(written, from, world), pattern: undefined };
  const at = written.search(/[*?[(+@!]/);
  const folder = written.slice(0, written.lastIndexOf('/', at) + 1);
  // Behind the wildcard a path may climb anywhere.
  if (written.slice(at).includes('..')) return unknown;
  const pattern = globSource(written.slice(folder.length));
  const places = placesOf(folder === '' ? '.' : folder, from, world);
  const anchors = places.map((place) => escapeRegExp(place.path === '/' ? '' : place.path)).join('|');
  return { places, pattern: new RegExp(`^(?:${anchors})/${pattern}(?:/.*)?$`) };
}

/** What a glob of the shell may match; extended ones may match anything. */
function globSource(glob: string): string {
  if (/[?*+@!]\(/.test(glob)) return '.*';
  return glob.replace(/\*\*|\*|\?|\[[^\]]*\]|[\s\S]/g, (piece) => {
    if (piece === '**') return '.*';
    if (piece === '*') return '[^/]*';
    if (piece === '?' || piece.startsWith('[')) return '[^/]';
    return escapeRegExp(piece);
  });
}
