/** Prepares images that did not come through Read for the API. Loaded on demand. */
export { prepareImage } from './image.ts';
export { imageTypeOf, isPdf } from './page.ts';
