/** Glob: finds files by name. Ignored files are omitted. The most recently changed files come first. */
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
} from '../grep/deps.ts';
import { globPlace } from './glob-place.ts';
import type { GlobInput } from './schema.ts';

export interface GlobData {
  readonly files: readonly string[];
  readonly total: number;
  /** The folder contained more files than were checked. */
  readonly isCut: boolean;
}

const SHOWN = 100;

export function createGlobTool(deps: SearchDeps): Tool<GlobInput, GlobData> {
  return {
    name: 'Glob',
    description: 'Finds files by name. Ignored files are left out; files changed last come first.',
    inputJSONSchema: inputSchemas.Glob,
    inputSchema: async () => (await import('./schema.ts')).globInput,
    ...SEARCH_TOOL_TRAITS,

    call: (input, context) =>
      withTimeLimit(deps.timeoutMs, context.signal, async (signal) => ({
        data: await glob(input, deps, { ...context, signal }),
      })),

    toResult({ files, total, isCut }) {
      const notes = [
        ...(files.length < total
          ? [`the newest ${files.length} of ${total}; narrow the pattern for others`]
          : []),
        ...(isCut ? ['not all files were looked at; give a smaller folder as path'] : []),
      ];
      const note = notes.length === 0 ? '' : `\n(${notes.join('; ')})`;
      return { content: (total === 0 ? 'No files found' : files.join('\n')) + note };
    },
  };
}

async function glob(input: GlobInput, deps: SearchDeps, context: ToolUseContext): Promise<GlobData> {
  const { signal } = context;
  const { place, pattern } = globPlace(input);
  const target = targetOf(place, context);
  const { root, file, written } = target;
  if (file !== undefined) throw new Error(`${written} is a file, not a folder.`);
  const { filePattern } = await import('../grep/file-pattern.ts');
  const engine = await deps.engine();
  const all = { root, folder: deps.folder, pattern: filePattern(pattern) };
  const { names, isCut } = await engine.files(all, signal);
  const found = names.filter(await relativeNames(target, context));
  const ordered = await sortNewestFirst(found, root, (name) => name, signal);
  return {
    files: ordered.slice(0, SHOWN).map((name) => shownPath(target.shown(name))),
    total: found.length,
    isCut,
  };
}
