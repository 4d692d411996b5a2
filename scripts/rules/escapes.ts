// Rejects ways around the type checker or the tests: `any`, `!`, silenced errors, disabled tests.
import { type Expression, Visitor } from 'oxc-parser';
import { type Finding, finding, type Source } from './source.ts';

export function noTypeEscapes(source: Source): Finding[] {
  const findings: Finding[] = [];
  const report = (offset: number, rule: string, advice: string) =>
    findings.push(finding(source, offset, rule, advice));
  const nonNull = (offset: number) =>
    report(
      offset,
      'no-non-null',
      'narrow the type or handle the missing value instead of asserting with `!`',
    );

  new Visitor({
    TSAnyKeyword: ({ start }) => report(start, 'no-any', 'use `unknown` and narrow it, or a schema'),
    TSNonNullExpression: ({ end }) => nonNull(end - 1),
    VariableDeclarator: ({ definite, start }) => definite === true && nonNull(start),
    PropertyDefinition: ({ definite, start }) => definite === true && nonNull(start),
  }).visit(source.program);
  return findings;
}

const silencer = /^[\s*/]*(@ts-(?:ignore|nocheck|expect-error)|(?:oxlint|eslint)-disable[\w-]*)(.*)$/m;

export function noSilencedErrors(source: Source): Finding[] {
  return source.comments.flatMap((comment) => {
    const [, directive, rest = ''] = silencer.exec(comment.value) ?? [];
    const advice = directive === undefined ? undefined : adviceOnSilencer(directive, rest);
    return advice === undefined ? [] : [finding(source, comment.start, 'no-silenced-errors', advice)];
  });
}

function adviceOnSilencer(directive: string, rest: string): string | undefined {
  if (directive === '@ts-ignore' || directive === '@ts-nocheck') {
    return `remove ${directive} and correct the type; if that is not possible, use @ts-expect-error with a reason`;
  }
  const reason = directive === '@ts-expect-error' ? rest : rest.split(/\s--\s/)[1];
  return /\w{3}/.test(reason ?? '') ? undefined : `say why ${directive} is needed, after ' -- '`;
}

const testFunctions = new Set(['it', 'test', 'describe', 'suite', 'bench']);
const switches = new Set(['only', 'skip', 'todo']);

/** `it.only(…)`, `describe.concurrent.skip(…)`, `it('…', { todo: true }, …)`. */
export function noSwitchedOffTests(source: Source): Finding[] {
  const findings: Finding[] = [];
  const check = (offset: number, name: string) => {
    if (!switches.has(name)) return;
    const advice = `remove .${name}: every test runs, and one that is not written yet is an issue`;
    findings.push(finding(source, offset, 'no-switched-off-tests', advice));
  };

  new Visitor({
    MemberExpression({ object, property, computed, start }) {
      if (!computed && property.type === 'Identifier' && isTestFunction(object)) check(start, property.name);
    },
    CallExpression({ callee, arguments: [, options] }) {
      if (!isTestFunction(callee) || options?.type !== 'ObjectExpression') return;
      for (const option of options.properties) {
        if (option.type === 'Property' && option.key.type === 'Identifier')
          check(option.start, option.key.name);
      }
    },
  }).visit(source.program);
  return findings;
}

function isTestFunction(expression: Expression): boolean {
  if (expression.type === 'Identifier') return testFunctions.has(expression.name);
  return expression.type === 'MemberExpression' && isTestFunction(expression.object);
}
