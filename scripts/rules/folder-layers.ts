// The order of folders inside a package, and the absence of circles between files and folders. See ARCHITECTURE.md.
import path from 'node:path';
import { importsOf } from './package-layers.ts';
import { type Finding, finding, isTest, type Source } from './source.ts';

/** Package folder → the folders of its sources, each below the next. Files beside them are below all, `index.ts` above. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  core: ['messages', 'model', 'machine', 'request', 'tools', 'context', 'log', 'loop'],
  context: ['estimate', 'history', 'levels', 'collapse', 'compaction', 'pipeline'],
  mcp: ['config', 'oauth', 'connection', 'tools', 'servers'],
  testing: [
    'samples',
    'mcp',
    'validator',
    'scripted',
    'cache',
    'api',
    'providers',
    'deps',
    'properties',
    'explorer',
  ],
};

/** Package folder → folders that must not import each other, in either direction. */
const SIBLINGS: Readonly<Record<string, readonly string[]>> = { cli: ['headless', 'conversation'] };

/** Circles of files that are still to be removed, by the start of their paths. The numbers may only go down. */
export const KNOWN_CIRCLES: Readonly<Record<string, number>> = {};

/** Checks the imports of one file. Tests may import from every folder. */
export function folderOrder(source: Source): Finding[] {
  const home = placeOf(source.path);
  if (home === undefined || isTest(source.path)) return [];
  return importsOf(source).flatMap(({ specifier, offset }) => {
    const target = specifier.startsWith('.') ? placeOf(resolved(source.path, specifier)) : undefined;
    const advice = target && adviceOn(home, target);
    return advice === undefined ? [] : [finding(source, offset, 'folder-order', advice)];
  });
}

interface Place {
  readonly package: string;
  /** The folder directly below `src`, or a file there. */
  readonly name: string;
  readonly level: number;
}

function adviceOn(home: Place, target: Place): string | undefined {
  const siblings = SIBLINGS[home.package] ?? [];
  if (home.name !== target.name && siblings.includes(home.name) && siblings.includes(target.name))
    return `${home.name} and ${target.name} are siblings: move the shared code to a lower folder`;
  if (target.level <= home.level) return undefined;
  return `${home.name} comes before ${target.name}: move the shared code to the lower folder`;
}

function placeOf(file: string): Place | undefined {
  const [, home = '', below = ''] = /^packages\/([^/]+)\/src\/(.+)$/.exec(file) ?? [];
  if (home === '') return undefined;
  const folders = ORDER[home];
  const [name = '', ...rest] = below.split('/');
  if (folders === undefined) return { package: home, name, level: 0 };
  if (rest.length === 0) return { package: home, name, level: name === 'index.ts' ? folders.length : -1 };
  const level = folders.indexOf(name);
  // A folder without a place in the order is above all others, so that its first importer is reported.
  return { package: home, name, level: level < 0 ? folders.length : level };
}

function resolved(importer: string, specifier: string): string {
  return path.posix.join(path.posix.dirname(importer), specifier);
}

/**
 * Checks all files together. Reports each circle of files, and each circle of the folders directly below `src`.
 * Imports of types and dynamic imports count. Tests do not.
 */
export function noCircles(sources: readonly Source[], known: Readonly<Record<string, number>>): Finding[] {
  const product = sources.filter(({ path: file }) => placeOf(file) !== undefined && !isTest(file));
  const files = new Map(product.map((source) => [source.path, source]));
  const edges = product.flatMap((source) =>
    importsOf(source)
      .map(({ specifier }): Edge => [source.path, resolved(source.path, specifier)])
      .filter(([, target]) => files.has(target)),
  );
  const folders = edges.map(([from, to]): Edge => [folderOf(from), folderOf(to)]);
  const fileCircles = circlesIn(edges);
  const unexpected = fileCircles.filter((circle) => prefixOf(circle, known) === undefined);
  const reports = [
    ...unexpected.map((circle) => ({ at: circle[0], advice: `a circle of files: ${circle.join(', ')}` })),
    ...circlesIn(folders).map((circle) => ({
      at: edges.find(([from, to]) => isBetween(circle, folderOf(from), folderOf(to)))?.[0],
      advice: `a circle of folders: ${circle.join(', ')}`,
    })),
    ...Object.entries(known).flatMap(([prefix, count]) => {
      const found = fileCircles.filter((circle) => prefixOf(circle, known) === prefix);
      if (found.length === count) return [];
      const list = found.map((circle) => circle.join(' ')).join('; ');
      return [
        {
          at: found[0]?.[0] ?? product[0]?.path,
          advice: `${prefix} has ${found.length} circles of files, KNOWN_CIRCLES says ${count}: ${list}`,
        },
      ];
    }),
  ];
  return reports.flatMap(({ at, advice }) => {
    const source = files.get(at ?? '');
    return source ? [finding(source, 0, 'no-circles', advice)] : [];
  });
}

type Edge = readonly [from: string, to: string];

/** A file directly below `src` represents itself. */
function folderOf(file: string): string {
  return file.split('/').slice(0, 4).join('/');
}

function isBetween(circle: readonly string[], from: string, to: string): boolean {
  return from !== to && circle.includes(from) && circle.includes(to);
}

function prefixOf(circle: readonly string[], known: Readonly<Record<string, number>>): string | undefined {
  return Object.keys(known).find((prefix) => circle.every((file) => file.startsWith(prefix)));
}

/** The groups of nodes that reach each other, after Tarjan. Each is sorted. */
function circlesIn(edges: readonly Edge[]): string[][] {
  const targets = Map.groupBy(edges, ([from]) => from);
  const visited = new Map<string, { readonly index: number; low: number; isOpen: boolean }>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): { readonly index: number; low: number; isOpen: boolean } => {
    const state = { index: visited.size, low: visited.size, isOpen: true };
    visited.set(node, state);
    open.push(node);
    for (const [, target] of targets.get(node) ?? []) {
      const seen = visited.get(target);
      if (!seen) state.low = Math.min(state.low, visit(target).low);
      else if (seen.isOpen) state.low = Math.min(state.low, seen.index);
    }
    if (state.low < state.index) return state;
    const group = open.splice(open.indexOf(node));
    for (const member of group) {
      const closed = visited.get(member);
      if (closed) closed.isOpen = false;
    }
    if (group.length > 1) circles.push(group.toSorted());
    return state;
  };
  for (const node of targets.keys()) if (!visited.has(node)) visit(node);
  return circles;
}
