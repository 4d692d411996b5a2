// The page beside the picture: the same routes as a table and as a chart that can be searched.
import type { Route } from '@heddle/testing';
import type { Plan } from './plan.ts';

export function pageOf(routes: readonly Route[], plan: Plan): string {
  return [
    '# The machine',
    '',
    'Printed from the machine by `npm run docs:diagram`, which walks through it with the explorer of `@heddle/testing`. Not to be edited by hand.',
    '',
    '![Effects, what comes back from them, and where that leads](machine.svg)',
    '',
    'Boxes are effects: requests of the machine to the driver. An outcome leads to the next effect, to a terminal (round), or to the',
    'beginning of another iteration, for one of seven reasons (the colored lines).',
    '',
    '## Every route',
    '',
    '*When* names the common aspects of all events on a route. If two routes look alike, the State and the Ledger decide between them.',
    '',
    '| effect | happened | when | next |',
    '|---|---|---|---|',
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
    '## The same as a chart',
    '',
    '```mermaid',
    ...chart(plan),
    '```',
    '',
  ].join('\n');
}

function rowsOf(routes: readonly Route[], effect: string): string[] {
  return routes
    .filter(({ from, aborted, on }) => from === effect && !aborted && on !== 'threw')
    .map(
      ({ from, on, when, to }) =>
        `| ${code(from)} | ${code(on)} | ${when.join('; ')} | ${to.kind} ${code(to.name)} |`,
    );
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
