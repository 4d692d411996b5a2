/** Path resolution of the file tools, which permission also uses, and pinned files for the session. */
export { globPlace } from '../glob/glob-place.ts';
export { pinFile } from './pinned.ts';
export { PinnedPlace } from './pinned-place.ts';
export { realTarget, resolvePath } from './path.ts';
