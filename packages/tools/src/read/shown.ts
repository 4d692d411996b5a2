/** What a call of Read found, ready to be shown. */
import type { FileState } from '@heddle/core';
import type { PreparedImage } from './image.ts';

export interface ReadData {
  readonly path: string;
  readonly kind: 'text' | 'image' | 'notebook' | 'pdf';
  /** Bytes of the whole file; undefined if only a part of it was read. */
  readonly size?: number;
  readonly parts: readonly ShownPart[];
  /** The cells behind the parts of a notebook, without their outputs. */
  readonly cells?: readonly ShownCell[];
  /** Lines that were shown, where it was not the whole file. */
  readonly range?: NonNullable<FileState['range']>;
}

export type ShownPart =
  | { readonly kind: 'text'; readonly text: string }
  | ShownLines
  | ({ readonly kind: 'image' } & PreparedImage);

export interface ShownCell {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly language: string;
}

/** Lines of a text file, which are numbered when they are shown. */
interface ShownLines {
  readonly kind: 'lines';
  readonly lines: readonly string[];
  readonly first: number;
  /** Lines of the whole file; undefined if they were not counted. */
  readonly total: number | undefined;
  /** Follows the lines. */
  readonly note: string;
}

export interface Shown {
  readonly data: ReadData;
  /** The text behind it, for showing later what changed. */
  readonly text?: string;
}
