/** Builds the tools of a session with their dependencies: file history, environment of commands, web search, tasks. */
import path from 'node:path';
import { type AgentOptions, fileHistoryFolder, type Session } from '@heddle/agent';
import type { LoopEvent, ModelPort, Tool } from '@heddle/core';
import {
  type AskDeps,
  attachmentOf,
  type BuiltinDeps,
  builtinToolSet,
  CheckpointStore,
  cleanFileHistory,
  endLeftovers,
  findLeftovers,
  historyLimits,
  Monitors,
  type Leftover,
  type PlanDeps,
  RARELY_USED,
  readNotices,
  type ServerTools,
  type ShellSandbox,
  type SkillDeps,
  type ShellView,
  TaskRegistry,
  TodoList,
  todosIn,
  findReportedTasks,
} from '@heddle/tools';
import { configDir } from '../config-dir.ts';
import { commandEnvironment } from '../keys.ts';

/** Tools that ask the user. They are loaded from the start if a user or a host is present. */
export const ASKING_TOOLS: readonly string[] = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode'];

/** The handlers for the model's questions and plans, and the choice of tools. */
export interface ToolChoices extends AskDeps, PlanDeps {
  /** Whether a tool may be shown to the model at all. */
  readonly isOffered?: (name: string) => boolean;
  /** Asked for by name: in every request, however rarely they are used. */
  readonly named?: readonly string[];
  /** The model of the conversation: where its server can, it searches the web. */
  readonly model?: { readonly port: ModelPort; readonly name: string };
  /** Hosts on this machine or network that may be fetched from. */
  readonly allowsPrivate?: (host: string) => boolean;
  /** Tools of MCP servers. */
  readonly servers?: ServerTools | undefined;
  /** The skills that the model may use. Undefined if there are none. */
  readonly skills?: SkillDeps | undefined;
  /** Tools of other packages. */
  readonly more?: readonly Tool[] | undefined;
  readonly taskTools?: BuiltinDeps['taskTools'];
  /** Commands run inside it. */
  readonly sandbox?: ShellSandbox | undefined;
  /** Commands that are allowed only because they change nothing run in it. */
  readonly view?: ShellView | undefined;
  /** The span of a call, for its command. Undefined: telemetry is off. */
  readonly traceparentOf?: ((toolUseId: string | undefined) => string | undefined) | undefined;
}

export interface SessionTools {
  /** The options of the agent that concern the tools. */
  readonly options: Pick<
    AgentOptions,
    'tools' | 'deferredTools' | 'commandEnvironment' | 'onAccepted' | 'onEvent' | 'news'
  >;
  /** The todo list, in its last state of the conversation. */
  readonly todos: TodoList;
  readonly tasks: TaskRegistry;
  /** Undefined for a session that leaves nothing behind: there is nowhere to go back to. */
  readonly checkpoints: CheckpointStore | undefined;
  /** Commands of an earlier run of this session that were still running; they were ended. */
  readonly ended: readonly Leftover[];
  /** Ends what still runs in the background, and clears away what is too old. */
  readonly dispose: () => Promise<void>;
}

export async function sessionTools(session: Session, choices: ToolChoices = {}): Promise<SessionTools> {
  const { tasks, ended } = await tasksOf(session);
  const checkpoints = checkpointsOf(session);
  const monitors = new Monitors();
  const todos = new TodoList();
  todos.set(todosIn(session.projection.messages));
  const {
    isOffered,
    named = [],
    model,
    servers,
    sandbox,
    view,
    allowsPrivate = () => false,
    traceparentOf,
    ...people
  } = choices;
  const deps: BuiltinDeps = {
    ...people,
    checkpoints,
    shell: { tasks, monitors, environment: commandEnvironment, traceparentOf, sandbox, view },
    todos,
    web: {
      allowsPrivate,
      search: model?.port.searchesWeb ? { model: model.port, modelName: model.name } : undefined,
    },
  };
  const { active, deferred } = builtinToolSet(deps, {
    defer: RARELY_USED.filter((name) => !named.includes(name)),
    isOffered,
    servers,
  });
  return {
    options: {
      tools: active,
      commandEnvironment,
      deferredTools: () => [...deferred, ...(servers?.tools() ?? [])],
      // The last lines of a monitor come before the notice of its end.
      news: () => [...monitors.news(), ...tasks.news.map(attachmentOf)],
      onEvent: (event) => {
        noteReported(event, tasks);
        monitors.observe(event);
      },
      onAccepted: checkpoints && ((id) => checkpoints.begin(id)),
    },
    todos,
    tasks,
    checkpoints,
    ended,
    dispose: async () => {
      await tasks.dispose();
      if (checkpoints) await cleanUp(session.id);
    },
  };
}

/** Marks a task as reported only when the report to the model is stored. */
function noteReported(event: LoopEvent, tasks: TaskRegistry): void {
  if (event.type !== 'message' || event.message.type !== 'attachment') return;
  const { attachment } = event.message;
  if (attachment.kind === 'task_ended') tasks.markReported(attachment.taskId);
}

/** A session that leaves nothing behind keeps its tasks where the system clears them away. */
async function tasksOf({
  id,
  journal,
  projection,
}: Session): Promise<{ tasks: TaskRegistry; ended: readonly Leftover[] }> {
  if (journal.path === undefined) return { tasks: new TaskRegistry(), ended: [] };
  const folder = path.join(path.dirname(journal.path), id, 'tasks');
  const ended = findLeftovers(folder);
  if (ended.length > 0) await endLeftovers(folder);
  const earlier = readNotices(folder);
  const reported = earlier.length === 0 ? undefined : findReportedTasks(projection.messages);
  const tasks = new TaskRegistry({ folder, earlier: earlier.filter((task) => !reported?.has(task.id)) });
  for (const task of earlier) if (reported?.has(task.id)) tasks.markReported(task.id);
  return { tasks, ended };
}

function checkpointsOf({ id, journal }: Session): CheckpointStore | undefined {
  if (journal.path === undefined) return undefined;
  return new CheckpointStore({
    folder: fileHistory(id),
    onCheckpoint: ({ toolUseId, path, hash }) =>
      journal.append({ type: 'checkpoint', toolUseId, path, hash }),
  });
}

/** Cleans the file history when a session ends, at most once a day, so that the start is not delayed. */
async function cleanUp(keep: string): Promise<void> {
  const root = path.dirname(fileHistory(keep));
  await cleanFileHistory({ root, keep, limits: historyLimits(process.env), now: Date.now });
}

/** The folder for the old contents of a session's files. It is outside any repository. */
export function fileHistory(sessionId: string): string {
  return fileHistoryFolder(configDir(process.env), sessionId);
}
