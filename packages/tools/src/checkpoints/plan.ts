/** What a rewind would do to each file. Pure. */
import type { FileVersion } from './timeline.ts';

/** How a path looks now. */
export type Present =
  | { readonly kind: 'file'; readonly hash: string }
  | { readonly kind: 'absent' }
  /** The path, or a folder on the way to it, has become a symbolic link: writing would change something else. */
  | { readonly kind: 'link' }
  | { readonly kind: 'other'; readonly what: string };

export type RewindStep =
  | { readonly do: 'restore'; readonly version: FileVersion & { readonly hash: string } }
  | { readonly do: 'remove'; readonly version: FileVersion }
  | { readonly do: 'leave_link' }
  | { readonly do: 'leave'; readonly why: string };

/** Nothing for a file that already is as it was. */
export function planStep(version: FileVersion, present: Present): RewindStep | undefined {
  const { path, hash } = version;
  if (isInGit(path)) return { do: 'leave', why: 'it lies inside .git' };
  switch (present.kind) {
    case 'link':
      return { do: 'leave_link' };
    case 'other':
      return { do: 'leave', why: present.what };
    case 'absent':
      return hash === null ? undefined : { do: 'restore', version: { ...version, hash } };
    case 'file':
      if (hash === present.hash) return undefined;
      return hash === null ? { do: 'remove', version } : { do: 'restore', version: { ...version, hash } };
  }
}

/** Git's own files are git's. */
function isInGit(path: string): boolean {
  return path.split(/[\\/]/).includes('.git');
}
