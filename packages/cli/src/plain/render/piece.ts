/** What a screen is given: whole lines, and a text that is still coming. */
export type Piece =
  | { readonly kind: 'line'; readonly text: string }
  /** A part of a line that goes on. */
  | { readonly kind: 'stream'; readonly text: string }
  | { readonly kind: 'end of stream' }
  /** An answer begins: what streams from here on may be retracted. */
  | { readonly kind: 'answer begins' }
  /** What streamed since is void. `erased` is printed if the screen could erase it, `left` if it could not. */
  | { readonly kind: 'retract'; readonly erased: string | undefined; readonly left: string };
