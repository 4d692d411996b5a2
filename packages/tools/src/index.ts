/** The built-in tools. Each is one folder: the tool, its input schema, its I/O. */
import { createBashTool } from './bash/bash.ts';
import { shellDeps } from './create-tools.ts';

export {
  type BuiltinDeps,
  builtinTools,
  builtinToolSet,
  RARELY_USED,
  type ToolSet,
} from './tool-search/tool-set.ts';

/** With default dependencies. */
export const bashTool = createBashTool(shellDeps());
export { readTool } from './read/read.ts';

export type {
  CommandToRun,
  ConfinedCommand as Confined,
  ShellDeps,
  ShellSandbox,
  ShellView,
} from './bash/deps.ts';
export { Monitors } from './tasks/monitors.ts';
export { endLeftovers, findLeftovers, type Leftover } from './tasks/record.ts';
export { TaskRegistry, type RegistryOptions } from './tasks/registry.ts';
export type { ConfinedEnd, Confinement, Launch } from './tasks/confinement.ts';
export { bootId, emptyFilesFrom, startTimeOf } from './tasks/process-table.ts';
export { attachmentOf, type EndedTask, readNotices, findReportedTasks } from './tasks/ended-task-notices.ts';
export type { TaskEnd } from './tasks/preview.ts';
export type { Task } from './tasks/task.ts';

export type { SearchDeps } from './grep/deps.ts';
export { findBash, findProgram, ownEnvironment } from './programs.ts';
export { findRipgrep } from './grep/ripgrep.ts';
export type { WebDeps } from './web/deps.ts';
export { type Todo, TodoList, todosIn } from './todo/todo-write.ts';
export type { AskDeps } from './ask/ask-user-question.ts';
export type { SkillDeps } from './skill/skill.ts';
export type { PlanDecision, PlanDeps } from './plan/plan-mode.ts';
export { createToolSearchTool, type ServerTools } from './tool-search/tool-search.ts';

export { cleanFileHistory, historyLimits } from './checkpoints/clean-up.ts';
export { CheckpointStore, type CheckpointOptions, type Rewound } from './checkpoints/store.ts';
export type { Checkpoints, FileToolDeps } from './files/deps.ts';
export { applyEdits } from './edit/apply.ts';
export { createFileTools, createSearchTools, createShellTools, createWebTools } from './create-tools.ts';
