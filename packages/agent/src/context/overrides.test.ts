import { describe, expect, it } from 'vitest';
import { compactionOverrides } from './overrides.ts';

const NOTHING = { autoCompactEnabled: undefined, autoCompactWindow: undefined };

describe('what the user says about compaction', () => {
  it('changes nothing where nothing was said, or nothing sensible', () => {
    const nothing = { config: {}, compaction: {} };
    expect(compactionOverrides(NOTHING, {})).toEqual(nothing);
    const nonsense = {
      DISABLE_AUTO_COMPACT: '0',
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: 'large',
      CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '150',
    };
    expect(compactionOverrides(NOTHING, nonsense)).toEqual(nothing);
  });

  it('is taken from the settings', () => {
    const settings = { autoCompactEnabled: false, autoCompactWindow: 120_000 };
    expect(compactionOverrides(settings, {})).toEqual({
      config: { gates: { autoCompact: false } },
      compaction: { autoCompactWindow: 120_000 },
    });
    expect(compactionOverrides({ ...settings, autoCompactEnabled: true }, {}).config).toEqual({});
  });

  it('is taken from the environment before the settings', () => {
    const env = {
      DISABLE_AUTO_COMPACT: 'true',
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '90000',
      CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '60',
    };
    expect(compactionOverrides({ autoCompactEnabled: true, autoCompactWindow: 120_000 }, env)).toEqual({
      config: { gates: { autoCompact: false } },
      compaction: { autoCompactWindow: 90_000, autoCompactRatio: 0.6 },
    });
  });
});
