// Core and context have no disk, network, clock, random source or process. They take these as parameters.
import { Visitor } from 'oxc-parser';
import { type Finding, finding, isTest, type Source, type TextFile, valueAt } from './source.ts';

const banned: Readonly<Record<string, string>> = {
  Date: 'take the time as a parameter',
  performance: 'take the time as a parameter',
  Temporal: 'take the time as a parameter',
  setTimeout: 'ask the caller to wait',
  setInterval: 'ask the caller to wait',
  setImmediate: 'ask the caller to wait',
  queueMicrotask: 'await what is to be waited for',
  crypto: 'take identifiers as a parameter',
  console: 'yield an event',
  process: 'take settings as a parameter',
  Buffer: 'use Uint8Array',
  fetch: 'take the model as a port',
  require: 'take the dependency as a parameter',
  globalThis: 'take what is needed from it as a parameter',
};

export function isPureSource(path: string): boolean {
  return /^packages\/(core|context)\/src\//.test(path) && !isTest(path);
}

/**
 * For files where `isPureSource` is true. Own variables with these names are rejected as well, because
 * they would mislead readers.
 */
export function corePurity(source: Source): Finding[] {
  const findings: Finding[] = [];
  const report = (offset: number, name: string, advice: string) =>
    findings.push(
      finding(
        source,
        offset,
        'core-purity',
        `no ${name} in ${/^packages\/(\w+)/.exec(source.path)?.[1]}: ${advice}`,
      ),
    );

  // Names after a dot and keys of objects and types do not refer to globals.
  const labels = new Set<unknown>();
  const label = (node: { key: unknown; computed: boolean }) => {
    if (!node.computed) labels.add(node.key);
  };
  new Visitor({
    MemberExpression(node) {
      if (!node.computed) labels.add(node.property);
    },
    TSQualifiedName: (node) => labels.add(node.right),
    Property: label,
    PropertyDefinition: label,
    MethodDefinition: label,
    TSPropertySignature: label,
    TSMethodSignature: label,
    ImportSpecifier: (node) => node.imported !== node.local && labels.add(node.imported),
    ExportSpecifier: (node) => labels.add(node.exported),
    Identifier(node) {
      const advice = Object.hasOwn(banned, node.name) ? banned[node.name] : undefined;
      if (advice !== undefined && !labels.has(node)) report(node.start, node.name, advice);
    },
  }).visit(source.program);

  new Visitor({
    MemberExpression({ object, property, computed, start }) {
      if (object.type !== 'Identifier' || object.name !== 'Math') return;
      if (computed || (property.type === 'Identifier' && property.name === 'random')) {
        report(start, 'Math.random', 'take a source of chance as a parameter');
      }
    },
    VariableDeclarator({ init, start }) {
      if (init?.type === 'Identifier' && init.name === 'Math') {
        report(start, 'Math as a value', 'call its functions by name');
      }
    },
  }).visit(source.program);

  for (const comment of source.comments) {
    if (/^\/\s*<reference\s/.test(comment.value)) {
      report(comment.start, 'reference to a type library', 'declare the few members that are needed');
    }
  }
  return findings;
}

/**
 * The compiler rejects everything that the rule above does not list, as long as these two settings hold.
 */
export function coreCompilesAlone(tsconfig: TextFile): Finding[] {
  const settings: unknown = JSON.parse(tsconfig.text);
  const types = valueAt(settings, 'compilerOptions', 'types');
  const lib = valueAt(settings, 'compilerOptions', 'lib');
  const findings: Finding[] = [];
  const report = (advice: string) => findings.push(finding(tsconfig, 0, 'core-compiles-alone', advice));
  if (!Array.isArray(types) || types.length > 0) report('set compilerOptions.types to []');
  if (!Array.isArray(lib) || lib.some((name) => !/^es\d+(\.\w+)*$/i.test(String(name)))) {
    report('set compilerOptions.lib to ECMAScript libraries only');
  }
  return findings;
}
