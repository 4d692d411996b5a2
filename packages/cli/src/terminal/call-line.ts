/** Describes a call in one line: its tool and its most important argument. */
import { lineInProgress } from '@heddle/agent';
import { isRecord, type Json, type JsonObject } from '@heddle/core';
import path from 'node:path';
import { pluralize, shortened, tokens } from './amounts.ts';
import { escapeControls } from './escape-controls.ts';

/** Longer arguments are cut. The session contains the whole input. */
const MAX_ARGUMENT_LENGTH = 120;

export function callLine(tool: string, input: JsonObject, cwd: string): string {
  const about = escapeControls(shortened(aboutOf(tool, input, cwd), MAX_ARGUMENT_LENGTH));
  return about === '' ? nameOf(tool) : `${nameOf(tool)} ${about}`;
}

/** Returns the description that the model gave for the call, if there is one. */
export function purposeOf(tool: string, input: JsonObject): string | undefined {
  const about = text(input['description']);
  return tool === 'Bash' && about !== '' ? escapeControls(shortened(about, MAX_ARGUMENT_LENGTH)) : undefined;
}

/** Formats the name of a tool. The name of an MCP tool contains its server. */
export function nameOf(tool: string): string {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return escapeControls(server === undefined || name === undefined ? tool : `${server}: ${name}`);
}

function aboutOf(tool: string, input: JsonObject, cwd: string): string {
  switch (tool) {
    case 'Bash':
    case 'Monitor':
      return text(input['command']);
    case 'Read':
    case 'Write':
    case 'Edit':
      return nearPath(text(input['file_path']), cwd);
    case 'NotebookEdit':
      return nearPath(text(input['notebook_path']), cwd);
    case 'Grep':
    case 'Glob': {
      const where = text(input['path']);
      return where === '' ? text(input['pattern']) : `${text(input['pattern'])} in ${nearPath(where, cwd)}`;
    }
    case 'WebFetch':
      return text(input['url']);
    case 'WebSearch':
    case 'ToolSearch':
      return text(input['query']);
    case 'Agent':
      return text(input['description']) || text(input['prompt']);
    case 'Skill':
      return text(input['skill']);
    case 'TaskOutput':
    case 'TaskStop':
      return text(input['task_id']);
    case 'TaskCreate':
      return text(input['subject']);
    case 'TaskUpdate':
      return [`#${text(input['taskId'])}`, text(input['status'])].filter(Boolean).join(' ');
    case 'TaskGet':
      return `#${text(input['taskId'])}`;
    case 'TodoWrite':
    case 'TaskList':
    case 'AskUserQuestion':
    case 'EnterPlanMode':
    case 'ExitPlanMode':
      return '';
    default:
      return Object.keys(input).length === 0 ? '' : JSON.stringify(input);
  }
}

/** Returns the path relative to `cwd` if the file is below it. */
export function nearPath(file: string, cwd: string): string {
  if (!path.isAbsolute(file)) return file;
  const near = path.relative(cwd, file);
  return near !== '' && !near.startsWith('..') ? near : file;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the text of a call's progress: new output of a command, or a line about the work of a subagent. */
export function progressText(data: Json): string | undefined {
  const output = isRecord(data) ? data['output'] : undefined;
  if (typeof output === 'string') return output;
  const line = lineInProgress(data);
  if (line?.type !== 'system' || line.subtype !== 'task_progress') return undefined;
  const { total_tokens, tool_uses } = line.usage;
  return `${line.last_tool_name ?? ''} (${pluralize(tool_uses, 'call')}, ${tokens(total_tokens)} tokens)\n`;
}
