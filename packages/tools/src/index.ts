/** The built-in tools. Each is one folder: the tool, its input schema, its I/O. */
import { createBashTool } from './bash/bash.ts';
import { shellDoors } from './bash/tools.ts';

export {
  type BuiltinDoors,
  builtinTools,
  builtinToolSet,
  RARELY_USED,
  type ToolSet,
} from './tool-search/tool-set.ts';

/** With default doors. */
export const bashTool = createBashTool(shellDoors());
export { readTool } from './read/read.ts';

export type { CommandToRun, Confined, ShellDoors, ShellSandbox, ShellView } from './bash/doors.ts';
export { createShellTools } from './bash/tools.ts';
export { endLeftovers, findLeftovers, type Leftover } from './tasks/leftovers.ts';
export { TaskRegistry, type RegistryOptions } from './tasks/registry.ts';
export type { ConfinedEnd, Confinement, Launch } from './tasks/confinement.ts';
export { bootId, startTimeOf } from './tasks/process-table.ts';
export { attachmentOf, type EndedTask, readNews, toldIn } from './tasks/news.ts';
export type { TaskEnd } from './tasks/task-end.ts';
export type { Task } from './tasks/task.ts';

export type { SearchDoors } from './grep/doors.ts';
export { findRipgrep } from './grep/find-ripgrep.ts';
export { createSearchTools } from './grep/tools.ts';
export type { WebDoors } from './web/doors.ts';
export { createWebTools } from './web/tools.ts';
export { todosIn } from './todo/restore.ts';
export { type Todo, TodoList } from './todo/todo-list.ts';
export type { AskDoors } from './ask/ask-user-question.ts';
export type { PlanDecision, PlanDoors } from './plan/plan-mode.ts';
export { createToolSearchTool } from './tool-search/tool-search.ts';

export { cleanFileHistory, historyLimits } from './checkpoints/clean-up.ts';
export { CheckpointStore, type CheckpointOptions, type Rewound } from './checkpoints/store.ts';
export type { Checkpoints, FileToolDoors } from './files/doors.ts';
export { applyEdits } from './edit/apply.ts';
export { createFileTools } from './files/tools.ts';
