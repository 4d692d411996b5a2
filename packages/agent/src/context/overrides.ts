/** What the user says about compaction, in settings and in the environment. The environment has the last word. */
import type { ConfigChanges, ContextChanges } from '@heddle/core';

export interface CompactionSettings {
  readonly autoCompactEnabled: boolean | undefined;
  readonly autoCompactWindow: number | undefined;
}

/** When a conversation is compacted; holds for every model. */
export type CompactionLimits = Pick<ContextChanges, 'autoCompactWindow' | 'autoCompactRatio'>;

export interface CompactionOverrides {
  readonly config: Pick<ConfigChanges, 'gates'>;
  readonly compaction: CompactionLimits;
}

export function compactionOverrides(
  { autoCompactEnabled, autoCompactWindow }: CompactionSettings,
  env: Readonly<Record<string, string | undefined>>,
): CompactionOverrides {
  const isOff = autoCompactEnabled === false || isYes(env['DISABLE_AUTO_COMPACT']);
  const window =
    numberIn(env['CLAUDE_CODE_AUTO_COMPACT_WINDOW'], Number.MAX_SAFE_INTEGER) ?? autoCompactWindow;
  const percent = numberIn(env['CLAUDE_AUTOCOMPACT_PCT_OVERRIDE'], 100);
  return {
    config: isOff ? { gates: { autoCompact: false } } : {},
    compaction: {
      ...(window === undefined ? {} : { autoCompactWindow: window }),
      ...(percent === undefined ? {} : { autoCompactRatio: percent / 100 }),
    },
  };
}

function isYes(value: string | undefined): boolean {
  return value !== undefined && ['1', 'true', 'yes', 'on'].includes(value.trim().toLowerCase());
}

/** A number from 1 to `most`; anything else counts as absent. */
function numberIn(value: string | undefined, most: number): number | undefined {
  const number = value === undefined || value.trim() === '' ? Number.NaN : Number(value);
  return number >= 1 && number <= most ? number : undefined;
}
