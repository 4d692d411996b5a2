/** `/memory`: the instruction files that apply, and why. */
import type { SessionInstructions } from '@heddle/agent/instructions';
import { nearPath } from '../terminal/call-line.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Chat } from './command.ts';

export function memory({ started, say, style, cwd }: Chat): void {
  const { applied, joined, found } = started.instructions;
  const present = new Set([...applied.map(({ file }) => file), ...joined.map((one) => one.path)]);
  const near = (file: string): string => escapeControls(nearPath(file, cwd));
  const sections: readonly (readonly [heading: string, rows: readonly string[]])[] = [
    ['In this conversation', applied.map(({ file, reason }) => row(near(file), reason))],
    ['Added on the way', joined.map((one) => row(near(one.path), one.reason))],
    [
      'Added when a matching file is read',
      waiting(started.instructions, present).map(([file, why]) => row(near(file), why)),
    ],
    [
      'Changed since the session began: used from the next session on',
      found.files.filter(({ file }) => !present.has(file)).map(({ file, reason }) => row(near(file), reason)),
    ],
    ['Left out', found.problems.map((problem) => `  ${escapeControls(problem)}`)],
  ];
  const shown = sections.filter(([, rows]) => rows.length > 0);
  if (shown.length === 0) return say(NONE);
  say(shown.map(([heading, rows]) => [style.paint('bold', heading), ...rows].join('\n')).join('\n'));
}

const NONE =
  'No instruction file applies. /init writes one for this project: AGENTS.md, CLAUDE.md and HEDDLE.md are read.';

function waiting(
  { found }: SessionInstructions,
  present: ReadonlySet<string>,
): readonly (readonly [file: string, why: string])[] {
  return found.byPath
    .filter(({ file }) => !present.has(file))
    .map(({ file, paths }) => [file, `for ${paths?.patterns.join(', ') ?? ''}`]);
}

const NAME_WIDTH = 32;

function row(file: string, why: string): string {
  return `  ${file.padEnd(NAME_WIDTH)}  ${escapeControls(why)}`;
}
