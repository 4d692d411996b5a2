/** Glob: finds files by name. Ignored files are left out; the files changed last come first. */
import path from 'node:path';
import type { Tool } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import type { SearchDoors } from '../grep/doors.ts';
import { newestFirst } from '../grep/newest-first.ts';
import { shownBelow } from '../grep/shown.ts';
import { targetOf } from '../grep/target.ts';
import { SEARCHING } from '../grep/traits.ts';
import type { GlobInput } from './schema.ts';

export interface GlobData {
  readonly files: readonly string[];
  readonly total: number;
}

const SHOWN = 100;

export function createGlobTool(doors: SearchDoors): Tool<GlobInput, GlobData> {
  return {
    name: 'Glob',
    description: 'Finds files by name. Ignored files are left out; files changed last come first.',
    inputJSONSchema: inputSchemas.Glob,
    inputSchema: async () => (await import('./schema.ts')).globInput,
    ...SEARCHING,

    async call(input, context) {
      const { workingDirectory, signal } = context;
      const { place, pattern } = placed(input);
      const { root, file, prefix } = await targetOf(place, workingDirectory);
      if (file !== undefined) throw new Error(`${path.join(root, file)} is a file, not a folder.`);
      const { filePattern } = await import('../grep/file-pattern.ts');
      const engine = await doors.engine();
      const all = await engine.files({ root, folder: doors.folder, pattern: filePattern(pattern) }, signal);
      const found = all.filter(await shownBelow(root, context));
      const ordered = await newestFirst(found, root, (name) => name, signal);
      return { data: { files: ordered.slice(0, SHOWN).map((name) => prefix + name), total: found.length } };
    },

    toResult({ files, total }) {
      if (total === 0) return { content: 'No files found' };
      const more =
        files.length < total
          ? `\n(the newest ${files.length} of ${total}; narrow the pattern for others)`
          : '';
      return { content: files.join('\n') + more };
    },
  };
}

/** An absolute pattern says itself where to begin; `../` leads out of where it would begin. */
function placed({ path: given, pattern }: GlobInput): { place: string | undefined; pattern: string } {
  if (!path.isAbsolute(pattern) && !pattern.startsWith('../')) return { place: given, pattern };
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => /[*?[{!]/.test(part));
  const end = first < 0 ? parts.length - 1 : first;
  const base = parts.slice(0, end).join('/') || '/';
  const place = path.isAbsolute(base) ? base : path.join(given ?? '.', base);
  return { place, pattern: parts.slice(end).join('/') };
}
