/** The built-in tools. Each is one folder: the tool, its input schema, its I/O. */
import type { Tool } from '@heddle/core';
import { bashTool } from './bash/bash.ts';
import type { FileToolDoors } from './files/doors.ts';
import { createFileTools } from './files/tools.ts';
import { readTool } from './read/read.ts';

export { bashTool, readTool };

export { CheckpointStore, type CheckpointOptions, type Rewound } from './checkpoints/store.ts';
export type { Checkpoints, FileToolDoors } from './files/doors.ts';
export { createFileTools } from './files/tools.ts';

/** Without doors nothing is checkpointed. */
export function builtinTools(doors: FileToolDoors = {}): readonly Tool[] {
  return [bashTool, ...createFileTools(doors)];
}
