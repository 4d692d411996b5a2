/** `/skills`: the skills and commands from files, and what is wrong with some of them. */
import type { PromptFile } from '@heddle/agent/extensions';
import { shortened } from '../terminal/amounts.ts';
import { nearPath } from '../terminal/call-line.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Chat } from './command.ts';

const NONE =
  'There are no skills and no commands from files. A skill is a folder .heddle/skills/NAME with SKILL.md; a command is a file .heddle/commands/NAME.md.';

export function skills({ started, say, style, cwd }: Chat): void {
  const { files, problems } = started.extensions;
  const section = (heading: string, rows: readonly string[]): string[] =>
    rows.length === 0 ? [] : [style.paint('bold', heading), ...rows.map((row) => `  ${escapeControls(row)}`)];
  const rows = (kind: PromptFile['kind']): string[] =>
    files.filter((file) => file.kind === kind).map((file) => rowOf(file, cwd));
  const lines = [
    ...section('Skills', rows('skill')),
    ...section('Commands', rows('command')),
    ...section('Problems', problems),
  ];
  say(lines.length === 0 ? NONE : lines.join('\n'));
}

const NAME_WIDTH = 22;
const DESCRIPTION_WIDTH = 60;

function rowOf(file: PromptFile, cwd: string): string {
  const name = `/${file.name}${file.argumentHint === undefined ? '' : ` ${file.argumentHint}`}`;
  const users = file.isForUser ? (file.isForModel ? '' : ', only for you') : ', only for the model';
  const where = `${file.scope}${file.kind === 'skill' ? users : ''}, ${nearPath(file.file, cwd)}`;
  return `${name.padEnd(NAME_WIDTH)}  ${shortened(file.description, DESCRIPTION_WIDTH)}  (${where})`;
}
