/** The table of commands, with the real grammar: what is decided about each, by theme. */
import { describe, expect, it } from 'vitest';
import { decided, shell } from './test/ask.ts';
import { DENIED_SEARCHES } from './test/table/computed-names.ts';
import { DENIED_READERS } from './test/table/denied-readers.ts';
import { EDIT_RULES } from './test/table/theme.ts';
import { THEMES } from './test/table/themes.ts';

describe.each(THEMES)('$theme', ({ theme: _theme, allowed = [], asked = [], denied = [], ...setting }) => {
  const cases = [
    ...allowed.map((command) => ['allow', command] as const),
    ...asked.map((command) => ['ask', command] as const),
    ...denied.map((command) => ['deny', command] as const),
  ];
  it.each(cases)('%s: %s', (decision, command) => {
    const verdict = shell(command, setting);
    expect(verdict).toMatchObject({ decision });
    expect(verdict.parts.length).toBeGreaterThan(0);
  });
});

it('keeps denied files from programs that read or search, in every mode', () => {
  const modes = ['default', 'plan', 'acceptEdits', 'bypassPermissions'] as const;
  const leaks = [...DENIED_READERS, DENIED_SEARCHES].flatMap(({ asked = [], denied = [], ...setting }) =>
    modes.flatMap((mode) =>
      [...asked, ...denied]
        .filter((command) => shell(command, { ...setting, mode }).decision === 'allow')
        .map((command) => `${mode}: ${command}`),
    ),
  );
  expect(leaks).toEqual([]);
});

it('asks in acceptEdits about every script that is asked about although rules allow its edits', () => {
  const open = THEMES.filter(
    ({ mode, rules }) => mode === undefined && EDIT_RULES.every((rule) => rules?.allow?.includes(rule)),
  ).flatMap(({ asked = [], rules, ...setting }) => {
    const allow = rules?.allow?.filter((rule) => !EDIT_RULES.includes(rule)) ?? [];
    return asked.filter(
      (command) =>
        shell(command, { ...setting, rules: { ...rules, allow }, mode: 'acceptEdits' }).decision !== 'ask',
    );
  });
  expect(open).toEqual([]);
});

it('has at least 1,000 commands', () => {
  const count = THEMES.reduce(
    (sum, { allowed = [], asked = [], denied = [] }) => sum + allowed.length + asked.length + denied.length,
    0,
  );
  expect(count).toBeGreaterThanOrEqual(1_000);
});

it('accepts no edits of a script in the background', () => {
  const command = 'touch c';
  const decision = (tool: string, more: object = {}) =>
    decided(tool, { command, ...more }, { mode: 'acceptEdits' }).decision;
  expect(decision('Bash')).toBe('allow');
  expect(decision('Bash', { run_in_background: false })).toBe('allow');
  expect(decision('Bash', { run_in_background: true })).toBe('ask');
  expect(decision('Monitor', { description: 'x' })).toBe('ask');
});
