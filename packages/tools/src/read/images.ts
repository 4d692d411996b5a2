/** Images as the API takes them, for whoever has some that did not come through Read. Loaded when there is one. */
export { prepareImage } from './image.ts';
export { imageTypeOf, isPdf } from './page.ts';
