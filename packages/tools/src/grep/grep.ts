/**
 * Grep: searches the contents of files. Ignored files are omitted. The most recently changed files come
 * first.
 */
import type { Tool, ToolUseContext } from '@heddle/core';
import { shownPath } from '../files/errors.ts';
import { inputSchemas } from '../generated/schemas.ts';
import {
  sortNewestFirst,
  relativeNames,
  type SearchDeps,
  SEARCH_TOOL_TRAITS,
  targetOf,
  withTimeLimit,
} from './deps.ts';
import type { FileMatches } from './query.ts';
import type { GrepInput } from './schema.ts';

export interface GrepData {
  readonly mode: 'content' | 'files_with_matches' | 'count';
  /** The shown lines. */
  readonly lines: readonly string[];
  /** The total number of lines or files. */
  readonly total: number;
  readonly files: number;
  readonly offset: number;
  readonly isCut: boolean;
}

const DEFAULT_LIMIT = 250;
/** Characters of a result. A page of long lines ends earlier. */
const MAX_SHOWN = 20_000;

export function createGrepTool(deps: SearchDeps): Tool<GrepInput, GrepData> {
  return {
    name: 'Grep',
    description:
      'Searches file contents with ripgrep. Ignored files are left out; files changed last come first.',
    inputJSONSchema: inputSchemas.Grep,
    inputSchema: async () => (await import('./schema.ts')).grepInput,
    inputAliases: {
      context: '-C',
      before_context: '-B',
      after_context: '-A',
      ignore_case: '-i',
      include: 'glob',
    },
    ...SEARCH_TOOL_TRAITS,

    call: (input, context) =>
      withTimeLimit(deps.timeoutMs, context.signal, async (signal) => ({
        data: await grep(input, deps, { ...context, signal }),
      })),

    toResult({ mode, lines, total, files, offset, isCut }) {
      if (total === 0) return { content: 'No matches' };
      const unit = mode === 'content' ? 'lines' : 'files';
      if (lines.length === 0) return { content: `There are only ${total} ${unit}.` };
      const next = offset + lines.length;
      const more = isCut ? ', and more than could be read' : '';
      const where = mode === 'content' ? ` in ${files} ${files === 1 ? 'file' : 'files'}` : '';
      const notice =
        next < total || isCut
          ? `\n(${unit} ${offset + 1}-${next} of ${total}${where}${more}; continue with offset ${next})`
          : '';
      return { content: lines.join('\n') + notice };
    },
  };
}

async function grep(input: GrepInput, deps: SearchDeps, context: ToolUseContext): Promise<GrepData> {
  const { signal } = context;
  const target = targetOf(input.path, context);
  const { root, file } = target;
  const mode = input.output_mode ?? 'files_with_matches';
  const { filePattern } = await import('./file-pattern.ts');
  const engine = await deps.engine();
  const found = await engine.search(
    {
      root,
      file,
      folder: deps.folder,
      pattern: input.glob === undefined ? undefined : filePattern(input.glob),
      type: input.type,
      expression: input.pattern,
      ignoreCase: input['-i'] ?? false,
      multiline: input.multiline ?? false,
      mode,
      before: input['-B'] ?? input['-C'] ?? 0,
      after: input['-A'] ?? input['-C'] ?? 0,
      lineNumbers: input['-n'] ?? true,
    },
    signal,
  );
  const isShown = await relativeNames(target, context);
  const matches = found.matches.filter((match) => isShown(match.path));
  const ordered = await sortNewestFirst(matches, root, (match) => match.path, signal);
  const lines = ordered.flatMap((match) => linesOf(match, target.shown(match.path), mode));
  const { offset = 0, head_limit = DEFAULT_LIMIT } = input;
  const page = lines.slice(offset, head_limit === 0 ? undefined : offset + head_limit);
  const { isCut } = found;
  return { mode, lines: fitting(page), total: lines.length, files: matches.length, offset, isCut };
}

function linesOf({ count, lines }: FileMatches, file: string, mode: GrepData['mode']): string[] {
  const name = shownPath(file);
  switch (mode) {
    case 'files_with_matches':
      return [name];
    case 'count':
      return [`${name}:${count}`];
    case 'content':
      return lines.map((line) => (line === '--' ? line : `${name}:${line}`));
  }
}

function fitting(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let size = 0;
  for (const line of lines) {
    size += line.length + 1;
    if (size > MAX_SHOWN && shown.length > 0) break;
    shown.push(line);
  }
  return shown;
}
