/**
 * The tools of a team. TaskCreate, TaskUpdate, TaskGet and TaskList work on the shared list while the conversation is part of a team,
 * and on its own list of steps otherwise. TeamCreate and TeamDelete begin and end a team.
 */
import type { CallContext, JsonObject, Tool, ToolResult } from '@heddle/core';
import type { Todo } from '@heddle/tools';
import { loadSchema, nonEmptyString, stringOrEmpty } from '../tool-input.ts';
import { type ListChange, openBlockers, type TeamTask, type TeamTaskList } from './task-list.ts';
import type { TaskChangeRequest, TeamSession } from './team-session.ts';

export interface TeamToolsDeps {
  /** Undefined if the conversation is not part of a team. */
  readonly current: () => TeamSession | undefined;
  /** Creates a team that this conversation leads, and starts its members. Rejects if that is not possible, or is aborted. */
  readonly create: (team: NewTeam, signal: AbortSignal) => Promise<void>;
  /** Ends the team with its members. */
  readonly remove: () => Promise<void>;
}

export interface NewTeam {
  readonly name: string;
  readonly description: string;
  readonly members: readonly string[];
}

/** A result on the shared list. The fields are those of the own list, so that hosts read both alike. */
interface SharedResult {
  readonly shared: ToolResult;
  readonly task?: Todo | undefined;
  readonly tasks?: readonly Todo[] | undefined;
  readonly taskId?: string | undefined;
}

type SharedCall = (team: TeamSession, input: JsonObject, context: CallContext) => Promise<SharedResult>;

/** `own`: the tools for the own list of steps. */
export function withTeamTasks(own: readonly Tool[], current: TeamToolsDeps['current']): readonly Tool[] {
  return own.map((tool) => {
    const shared = SHARED_CALLS[tool.name];
    if (!shared) return tool;
    return {
      ...tool,
      description: `${tool.description} In a team, it works on the shared list.`,
      isReadOnly: (input, { permissionMode }) =>
        permissionMode !== 'plan' || !givesWork(tool.name, input, current()),
      async call(input: unknown, context, onProgress) {
        const team = current();
        if (!team) return tool.call(input, context, onProgress);
        return { data: await shared(team, isInput(input) ? input : {}, context) };
      },
      toResult: (data: unknown) => (isShared(data) ? data.shared : tool.toResult(data)),
    } satisfies Tool;
  });
}

/** Whether members of the team may work because of a call of their lead. They keep the mode that they started in. */
function givesWork(tool: string, input: unknown, team: TeamSession | undefined): boolean {
  if (!team || team.member || tool === 'TaskGet' || tool === 'TaskList') return false;
  return !(isInput(input) && input['status'] === 'deleted');
}

const SHARED_CALLS: Readonly<Record<string, SharedCall>> = {
  async TaskCreate(team, { subject, description, activeForm }, { signal }) {
    const task = {
      subject: stringOrEmpty(subject),
      description: nonEmptyString(description),
      activeForm: nonEmptyString(activeForm),
    };
    return changeResult(await team.addTask(task, signal), 'created');
  },
  async TaskUpdate(team, input, { signal }) {
    const request = isChangeRequest(input) ? input : { taskId: '' };
    return changeResult(await team.changeTask(request, signal), 'updated');
  },
  TaskGet(team, { taskId }) {
    const task = team.folder.tasks().tasks.find(({ id }) => id === taskId);
    if (!task)
      return Promise.resolve({
        shared: { content: `There is no task #${stringOrEmpty(taskId)}.`, isError: true },
      });
    const content = [taskLine(task), task.description ?? ''].filter(Boolean).join('\n');
    return Promise.resolve({ shared: { content }, task: todoOf(task), taskId: task.id });
  },
  TaskList(team) {
    const { tasks } = team.folder.tasks();
    const members = team.folder.members().map(({ name }) => name);
    const lines = [...tasks.map(taskLine), `Members: ${members.join(', ') || 'none'}. You are ${team.name}.`];
    return Promise.resolve({ shared: { content: lines.join('\n') }, tasks: tasks.map(todoOf) });
  },
};

function changeResult(change: ListChange, verb: string): SharedResult {
  if (!change.ok) return { shared: { content: change.message, isError: true } };
  const { task } = change;
  return {
    shared: { content: `Task #${task.id} ${verb}: ${taskLine(task)}` },
    task: todoOf(task),
    taskId: task.id,
  };
}

function taskLine({ id, status, subject, owner, blockedBy }: TeamTask): string {
  const by = owner === undefined ? '' : ` (${owner})`;
  const waits =
    blockedBy.length === 0 ? '' : ` [waits for ${blockedBy.map((other) => `#${other}`).join(', ')}]`;
  return `#${id} [${status}] ${subject}${by}${waits}`;
}

/** All tasks, each with the open tasks that it waits for. */
export function openTaskLines(list: TeamTaskList): readonly string[] {
  return list.tasks.map((task) =>
    taskLine({ ...task, blockedBy: task.status === 'completed' ? [] : openBlockers(list, task) }),
  );
}

function todoOf({ id, subject, description, activeForm, status, owner, blockedBy }: TeamTask): Todo {
  return { id, content: subject, description, activeForm, status, owner, blockedBy };
}

const CREATE_INPUT: JsonObject = {
  type: 'object',
  properties: {
    team_name: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' },
    description: { type: 'string', description: 'The goal of the team' },
    members: {
      type: 'array',
      items: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' },
      minItems: 1,
      maxItems: 8,
      description: 'The names of the members. Each is a process with a conversation of its own',
    },
  },
  required: ['team_name', 'members'],
  additionalProperties: false,
};

const DELETE_INPUT: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

const TRAITS = {
  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  maxResultSize: 10_000,
  interruptBehavior: 'block',
} as const;

export function createTeamTools({ current, create, remove }: TeamToolsDeps): readonly Tool[] {
  const createTool: Tool<JsonObject, { readonly name: string }> = {
    ...TRAITS,
    name: 'TeamCreate',
    description:
      'Creates a team that you lead, and starts its members. Then add tasks with TaskCreate: idle members claim them. Messages of members arrive between your calls; SendMessage sends one by name.',
    inputJSONSchema: CREATE_INPUT,
    inputSchema: () => loadSchema(CREATE_INPUT),
    inputAliases: { name: 'team_name', agent_type: null },
    async call({ team_name: name, description, members }, { signal }) {
      const names = Array.isArray(members) ? members.map(stringOrEmpty) : [];
      const team = { name: stringOrEmpty(name), description: stringOrEmpty(description), members: names };
      await create(team, signal);
      return { data: { name: team.name } };
    },
    toResult: ({ name }) => ({ content: `The team ${name} has started. You are team-lead.` }),
  };
  const deleteTool: Tool<JsonObject, { readonly name: string }> = {
    ...TRAITS,
    name: 'TeamDelete',
    description: 'Ends your team with its members, and removes its task list and mail.',
    inputJSONSchema: DELETE_INPUT,
    inputSchema: () => loadSchema(DELETE_INPUT),
    inputAliases: { team_name: null },
    async call() {
      const team = current();
      if (!team || team.member) throw new Error('You lead no team.');
      await remove();
      return { data: { name: team.folder.name } };
    },
    toResult: ({ name }) => ({ content: `The team ${name} was removed.` }),
  };
  return [createTool, deleteTool];
}

function isInput(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

/** The schema of the tool has checked the other fields. */
function isChangeRequest(input: JsonObject): input is JsonObject & TaskChangeRequest {
  return typeof input['taskId'] === 'string';
}

function isShared(data: unknown): data is SharedResult {
  return typeof data === 'object' && data !== null && 'shared' in data;
}
