/** `/memory`: the instruction files that apply, and why, and the memory of the project. `/remember`: adds a line to one of the files. */
import { readMemoryIndex } from '@heddle/agent';
import type { SessionInstructions } from '@heddle/agent/instructions';
import { errorMessage } from '@heddle/core';
import { appendFileSync, lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { answered, choiceDialog, type Dialog } from '../terminal/dialog.ts';
import { nearPath } from '../terminal/call-line.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Chat } from './command.ts';

export function memory({ started, options, say, style, cwd }: Chat): void {
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
    ['Memory of earlier sessions', memoryRows(options.memory, near)],
    ['Left out', found.problems.map((problem) => `  ${escapeControls(problem)}`)],
  ];
  const shown = sections.filter(([, rows]) => rows.length > 0);
  if (shown.length === 0) return say(NONE);
  say(shown.map(([heading, rows]) => [style.paint('bold', heading), ...rows].join('\n')).join('\n'));
}

const NONE =
  'No instruction file applies. /init writes one for this project: AGENTS.md, CLAUDE.md and HEDDLE.md are read.';

/** The index and its topics. A session reads the index when it begins. */
function memoryRows(folder: string | undefined, near: (file: string) => string): readonly string[] {
  const index = folder === undefined ? undefined : readMemoryIndex(folder);
  if (!index) return [];
  const topics = index.topics.map(({ name, description }) => row(`  ${escapeControls(name)}`, description));
  return [row(near(index.file), 'the index, read when a session begins'), ...topics];
}

function waiting(
  { found }: SessionInstructions,
  present: ReadonlySet<string>,
): readonly (readonly [file: string, why: string])[] {
  return found.byPath
    .filter(({ file }) => !present.has(file))
    .map(({ file, paths }) => [file, `for ${paths?.patterns.join(', ') ?? ''}`]);
}

/** The first existing name is used, and the first name for a new file. */
const PROJECT_NAMES = ['AGENTS.md', 'CLAUDE.md', 'HEDDLE.md'];
const PRIVATE_NAME = 'CLAUDE.local.md';

/** Asks for the file, and adds the text as an item of a list. */
export async function remember(text: string, { say, ask, cwd, configDir }: Chat): Promise<void> {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  if (line === '') return say('Type what to remember: /remember TEXT, or # TEXT.');
  const file = await ask(
    fileDialog([
      [existingIn(cwd), 'this project'],
      [path.join(cwd, PRIVATE_NAME), 'this project, only for you'],
      [existingIn(configDir), 'all projects'],
    ]),
  );
  if (file === undefined) return;
  const problem = appendItem(file, line);
  say(
    escapeControls(
      problem ?? `Added to ${nearPath(file, cwd)}. Sessions read it when they begin, so this one does not.`,
    ),
  );
}

function existingIn(folder: string): string {
  const files = PROJECT_NAMES.map((name) => path.join(folder, name));
  return files.find((file) => lstatSync(file, { throwIfNoEntry: false })) ?? files[0] ?? folder;
}

function fileDialog(files: readonly (readonly [file: string, where: string])[]): Dialog<string> {
  return choiceDialog(
    ['Where should it be remembered?'],
    files.map(([file, where], index) => ({
      key: String(index + 1),
      text: where,
      detail: escapeControls(file),
      reply: () => answered(file),
    })),
    { prompt: 'remember> ' },
  );
}

/** Returns the reason if the file cannot be written. A link may lead anywhere, so it is not followed. */
function appendItem(file: string, line: string): string | undefined {
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat && !stat.isFile()) return `${file} is not an ordinary file, so nothing was added.`;
    const before = stat ? readFileSync(file, 'utf8') : '';
    const gap = before === '' || before.endsWith('\n') ? '' : '\n';
    appendFileSync(file, `${gap}- ${line}\n`);
    return undefined;
  } catch (thrown) {
    return `${file} cannot be written: ${errorMessage(thrown)}`;
  }
}

const NAME_WIDTH = 32;

function row(file: string, why: string): string {
  return `  ${file.padEnd(NAME_WIDTH)}  ${escapeControls(why)}`;
}
