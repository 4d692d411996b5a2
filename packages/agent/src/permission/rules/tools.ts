/** Which tools touch files, which field of their input says what they touch, and which rules govern them. */
import type { JsonObject } from '@heddle/core';

const READERS: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob', 'LSP', 'NotebookRead', 'LS']);
const EDITORS: ReadonlySet<string> = new Set(['Edit', 'Write', 'NotebookEdit', 'MultiEdit']);

/** The call itself is a question to the user: only the user's answer lets it run. */
const QUESTIONS: ReadonlyMap<string, string> = new Map([
  ['AskUserQuestion', 'Decide yourself, and say what you assumed.'],
  ['ExitPlanMode', 'End your turn with the plan as your answer.'],
]);

export function isQuestion(tool: string): boolean {
  return QUESTIONS.has(tool);
}

/** How to go on where nobody can be asked. */
export function withoutAnswer(tool: string): string | undefined {
  return QUESTIONS.get(tool);
}

/** Read rules govern all that read files, Edit rules all that change them. */
export function governors(tool: string): readonly string[] {
  if (READERS.has(tool)) return [tool, 'Read'];
  if (EDITORS.has(tool)) return [tool, 'Edit'];
  return [tool];
}

export function fileAccess(tool: string): 'read' | 'write' | undefined {
  if (READERS.has(tool)) return 'read';
  return EDITORS.has(tool) ? 'write' : undefined;
}

/** The field a rule's specifier speaks of; `Tool(param:value)` speaks of the others. */
const MAIN_FIELDS: Readonly<Record<string, string>> = {
  Bash: 'command',
  Agent: 'subagent_type',
  Skill: 'skill',
  WebFetch: 'url',
  WebSearch: 'query',
};

export function mainField(tool: string): string | undefined {
  if (fileAccess(tool))
    return tool === 'NotebookEdit'
      ? 'notebook_path'
      : tool === 'Grep' || tool === 'Glob'
        ? 'path'
        : 'file_path';
  return Object.hasOwn(MAIN_FIELDS, tool) ? MAIN_FIELDS[tool] : undefined;
}

/** What the specifier of a rule for another tool is held against: `Agent(name)`, `Skill(name args)`. */
export function calledName(tool: string, input: JsonObject): string | undefined {
  const field = mainField(tool);
  const main = field === undefined ? undefined : input[field];
  if (typeof main !== 'string') return undefined;
  const args = tool === 'Skill' ? input['args'] : undefined;
  return typeof args === 'string' && args !== '' ? `${main} ${args}` : main;
}
