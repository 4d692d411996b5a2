/** What is searched for, and what an engine finds. Two engines give the same answers: ripgrep, and a walk of our own. */
import type { FilePattern } from './file-pattern.ts';

export interface FileQuery {
  /** A folder, as a real path: a link that stands in it is not followed. Paths found are relative to it. */
  readonly root: string;
  /** One file in it, instead of everything. A link is not followed. */
  readonly file?: string | undefined;
  readonly pattern?: FilePattern | undefined;
  readonly type?: string | undefined;
  /** For a file of its own while it searches. */
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
  /** `isCut`, here and below: there was more than anybody would read. */
  files(query: FileQuery, signal: AbortSignal): Promise<{ names: readonly string[]; isCut: boolean }>;
  /** Throws where the expression makes no sense. */
  search(query: TextQuery, signal: AbortSignal): Promise<{ matches: readonly FileMatches[]; isCut: boolean }>;
}

/** Longer lines are cut: they are rarely written by people. */
export const MAX_COLUMNS = 500;
export const CUT_LINE = ' [... omitted end of long line]';
