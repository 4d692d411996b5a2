// The page beside the pictures: the same routes as tables, and as a chart that can be searched.
import type { Route } from '@heddle/testing';
import type { Plan } from './plan.ts';

export function pageOf(routes: readonly Route[], plan: Plan, attempts: readonly Route[]): string {
  return [
    '# The machine',
    '',
    'Printed from the machine by `npm run docs:diagram`, which walks through it with the explorer of `@heddle/testing`. Do not edit it by hand.',
    '',
    '![Effects, their events, and the decisions that follow](machine.svg)',
    '',
    'Boxes are effects: the machine asks the driver to perform them. The event of an effect leads to the next effect, to a terminal',
    '(round), or to the start of another iteration, for one of seven reasons (the colored lines).',
    '',
    '## Every route',
    '',
    '*When* lists properties that all events of a row share. *Guard* lists the guards and settings that have the same answer on all',
    'events of the row that ask for them. `not x` means that the guard or setting `x` answers no.',
    '',
    '| effect | event | when | guard | next |',
    '|---|---|---|---|---|',
    ...plan.nodes.flatMap(({ name }) => rowsOf(routes, name)),
    '',
    '## At any time',
    '',
    '| what | during | next |',
    '|---|---|---|',
    ...plan.anytime.map(
      ({ what, during, everywhere, end }) =>
        `| ${what} | ${everywhere ? 'every effect' : during.map(code).join(', ')} | stop ${code(end)} |`,
    ),
    '',
    '## Attempts inside `stream`',
    '',
    '![Attempts inside one model call](attempts.svg)',
    '',
    'One `stream` effect makes attempts until one is accepted. A second, smaller machine decides after each attempt. The machine above',
    'receives only the end of the accepted one. An aborted attempt is always accepted.',
    '',
    '| when | guard | next |',
    '|---|---|---|',
    ...attempts
      .filter(({ aborted }) => !aborted)
      .map(
        ({ when, guards, to }) =>
          `| ${when.join('; ')} | ${guards.map(guard).join(', ')} | ${code(to.name)} |`,
      ),
    '',
    '## The same as a chart',
    '',
    '```mermaid',
    ...chart(plan),
    '```',
    '',
  ].join('\n');
}

/** The rows of one effect, without those that can happen at any time. */
function rowsOf(routes: readonly Route[], effect: string): string[] {
  return routes
    .filter(({ from, aborted, on }) => from === effect && !aborted && on !== 'threw')
    .map(
      ({ from, on, when, guards, to }) =>
        `| ${code(from)} | ${code(on)} | ${when.join('; ')} | ${guards.map(guard).join(', ')} | ${to.kind} ${code(to.name)} |`,
    );
}

function guard(name: string): string {
  return name.startsWith('not ') ? `not ${code(name.slice(4))}` : code(name);
}

function chart({ start, nodes, arrows, returns }: Plan): string[] {
  const ends = [...new Set(nodes.flatMap((node) => node.ends))];
  return [
    'flowchart TD',
    ...nodes.map(({ name }) => `  ${name}["${name}"]`),
    ...ends.map((end) => `  end_${end}(["${end}"])`),
    ...arrows.map(
      ({ from, to, label }) => `  ${from} -->${label.length > 0 ? `|"${label.join(', ')}"|` : ''} ${to}`,
    ),
    ...returns.map(({ from, reason }) => `  ${from} -.->|"${reason}"| ${start}`),
    ...nodes.flatMap(({ name, ends: reached }) => reached.map((end) => `  ${name} --> end_${end}`)),
  ];
}

function code(name: string): string {
  return `\`${name}\``;
}
