/** Determines the start folder of a search by name. Pure. Permission uses it, too. */
import path from 'node:path';

export interface GlobPlace {
  /** As written. Undefined: the working directory. */
  readonly place: string | undefined;
  /** Relative to the place. */
  readonly pattern: string;
}

/** An absolute pattern contains its start folder. `../` leaves the start folder. */
export function globPlace({
  path: given,
  pattern,
}: {
  readonly path?: string | undefined;
  readonly pattern: string;
}): GlobPlace {
  const isAnchored = path.isAbsolute(pattern) || pattern.startsWith('~/');
  if (!isAnchored && !pattern.startsWith('../')) return { place: given, pattern };
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => /[*?[{!]/.test(part));
  const end = first < 0 ? parts.length - 1 : first;
  const base = parts.slice(0, end).join('/') || '/';
  const place = isAnchored ? base : path.join(given ?? '.', base);
  return { place, pattern: parts.slice(end).join('/') };
}
