// The layers of packages: which package may import which. See ARCHITECTURE.md.
import path from 'node:path';
import { Visitor } from 'oxc-parser';
import { type Finding, finding, isTest, type Source } from './source.ts';

/** Package folder → folders of the packages it may import. The agent and the program embed the scripted model. */
const below: Readonly<Record<string, readonly string[]>> = {
  core: [],
  testing: ['core'],
  context: ['core'],
  models: ['core'],
  tools: ['core'],
  mcp: ['core'],
  agent: ['core', 'context', 'models', 'tools', 'mcp', 'testing'],
  viewer: ['core', 'agent'],
  fleet: ['core', 'agent'],
  cli: ['core', 'context', 'models', 'tools', 'mcp', 'testing', 'agent', 'viewer', 'fleet'],
};

/** Packages without disk, network, clock or process → the modules of others that they may use. */
const pureDependencies: Readonly<Record<string, readonly string[]>> = { core: ['zod'], context: [] };

/** `exportsOf` gives the keys of a package's `exports` (`.`, `./name`) by its folder. */
export function importDirection(source: Source, exportsOf: (folder: string) => readonly string[]): Finding[] {
  return importsOf(source).flatMap(({ specifier, offset }) => {
    const advice = adviceOnImport(source.path, specifier, exportsOf);
    return advice === undefined ? [] : [finding(source, offset, 'import-direction', advice)];
  });
}

function adviceOnImport(
  importer: string,
  specifier: string,
  exportsOf: (folder: string) => readonly string[],
): string | undefined {
  const home = packageFolder(importer);
  // A manifest is data. Only scripts outside the packages have a reason to read one.
  if (home === undefined && specifier.endsWith('/package.json')) return undefined;
  if (specifier.startsWith('.')) {
    const target = packageFolder(path.posix.join(path.posix.dirname(importer), specifier));
    return target === home
      ? undefined
      : `import '${specifier}' by the name of its package, not by a relative path`;
  }

  const [, folder, subpath = ''] = /^(?:@heddle\/([\w-]+)|heddle(?=\/|$))(\/.*)?$/.exec(specifier) ?? [];
  const target = /^heddle(\/|$)/.test(specifier) ? 'cli' : folder;
  if (target === undefined) {
    const known = isTest(importer) ? undefined : pureDependencies[home ?? ''];
    if (known === undefined || known.includes(specifier)) return undefined;
    return `${home} depends on nothing but ${known.join() || 'core'}: take '${specifier}' as a parameter`;
  }

  if (!exportsOf(target).includes(`.${subpath}`)) {
    return `'${specifier}' is not in the exports of packages/${target}: export what is needed from its face`;
  }
  if (home === undefined || target === home) return undefined;
  const allowed = below[home] ?? [];
  if (allowed.includes(target) || (target === 'testing' && isTest(importer))) return undefined;
  return `${home} may import ${allowed.join(', ') || 'no other package'}: move the code down, or pass it in`;
}

/** Returns the folder under packages/ that contains a path. Undefined for scripts and configuration. */
function packageFolder(file: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(`${file}/`)?.[1];
}

export function importsOf(source: Source): { specifier: string; offset: number }[] {
  const imports: { specifier: string; offset: number }[] = [];
  const add = (node: { type: string; value?: unknown; start: number } | null) => {
    if (typeof node?.value === 'string') imports.push({ specifier: node.value, offset: node.start });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
  }).visit(source.program);
  return imports;
}
