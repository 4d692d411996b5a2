/** Settings of several files as one. */
import type { JsonObject } from '@heddle/core';
import { joinSettings } from './parts.ts';
import type { LoadedFile } from './scopes.ts';

/** From the highest to the lowest scope. Only what counts of each file takes part. */
export function mergeSettings(files: readonly LoadedFile[]): JsonObject {
  return files.reduceRight<JsonObject>((lower, { counting }) => joinSettings(lower, counting), {});
}
