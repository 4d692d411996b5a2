/** What a screen is given: whole lines, and a text that is still coming. */
export type Piece =
  | { readonly kind: 'line'; readonly text: string }
  /** A part of a line that goes on. */
  | { readonly kind: 'stream'; readonly text: string }
  | { readonly kind: 'end of stream' };
