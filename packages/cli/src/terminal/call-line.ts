/** Describes a call in one line: its tool and its most important argument. */
import { lineInProgress } from '@heddle/agent';
import { type CallPlace, isRecord, type Json, type JsonObject } from '@heddle/core';
import { resolvePath } from '@heddle/tools/files';
import path from 'node:path';
import { pluralize, shortened, tokens } from './amounts.ts';
import { escapeControls, escapeLine } from './escape-controls.ts';

/** Longer arguments are cut. The session contains the whole input. */
const MAX_ARGUMENT_LENGTH = 120;

/** `place`: where the call runs. Undefined: in the project `cwd`. */
export function callLine(tool: string, input: JsonObject, cwd: string, place: CallPlace = {}): string {
  const about = shortened(aboutOf(tool, input, cwd, place), MAX_ARGUMENT_LENGTH);
  const folder = IN_FOLDER.has(tool) ? folderOf(place, cwd) : undefined;
  const where = folder === undefined ? [] : [`(in ${folder})`];
  return [nameOf(tool), ...[about, ...where].filter((text) => text !== '').map(escapeControls)].join(' ');
}

/** These calls depend on the working directory. The lines of other calls contain the path of their file. */
const IN_FOLDER: ReadonlySet<string> = new Set(['Bash', 'Monitor', 'Grep', 'Glob']);

/** Returns the working directory of a call as a path from the project. Undefined if it is the project itself. */
export function folderOf({ workingDirectory = '' }: CallPlace, cwd: string): string | undefined {
  if (workingDirectory === '' || workingDirectory === cwd) return undefined;
  const near = nearPath(workingDirectory, cwd);
  return near.endsWith(path.sep) ? near : near + path.sep;
}

/**
 * Returns the file that a call uses as a path from the project, or as a whole path outside of it. If links lead to another file,
 * that file follows.
 */
export function fileOf(written: string, cwd: string, { workingDirectory = cwd, places }: CallPlace): string {
  const [place] = places ?? [];
  const at = written === '' || workingDirectory === cwd ? written : resolvePath(written, workingDirectory);
  const isLinked = place !== undefined && place.real !== place.path;
  return isLinked ? `${nearPath(at, cwd)} -> ${nearPath(place.real, cwd)}` : nearPath(at, cwd);
}

/** Returns the description that the model gave for the call, if there is one. */
export function purposeOf(tool: string, input: JsonObject): string | undefined {
  const about = text(input['description']);
  return tool === 'Bash' && about !== '' ? escapeControls(shortened(about, MAX_ARGUMENT_LENGTH)) : undefined;
}

/** Formats the name of a tool. The name of an MCP tool contains its server. */
export function nameOf(tool: string): string {
  const [, server, name] = /^mcp__(.+?)__(.+)$/s.exec(tool) ?? [];
  return escapeLine(server === undefined || name === undefined ? tool : `${server}: ${name}`);
}

function aboutOf(tool: string, input: JsonObject, cwd: string, place: CallPlace): string {
  switch (tool) {
    case 'Bash':
    case 'Monitor':
      return text(input['command']);
    case 'Read':
    case 'Write':
    case 'Edit':
      return fileOf(text(input['file_path']), cwd, place);
    case 'NotebookEdit':
      return fileOf(text(input['notebook_path']), cwd, place);
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
