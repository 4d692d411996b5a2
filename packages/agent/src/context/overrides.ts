/** Compaction settings of the user, from settings files and the environment. The environment takes precedence. */
import type { ContextChanges } from '@heddle/context';
import type { ConfigChanges } from '@heddle/core';
import { omitUndefined } from '@heddle/core';

export interface CompactionSettings {
  readonly autoCompactEnabled: boolean | undefined;
  readonly reactiveCompactEnabled: boolean | undefined;
  readonly autoCompactWindow: number | undefined;
}

/** The limits for compaction, for every model. */
export interface CompactionLimits extends Pick<ContextChanges, 'autoCompactWindow' | 'autoCompactRatio'> {
  /** Compaction is also forbidden on demand. */
  readonly isForbidden?: true;
}

export interface CompactionOverrides {
  readonly config: Pick<ConfigChanges, 'gates'>;
  readonly compaction: CompactionLimits;
}

/** If autocompact is off, compaction after an error is also off, unless it is switched on explicitly. */
export function compactionOverrides(
  { autoCompactEnabled, reactiveCompactEnabled, autoCompactWindow }: CompactionSettings,
  env: Readonly<Record<string, string | undefined>>,
): CompactionOverrides {
  const given = (name: string, other: string): string | undefined => env[`HEDDLE_${name}`] ?? env[other];
  const isForbidden = isYes(given('DISABLE_COMPACT', 'DISABLE_COMPACT'));
  const isAutoOff =
    isForbidden ||
    autoCompactEnabled === false ||
    isYes(given('DISABLE_AUTO_COMPACT', 'DISABLE_AUTO_COMPACT'));
  const isReactiveOff = isForbidden || !(reactiveCompactEnabled ?? !isAutoOff);
  const window =
    numberIn(given('AUTO_COMPACT_WINDOW', 'CLAUDE_CODE_AUTO_COMPACT_WINDOW'), Number.MAX_SAFE_INTEGER) ??
    autoCompactWindow;
  const percent = numberIn(given('AUTOCOMPACT_PCT_OVERRIDE', 'CLAUDE_AUTOCOMPACT_PCT_OVERRIDE'), 100);
  const gates = {
    ...(isAutoOff ? { autoCompact: false } : {}),
    ...(isReactiveOff ? { reactiveCompact: false } : {}),
  };
  return {
    config: isAutoOff || isReactiveOff ? { gates } : {},
    compaction: {
      ...omitUndefined({ autoCompactWindow: window }),
      ...(percent === undefined ? {} : { autoCompactRatio: percent / 100 }),
      ...(isForbidden ? { isForbidden } : {}),
    },
  };
}

function isYes(value: string | undefined): boolean {
  return value !== undefined && ['1', 'true', 'yes', 'on'].includes(value.trim().toLowerCase());
}

/** A number from 1 to `most`. Any other value counts as absent. */
function numberIn(value: string | undefined, most: number): number | undefined {
  const number = value === undefined || value.trim() === '' ? Number.NaN : Number(value);
  return number >= 1 && number <= most ? number : undefined;
}
