/** What a call of Read found, ready to be shown. */
import type { FileState } from '@heddle/core';
import type { PreparedImage } from './image.ts';

export interface ReadData {
  readonly path: string;
  readonly parts: readonly ShownPart[];
  /** Lines that were shown, where it was not the whole file. */
  readonly range?: NonNullable<FileState['range']>;
}

export type ShownPart =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'image' } & PreparedImage);

export interface Shown {
  readonly data: ReadData;
  /** The text behind it, for showing later what changed. */
  readonly text?: string;
}
