/** The tools that read and change files. They share the cache of shown texts. */
import type { Tool } from '@heddle/core';
import { createEditTool } from '../edit/edit.ts';
import { createNotebookEditTool } from '../notebook/notebook-edit.ts';
import { createReadTool } from '../read/read.ts';
import { createWriteTool } from '../write/write.ts';
import { type FileToolDeps, fileToolDeps } from './deps.ts';

export function createFileTools(deps: FileToolDeps = {}): readonly Tool[] {
  const tools = fileToolDeps(deps);
  return [
    createReadTool(tools),
    createWriteTool(tools),
    createEditTool(tools),
    createNotebookEditTool(tools),
  ];
}
