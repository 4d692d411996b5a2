/** What all settings together say about a run, beside permission. */
import type { Effort, Json } from '@heddle/core';
import type { LoadedSettings } from './load.ts';
import { mergeSettings } from './merge.ts';
import { isObject, stringsOf } from './shape.ts';

export interface AppliedSettings {
  /** Variables for the session and its commands; those of folders that nobody trusts are not among them. */
  readonly env: Readonly<Record<string, string>>;
  readonly model: string | undefined;
  readonly fallbackModel: string | undefined;
  readonly effort: Effort | undefined;
  readonly autoCompactEnabled: boolean | undefined;
  /** In tokens. */
  readonly autoCompactWindow: number | undefined;
}

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** A value of another kind than expected counts as absent. */
export function appliedSettings({ files }: LoadedSettings): AppliedSettings {
  const { env, model, fallbackModel, effortLevel, autoCompactEnabled, autoCompactWindow } =
    mergeSettings(files);
  return {
    env: isObject(env) ? textsOf(env) : {},
    model: textOf(model),
    fallbackModel: textOf(fallbackModel) ?? stringsOf(fallbackModel)[0],
    effort: EFFORTS.find((effort) => effort === effortLevel),
    autoCompactEnabled: typeof autoCompactEnabled === 'boolean' ? autoCompactEnabled : undefined,
    autoCompactWindow:
      typeof autoCompactWindow === 'number' && autoCompactWindow > 0 ? autoCompactWindow : undefined,
  };
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
