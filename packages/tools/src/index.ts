/** The built-in tools. Each is one folder: the tool, its input schema, its I/O. */
import type { Tool } from '@heddle/core';
import { createBashTool } from './bash/bash.ts';
import type { ShellDoors } from './bash/doors.ts';
import { createShellTools, shellDoors } from './bash/tools.ts';
import type { FileToolDoors } from './files/doors.ts';
import { createFileTools } from './files/tools.ts';
import type { SearchDoors } from './grep/doors.ts';
import { createSearchTools } from './grep/tools.ts';
import { readTool } from './read/read.ts';

/** With default doors. */
export const bashTool = createBashTool(shellDoors());
export { readTool };

export type { ShellDoors } from './bash/doors.ts';
export { createShellTools } from './bash/tools.ts';
export type { SearchDoors } from './grep/doors.ts';
export { createSearchTools } from './grep/tools.ts';
export { endLeftovers, findLeftovers, type Leftover } from './tasks/leftovers.ts';
export { TaskRegistry, type RegistryOptions } from './tasks/registry.ts';
export type { Task, TaskEnd } from './tasks/task.ts';

export { CheckpointStore, type CheckpointOptions, type Rewound } from './checkpoints/store.ts';
export type { Checkpoints, FileToolDoors } from './files/doors.ts';
export { createFileTools } from './files/tools.ts';

export interface BuiltinDoors extends FileToolDoors {
  readonly shell?: Partial<ShellDoors>;
  readonly search?: Partial<SearchDoors>;
}

/** Without doors nothing is checkpointed, and commands get this process's environment without the keys to the models. */
export function builtinTools(doors: BuiltinDoors = {}): readonly Tool[] {
  return [...createShellTools(doors.shell), ...createFileTools(doors), ...createSearchTools(doors.search)];
}
