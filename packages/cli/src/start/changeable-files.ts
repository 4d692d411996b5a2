/**
 * Files that a call of the model may change, for example with a rule for a git command: those in the project and in the other working
 * directories. Settings of the user are among them if they are links that lead there.
 */
import type { LivePermissions } from '@heddle/agent';
import { isReallyWithin, isWithin, possibleRepositoryTop, realPath } from '@heddle/agent/settings';
import { followPath } from '@heddle/tools/files';
import path from 'node:path';

/** Returns a test for files, which may be missing. The working directories are those of the moment. */
export function changeableFiles(
  folder: string,
  live: Pick<LivePermissions, 'directories'>,
): (file: string) => boolean {
  const project = possibleRepositoryTop(folder) ?? folder;
  return (file) => {
    const folders = [project, ...live.directories].map(realPath);
    // A link on the way that leads elsewhere can be replaced, too.
    const { isFound } = followPath(path.resolve(file), (place) =>
      folders.some((each) => isWithin(place, each)),
    );
    return isFound || folders.some((each) => isReallyWithin(file, each));
  };
}
