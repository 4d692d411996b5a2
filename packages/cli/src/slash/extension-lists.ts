/** The lists of extensions: `/skills` and `/agents`. */
import type { PromptFile } from '@heddle/agent/extensions';
import type { AgentDefinition } from '@heddle/agent';
import { shortened } from '../terminal/amounts.ts';
import { nearPath } from '../terminal/call-line.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Chat } from './command.ts';

const NONE =
  'There are no skills and no commands from files. A skill is a folder .heddle/skills/NAME with SKILL.md; a command is a file .heddle/commands/NAME.md.';

/** `/skills`: the skills and commands from files, and what is wrong with some of them. */
export function skills({ started, say, style, cwd }: Chat): void {
  const { files, problems } = started.extensions;
  const section = (heading: string, rows: readonly string[]): string[] =>
    rows.length === 0 ? [] : [style.paint('bold', heading), ...rows.map((row) => `  ${escapeControls(row)}`)];
  const rows = (kind: PromptFile['kind']): string[] =>
    files.filter((file) => file.kind === kind).map((file) => promptFileRow(file, cwd));
  const lines = [
    ...section('Skills', rows('skill')),
    ...section('Commands', rows('command')),
    ...section('Problems', problems),
  ];
  say(lines.length === 0 ? NONE : lines.join('\n'));
}

const NAME_WIDTH = 22;
const DESCRIPTION_WIDTH = 60;

function promptFileRow(file: PromptFile, cwd: string): string {
  const name = `/${file.name}${file.argumentHint === undefined ? '' : ` ${file.argumentHint}`}`;
  const users = file.isForUser ? (file.isForModel ? '' : ', only for you') : ', only for the model';
  const where = `${file.scope}${file.kind === 'skill' ? users : ''}, ${nearPath(file.file, cwd)}`;
  return `${name.padEnd(NAME_WIDTH)}  ${shortened(file.description, DESCRIPTION_WIDTH)}  (${where})`;
}

const ADVICE = 'Another one is a file .heddle/agents/NAME.md. See docs/subagents.md.';

/** `/agents`: the types of subagents, what each is for, and where it comes from. */
export function agents({ started, say, style, cwd }: Chat): void {
  const rows = started.agentTypes.list.map((definition) => `  ${escapeControls(agentRow(definition, cwd))}`);
  say([style.paint('bold', 'Agents'), ...rows, style.paint('dim', `  ${ADVICE}`)].join('\n'));
}

function agentRow({ name, description, model, source, file }: AgentDefinition, cwd: string): string {
  const about = [
    source,
    ...(model === undefined || model === 'inherit' ? [] : [model]),
    ...(file === undefined ? [] : [nearPath(file, cwd)]),
  ];
  const text = shortened(description.replace(/\s+/g, ' '), DESCRIPTION_WIDTH);
  return `${name.padEnd(NAME_WIDTH)}  ${text}  (${about.join(', ')})`;
}
