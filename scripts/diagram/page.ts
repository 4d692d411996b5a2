// The page beside the pictures: the same routes as tables, and as a chart that can be searched.
import { DEFAULT_GATES } from '@heddle/core';
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
    'The rows are observations, not conditions, and their order has no meaning. The order of the conditions is that of the code in',
    '`packages/core/src/machine/decide.ts`, where the first one that applies wins.',
    '',
    '*When* lists properties that all events of a row share. *Observed* lists each guard or setting whose answer was the same whenever a',
    'decision of the row asked for it. `not x` means that the answer was no. Other decisions of the row may not have asked for it at all.',
    'Example: the row from `stream` to `compact` has `not mayDrain`. The decision asks for `mayDrain` only after an overflow with staged',
    'collapses, so a compaction does not need collapses.',
    '',
    '| effect | event | when | observed | next |',
    '|---|---|---|---|---|',
    ...plan.nodes.flatMap(({ name }) => rowsOf(routes, name)),
    '',
    '## Default gates',
    '',
    'Gates are the settings of the machine that switch a feature on or off (`config.gates` of an agent).',
    '',
    '| gate | default |',
    '|---|---|',
    ...Object.entries(DEFAULT_GATES).map(([name, isOn]) => `| ${code(name)} | ${isOn ? 'on' : 'off'} |`),
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
    '| when | observed | next |',
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
