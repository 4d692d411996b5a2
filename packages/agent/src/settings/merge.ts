/** Settings of several files as one: the higher scope wins, objects are joined, lists are put together. */
import type { Json, JsonObject } from '@heddle/core';
import type { LoadedFile } from './load.ts';
import { isObject } from './shape.ts';

/** Their order has a meaning, or they are limits: a lower scope must not add to them. */
const WHOLE_LISTS: ReadonlySet<string> = new Set(['fallbackModel', 'availableModels']);

/** What a folder that nobody trusts could use to run or reach something, or to spend: a model can be a script of its own. */
const NEEDS_TRUST: ReadonlySet<string> = new Set([
  'model',
  'fallbackModel',
  'env',
  'hooks',
  'apiKeyHelper',
  'statusLine',
  'sandbox',
  'enableAllProjectMcpServers',
  'enabledMcpjsonServers',
  'extraKnownMarketplaces',
  'enabledPlugins',
]);

/** The same within `permissions`; what forbids counts always. */
const PERMISSIONS_NEED_TRUST: ReadonlySet<string> = new Set(['allow', 'additionalDirectories']);

/** From the highest to the lowest scope. */
export function mergeSettings(files: readonly LoadedFile[]): JsonObject {
  return files.map(countingPart).reduceRight<JsonObject>((lower, higher) => merged(lower, higher), {});
}

function countingPart({ settings, trusted, hooks }: LoadedFile): JsonObject {
  if (trusted) return settings;
  const kept = Object.entries(settings).filter(
    ([key]) => !NEEDS_TRUST.has(key) || (key === 'hooks' && hooks),
  );
  const counting = kept.map(([key, value]): [string, Json | undefined] =>
    key === 'permissions' && isObject(value) ? [key, without(value, PERMISSIONS_NEED_TRUST)] : [key, value],
  );
  return Object.fromEntries(counting);
}

function without(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.has(key)));
}

/** The names of what did not count. */
export function leftOut(file: LoadedFile): string[] {
  const counting = countingPart(file);
  return Object.keys(file.settings).filter((key) => !Object.hasOwn(counting, key));
}

function merged(lower: JsonObject, higher: JsonObject): JsonObject {
  // Not by assignment: a key named `__proto__` would become what every other key is looked up in, past all that was left out.
  const result = new Map(Object.entries(lower));
  for (const [key, value] of Object.entries(higher)) result.set(key, joined(key, result.get(key), value));
  return Object.fromEntries(result);
}

function joined(key: string, lower: Json | undefined, higher: Json | undefined): Json | undefined {
  if (isObject(lower) && isObject(higher)) return merged(lower, higher);
  if (!isList(lower) || !isList(higher) || WHOLE_LISTS.has(key)) return higher;
  const items = new Map([...higher, ...lower].map((item) => [JSON.stringify(item), item]));
  return [...items.values()];
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
