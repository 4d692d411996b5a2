/** Grep and Glob, with or without a house around them. */
import type { Tool } from '@heddle/core';
import { createGlobTool } from '../glob/glob.ts';
import { type SearchDoors, searchDoors } from './doors.ts';
import { createGrepTool } from './grep.ts';

export function createSearchTools(given: Partial<SearchDoors> = {}): readonly Tool[] {
  const doors = searchDoors(given);
  return [createGrepTool(doors), createGlobTool(doors)];
}
