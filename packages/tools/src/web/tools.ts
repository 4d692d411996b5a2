/** The tools that look beyond this machine. */
import type { Tool } from '@heddle/core';
import { type WebDoors, webDoors } from './doors.ts';
import { createWebSearchTool } from './search/web-search.ts';
import { createWebFetchTool } from './web-fetch.ts';

export function createWebTools(given: Partial<WebDoors> = {}): readonly Tool[] {
  const doors = webDoors(given);
  return [createWebFetchTool(doors), ...(doors.search ? [createWebSearchTool(doors.search)] : [])];
}
