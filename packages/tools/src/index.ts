/** The built-in tools. Each is one folder: the tool, its input schema, its I/O. */
import type { Tool } from '@heddle/core';
import { bashTool } from './bash/bash.ts';
import { readTool } from './read/read.ts';

export { bashTool, readTool };

export function builtinTools(): readonly Tool[] {
  return [bashTool, readTool];
}
