/** Creates the tools that share their dependencies: the file tools, and the search tools. */
import type { Tool } from '@heddle/core';
import { createGlobTool } from './glob/glob.ts';
import { type SearchDeps, searchDeps } from './grep/deps.ts';
import { createGrepTool } from './grep/grep.ts';
import { createEditTool } from './edit/edit.ts';
import { createNotebookEditTool } from './notebook/notebook-edit.ts';
import { createReadTool } from './read/read.ts';
import { createWriteTool } from './write/write.ts';
import { type FileToolDeps, fileToolDeps } from './files/deps.ts';

export function createSearchTools(given: Partial<SearchDeps> = {}): readonly Tool[] {
  const deps = searchDeps(given);
  return [createGrepTool(deps), createGlobTool(deps)];
}

/** The file tools share their record of the texts that they showed. */
export function createFileTools(deps: FileToolDeps = {}): readonly Tool[] {
  const tools = fileToolDeps(deps);
  return [
    createReadTool(tools),
    createWriteTool(tools),
    createEditTool(tools),
    createNotebookEditTool(tools),
  ];
}
