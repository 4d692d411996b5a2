/** Path resolution of the file tools, which permission also uses, and pinned files for the session. */
export { globPlace } from './glob/glob-place.ts';
export { readsInBackground, rememberDecision } from './files/edit-turns.ts';
export { BUILD_FILE, expand, type FileKinds, filesInCommand } from './files/files-in-command.ts';
export { namedWords } from './files/named-words.ts';
export { type PreparedText, prepareText, startedNames } from './files/started-names.ts';
export { type FollowedPath, followPath, isLinkOfProcess } from './files/follow-path.ts';
export { shortDiff } from './files/line-diff.ts';
export {
  hasUnlistedForm,
  ignoresCase,
  listedPaths,
  type NameAccess,
  UnlistedNameError,
} from './files/listed-names.ts';
export { pinFile } from './files/pinned.ts';
export { PinnedPlace } from './files/pinned-place.ts';
export { realTarget, resolvePath } from './files/path.ts';
export {
  makeTemporaryFolder,
  removeTemporaryFolder,
  temporaryPlacesIn,
} from './files/temporary-folder.ts';
