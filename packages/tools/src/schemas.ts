/**
 * The input schemas of all built-in tools, for the script that writes `generated/schemas.ts`. Loads the
 * schema library: never import it from a tool.
 */
import * as z from 'zod';
import { askUserQuestionInput } from './ask/schema.ts';
import { bashInput, monitorInput } from './bash/schema.ts';
import { editInput } from './edit/schema.ts';
import { globInput } from './glob/schema.ts';
import { grepInput } from './grep/schema.ts';
import { notebookEditInput } from './notebook/schema.ts';
import { enterPlanModeInput, exitPlanModeInput } from './plan/schema.ts';
import { readInput } from './read/schema.ts';
import { skillInput } from './skill/schema.ts';
import { taskOutputInput, taskStopInput } from './tasks/schema.ts';
import {
  taskCreateInput,
  taskGetInput,
  taskListInput,
  taskUpdateInput,
  todoWriteInput,
} from './todo/schema.ts';
import { toolSearchInput } from './tool-search/schema.ts';
import { webFetchInput, webSearchInput } from './web/schema.ts';
import { writeInput } from './write/schema.ts';

export function jsonSchemas(): Readonly<Record<string, object>> {
  return {
    Bash: z.toJSONSchema(bashInput, { io: 'input' }),
    TaskOutput: z.toJSONSchema(taskOutputInput, { io: 'input' }),
    TaskStop: z.toJSONSchema(taskStopInput, { io: 'input' }),
    Monitor: z.toJSONSchema(monitorInput, { io: 'input' }),
    Grep: z.toJSONSchema(grepInput, { io: 'input' }),
    Glob: z.toJSONSchema(globInput, { io: 'input' }),
    WebFetch: z.toJSONSchema(webFetchInput, { io: 'input' }),
    WebSearch: z.toJSONSchema(webSearchInput, { io: 'input' }),
    TodoWrite: z.toJSONSchema(todoWriteInput, { io: 'input' }),
    TaskCreate: z.toJSONSchema(taskCreateInput, { io: 'input' }),
    TaskUpdate: z.toJSONSchema(taskUpdateInput, { io: 'input' }),
    TaskGet: z.toJSONSchema(taskGetInput, { io: 'input' }),
    TaskList: z.toJSONSchema(taskListInput, { io: 'input' }),
    AskUserQuestion: z.toJSONSchema(askUserQuestionInput, { io: 'input' }),
    EnterPlanMode: z.toJSONSchema(enterPlanModeInput, { io: 'input' }),
    ExitPlanMode: z.toJSONSchema(exitPlanModeInput, { io: 'input' }),
    Skill: z.toJSONSchema(skillInput, { io: 'input' }),
    ToolSearch: z.toJSONSchema(toolSearchInput, { io: 'input' }),
    Read: z.toJSONSchema(readInput, { io: 'input' }),
    Write: z.toJSONSchema(writeInput, { io: 'input' }),
    Edit: z.toJSONSchema(editInput, { io: 'input' }),
    NotebookEdit: z.toJSONSchema(notebookEditInput, { io: 'input' }),
  };
}

export function renderSchemas(): string {
  const schemas = Object.entries(jsonSchemas()).map(([name, schema]) => {
    const { $schema: _, ...rest } = { $schema: undefined, ...schema };
    return `  ${name}: ${JSON.stringify(rest, withoutBoundsOfNumbers)},`;
  });
  return [
    '// Written by `npm run generate` from the input schemas of the tools. Do not edit.',
    '/* biome-ignore-all format: generated */',
    'export const inputSchemas = {',
    ...schemas,
    '} as const;',
    '',
  ].join('\n');
}

/** Removes the largest safe integer, which every request would carry and no model needs. */
function withoutBoundsOfNumbers(key: string, value: unknown): unknown {
  return key === 'maximum' && value === Number.MAX_SAFE_INTEGER ? undefined : value;
}
