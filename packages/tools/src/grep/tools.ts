/** Grep and Glob, with default dependencies if none are given. */
import type { Tool } from '@heddle/core';
import { createGlobTool } from '../glob/glob.ts';
import { type SearchDeps, searchDeps } from './deps.ts';
import { createGrepTool } from './grep.ts';

export function createSearchTools(given: Partial<SearchDeps> = {}): readonly Tool[] {
  const deps = searchDeps(given);
  return [createGrepTool(deps), createGlobTool(deps)];
}
