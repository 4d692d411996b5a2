// A function of product code has at most 80 lines. A longer one has several subjects.
import { Visitor } from 'oxc-parser';
import { type Finding, finding, isTest, type Source } from './source.ts';

const MOST_LINES = 80;

/** Longer functions that stay for now: `file name`, and how many lines they may have. The numbers may only shrink. */
const LONG_FUNCTIONS: Readonly<Record<string, number>> = {
  'packages/testing/src/explorer/explore.ts explore': 126,
  'packages/testing/src/mcp/remote-server.ts startRemoteServer': 84,
  'packages/testing/src/properties/context.ts plannedContextPort': 107,
};

/** Tests do not count: a suite is a function, too. */
export function shortFunctions(
  source: Source,
  allowed: Readonly<Record<string, number>> = LONG_FUNCTIONS,
): Finding[] {
  if (!/^packages\/[^/]+\/src\//.test(source.path) || isTest(source.path)) return [];
  const findings: Finding[] = [];
  const check = (node: FunctionNode): void => {
    const lines = source.text.slice(node.start, node.end).split('\n').length;
    const name = node.id?.name ?? '';
    if (lines <= (allowed[`${source.path} ${name}`] ?? MOST_LINES)) return;
    const advice = `${name || 'a function'} has ${lines} lines: split it along its subjects (at most ${MOST_LINES})`;
    findings.push(finding(source, node.start, 'short-functions', advice));
  };
  new Visitor({
    FunctionDeclaration: check,
    FunctionExpression: check,
    ArrowFunctionExpression: check,
  }).visit(source.program);
  return findings;
}

interface FunctionNode {
  readonly start: number;
  readonly end: number;
  readonly id?: { readonly name: string } | null;
}
