/** `/agents`: the types of subagents, what each is for, and where it comes from. */
import type { AgentDefinition } from '@heddle/agent';
import { shortened } from '../terminal/amounts.ts';
import { nearPath } from '../terminal/call-line.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Chat } from './command.ts';

const NAME_WIDTH = 22;
const DESCRIPTION_WIDTH = 60;
const ADVICE = 'Another one is a file .heddle/agents/NAME.md. See docs/subagents.md.';

export function agents({ started, say, style, cwd }: Chat): void {
  const rows = started.agentTypes.list.map((definition) => `  ${escapeControls(rowOf(definition, cwd))}`);
  say([style.paint('bold', 'Agents'), ...rows, style.paint('dim', `  ${ADVICE}`)].join('\n'));
}

function rowOf({ name, description, model, source, file }: AgentDefinition, cwd: string): string {
  const about = [
    source,
    ...(model === undefined || model === 'inherit' ? [] : [model]),
    ...(file === undefined ? [] : [nearPath(file, cwd)]),
  ];
  const text = shortened(description.replace(/\s+/g, ' '), DESCRIPTION_WIDTH);
  return `${name.padEnd(NAME_WIDTH)}  ${text}  (${about.join(', ')})`;
}
