/** Which parts of two contents of a settings file count, while the new one waits or cannot be read in full. */
import type { LoadedFile } from '@heddle/agent/settings';
import type { JsonObject } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { hasNews, stricterFile, UNTIL_PROMPT, UNTIL_VALID, withWrittenGrants } from './stricter-file.ts';

const live = { rules: { deny: [], ask: [], allow: [] }, directories: [] };
const loaded = (settings: JsonObject): LoadedFile => ({
  source: 'user',
  file: '/h/settings.json',
  base: '/h',
  settings,
  counting: settings,
  text: JSON.stringify(settings),
});
const run = (command: string) => ({ type: 'command', command });
const guards = (...commands: string[]) => ({ PreToolUse: [{ matcher: 'Bash', hooks: commands.map(run) }] });
const before = loaded({
  model: 'old',
  permissions: {
    deny: ['Bash(a)'],
    allow: ['Bash(x)', 'Bash(y)'],
    additionalDirectories: ['/x', '/y'],
    defaultMode: 'acceptEdits',
  },
  hooks: guards('one'),
});
const now = loaded({
  model: 'new',
  permissions: {
    deny: ['Bash(b)', 'Bash(c'],
    ask: ['Bash(d)'],
    allow: ['Bash(y)', 'Bash(z)'],
    additionalDirectories: ['/y', '/z'],
    disableBypassPermissionsMode: 'disable',
  },
  hooks: { ...guards('one', 'two', ''), Stop: [{ hooks: [run('three')] }, { hooks: [{ type: 'none' }] }] },
});

describe('of two contents of a settings file', () => {
  const rules = { deny: ['Bash(a)', 'Bash(b)'], ask: ['Bash(d)'], allow: ['Bash(y)'] };
  const permissions = { ...rules, disableBypassPermissionsMode: 'disable' };

  it('the stricter rules, common folders and all readable hooks count until it is valid', () => {
    expect(stricterFile(before, now, live, UNTIL_VALID)?.counting).toEqual({
      model: 'old',
      permissions: { ...permissions, additionalDirectories: ['/y'] },
      hooks: {
        PreToolUse: [...guards('one').PreToolUse, ...guards('two').PreToolUse],
        Stop: [{ hooks: [run('three')] }],
      },
    });
  });

  it('the stricter rules count until the next prompt, and new hooks wait', () => {
    expect(stricterFile(before, now, live, UNTIL_PROMPT)?.counting).toEqual({
      model: 'old',
      permissions: { ...permissions, additionalDirectories: ['/x', '/y'] },
      hooks: guards('one'),
    });
    expect(hasNews(before, now, live)).toBe(true);
  });

  it.each([
    ['acceptEdits', 'acceptEdits', 'acceptEdits'],
    ['acceptEdits', 'bypassPermissions', undefined],
    ['acceptEdits', 'plan', undefined],
    ['plan', 'acceptEdits', 'plan'],
  ])('a mode that permits more counts only if both have it: %s, %s', (old, changed, expected) => {
    const [had, has] = [old, changed].map((defaultMode) => loaded({ permissions: { defaultMode } }));
    expect(stricterFile(had, has, live, UNTIL_VALID)?.counting['permissions']).toMatchObject(
      expected === undefined ? {} : { defaultMode: expected },
    );
    const { permissions: found = {} } = stricterFile(had, has, live, UNTIL_VALID)?.counting ?? {};
    expect('defaultMode' in Object(found)).toBe(expected !== undefined);
  });

  it('an allow rule that both have counts, although a protection beside it cannot be read', () => {
    const left = { ...now, settings: {}, counting: { permissions: { deny: ['Bash(b)'] } } };
    const counting = stricterFile(before, withWrittenGrants(left), live, UNTIL_VALID)?.counting;
    expect(counting?.['permissions']).toMatchObject({ allow: ['Bash(y)'], additionalDirectories: ['/y'] });
  });

  it('hooks of a folder without trust do not count', () => {
    const untrusted = { ...now, counting: {} };
    const combined = stricterFile({ ...before, counting: {} }, untrusted, live, UNTIL_VALID);
    expect(combined?.counting).not.toHaveProperty('hooks');
    expect(combined?.settings['hooks']).toHaveProperty('Stop');
  });
});
