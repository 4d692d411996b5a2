import { describe, expect, it } from 'vitest';
import { compactionOverrides } from './overrides.ts';

const NOTHING = {
  autoCompactEnabled: undefined,
  reactiveCompactEnabled: undefined,
  autoCompactWindow: undefined,
};

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
    const settings = { ...NOTHING, autoCompactEnabled: false, autoCompactWindow: 120_000 };
    expect(compactionOverrides(settings, {})).toEqual({
      config: { gates: { autoCompact: false, reactiveCompact: false } },
      compaction: { autoCompactWindow: 120_000 },
    });
    const reactive = compactionOverrides({ ...settings, reactiveCompactEnabled: true }, {});
    expect(reactive.config).toEqual({ gates: { autoCompact: false } });
    expect(compactionOverrides({ ...settings, autoCompactEnabled: true }, {}).config).toEqual({});
  });

  it('is taken from the environment before the settings', () => {
    const env = {
      DISABLE_AUTO_COMPACT: 'true',
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '90000',
      CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '60',
    };
    expect(
      compactionOverrides({ ...NOTHING, autoCompactEnabled: true, autoCompactWindow: 120_000 }, env),
    ).toEqual({
      config: { gates: { autoCompact: false, reactiveCompact: false } },
      compaction: { autoCompactWindow: 90_000, autoCompactRatio: 0.6 },
    });
  });

  it('is taken from variables under the name of this program first', () => {
    const env = {
      DISABLE_AUTO_COMPACT: '1',
      HEDDLE_DISABLE_AUTO_COMPACT: '0',
      HEDDLE_AUTO_COMPACT_WINDOW: '70000',
    };
    expect(compactionOverrides(NOTHING, env)).toEqual({
      config: {},
      compaction: { autoCompactWindow: 70_000 },
    });
  });

  it('forbids every compaction with DISABLE_COMPACT, whatever the settings enable', () => {
    const enabled = { ...NOTHING, autoCompactEnabled: true, reactiveCompactEnabled: true };
    expect(compactionOverrides(enabled, { DISABLE_COMPACT: '1' })).toEqual({
      config: { gates: { autoCompact: false, reactiveCompact: false } },
      compaction: { isForbidden: true },
    });
  });
});
