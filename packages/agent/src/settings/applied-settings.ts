/** Combines all settings about a run, except permission. */
import type { Effort, Json, JsonObject } from '@heddle/core';
import { readSetting } from './known-settings.ts';
import type { LoadedSettings } from './load-settings.ts';
import { mergeSettings } from './merge-settings.ts';
import { type ModelSettings, modelSettings } from './model-settings.ts';
import { stringsOf } from './validate-settings.ts';

export interface AppliedSettings {
  /** Variables for the session and its commands. Those of untrusted folders are left out. */
  readonly env: Readonly<Record<string, string>>;
  readonly model: string | undefined;
  /** In the order in which they are tried. */
  readonly fallbackModel: readonly string[];
  /** For short texts beside the conversation. */
  readonly smallModel: string | undefined;
  /** The agent that the main conversation runs as. */
  readonly agent: string | undefined;
  /** Levels of subagents below the conversation. */
  readonly maxSubagentDepth: number | undefined;
  readonly effort: Effort | undefined;
  /** Whether capable models think. Undefined means yes. */
  readonly alwaysThinkingEnabled: boolean | undefined;
  /** Facts about models, by name. */
  readonly models: Readonly<Record<string, ModelSettings>>;
  /** Patterns of instruction files that are not read. */
  readonly claudeMdExcludes: readonly string[];
  /** In tokens. */
  readonly autoCompactWindow: number | undefined;
  /** All settings that count, also those of the loop. */
  readonly merged: JsonObject;
}

/** A value of another kind than expected counts as absent. */
export function appliedSettings({ files }: LoadedSettings): AppliedSettings {
  const merged = mergeSettings(files);
  return {
    env: textsOf(readSetting(merged, 'env') ?? {}),
    model: textOf(readSetting(merged, 'model')),
    fallbackModel: namesOf(readSetting(merged, 'fallbackModel')),
    smallModel: textOf(readSetting(merged, 'smallModel')),
    agent: textOf(readSetting(merged, 'agent')),
    maxSubagentDepth: readSetting(merged, 'maxSubagentDepth'),
    alwaysThinkingEnabled: readSetting(merged, 'alwaysThinkingEnabled'),
    models: modelSettings(readSetting(merged, 'models')),
    claudeMdExcludes: readSetting(merged, 'claudeMdExcludes') ?? [],
    effort: readSetting(merged, 'effortLevel'),
    autoCompactWindow: readSetting(merged, 'autoCompactWindow'),
    merged,
  };
}

/** Accepts a list, or one text with commas as on the command line. */
function namesOf(value: Json | undefined): readonly string[] {
  const names = textOf(value)?.split(',') ?? stringsOf(value);
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function textsOf(values: Readonly<Record<string, Json | undefined>>): Record<string, string> {
  const entries = Object.entries(values).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [[name, String(value)]]
      : [],
  );
  return Object.fromEntries(entries);
}
