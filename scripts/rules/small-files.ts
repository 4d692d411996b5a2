// A file needs two importers, or 80 lines, or a reason to load late. A smaller one belongs to its only importer.
import path from 'node:path';
import { Visitor } from 'oxc-parser';
import { type Finding, finding, isTest, type Source } from './source.ts';

/** Lines. A file with so many may have one importer. */
const LARGE_ENOUGH = 80;

/** Lines of both files together. A longer file would be hard to read, so the small one stays. */
const MOST_MERGED = 250;

/** Small files with one importer that stay, by the start of their paths, and why. */
const JUSTIFIED: Readonly<Record<string, string>> = {
  'packages/tools/src/bash/monitor.ts': 'each tool has a file of its own',
  'packages/tools/src/edit/edit.ts': 'each tool has a file of its own',
  'packages/tools/src/glob/glob.ts': 'each tool has a file of its own',
  'packages/tools/src/web/web-search.ts': 'each tool has a file of its own',
  'packages/tools/src/write/write.ts': 'each tool has a file of its own',
  'packages/agent/src/session/import/opencode.ts': 'each foreign format has a file of its own',
  'packages/testing/src/providers/wires/': 'each wire format has a file of its own',
};

interface Importer {
  readonly source: Source;
  /** The import is dynamic, or a face of the package exports the file. */
  readonly isReason: boolean;
}

/** Checks all files together. Tests and the files that only tests import do not count. */
export function noSmallFiles(
  sources: readonly Source[],
  justified: Readonly<Record<string, string>> = JUSTIFIED,
): Finding[] {
  const importers = importersIn(sources.filter(({ path: file }) => !isTest(file)));
  return sources.filter(isProduct).flatMap((source) => {
    const [only, ...others] = importers.get(source.path) ?? [];
    const lines = linesOf(source);
    if (!only || others.length > 0 || only.isReason || lines >= LARGE_ENOUGH) return [];
    if (lines + linesOf(only.source) >= MOST_MERGED) return [];
    if (Object.keys(justified).some((prefix) => source.path.startsWith(prefix))) return [];
    const advice = `${lines} lines and one importer: merge it into ${only.source.path}`;
    return [finding(source, 0, 'small-files', advice)];
  });
}

function isProduct({ path: file }: Source): boolean {
  return /^packages\/[^/]+\/src\//.test(file) && !isTest(file);
}

function linesOf({ text }: Source): number {
  return text.trimEnd().split('\n').length;
}

/** The importers of each file. A file that imports another one twice is one importer. */
function importersIn(sources: readonly Source[]): ReadonlyMap<string, readonly Importer[]> {
  const importers = new Map<string, Map<string, Importer>>();
  for (const source of sources) {
    const add = (node: { type: string; value?: unknown } | null, isReason: boolean): void => {
      if (typeof node?.value !== 'string' || !node.value.startsWith('.')) return;
      const target = path.posix.join(path.posix.dirname(source.path), node.value);
      const known = importers.get(target) ?? new Map<string, Importer>();
      importers.set(target, known);
      known.set(source.path, { source, isReason: isReason || known.get(source.path)?.isReason === true });
    };
    new Visitor({
      ImportDeclaration: (node) => add(node.source, false),
      TSImportType: (node) => add(node.source, false),
      ImportExpression: (node) => add(node.source, true),
      ExportNamedDeclaration: (node) => add(node.source, true),
      ExportAllDeclaration: (node) => add(node.source, true),
    }).visit(source.program);
  }
  return new Map([...importers].map(([file, known]) => [file, [...known.values()]]));
}
