/** The tools that access the web. */
import type { Tool } from '@heddle/core';
import { type WebDeps, webDeps } from './deps.ts';
import { createWebSearchTool } from './search/web-search.ts';
import { createWebFetchTool } from './web-fetch.ts';

export function createWebTools(given: Partial<WebDeps> = {}): readonly Tool[] {
  const deps = webDeps(given);
  return [createWebFetchTool(deps), ...(deps.search ? [createWebSearchTool(deps.search)] : [])];
}
