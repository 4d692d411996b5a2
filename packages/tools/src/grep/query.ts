/**
 * The query and the result of a search. Two engines return the same results: ripgrep, and our own walk.
 */
import type { FilePattern } from './file-pattern.ts';

export interface FileQuery {
  /** A folder as a real path: a link in it is not followed. Found paths are relative to it. */
  readonly root: string;
  /** One file in it, instead of everything. A link is not followed. */
  readonly file?: string | undefined;
  readonly pattern?: FilePattern | undefined;
  readonly type?: string | undefined;
  /** For a temporary file during the search. */
  readonly folder: string;
}

export interface TextQuery extends FileQuery {
  readonly expression: string;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly mode: 'content' | 'files_with_matches' | 'count';
  readonly before: number;
  readonly after: number;
  readonly lineNumbers: boolean;
}

export interface FileMatches {
  readonly path: string;
  readonly count: number;
  /** For `content`: `12:text` for a match, `11-text` around it, `--` between groups. */
  readonly lines: readonly string[];
}

export interface SearchEngine {
  /** `isCut`, here and below: the result is incomplete because it is too large. */
  files(query: FileQuery, signal: AbortSignal): Promise<{ names: readonly string[]; isCut: boolean }>;
  /** Throws if the expression is invalid. */
  search(query: TextQuery, signal: AbortSignal): Promise<{ matches: readonly FileMatches[]; isCut: boolean }>;
}

/** Longer lines are cut, because they are rarely written by people. */
export const MAX_COLUMNS = 500;
export const CUT_LINE = ' [... omitted end of long line]';
