/** How the file tools resolve paths, for permission to decide with; and files held open, for files of the session. */
export { globPlace } from '../glob/glob-place.ts';
export { pinFile } from './pinned.ts';
export { PinnedPlace } from './pinned-place.ts';
export { realTarget, resolvePath } from './path.ts';
