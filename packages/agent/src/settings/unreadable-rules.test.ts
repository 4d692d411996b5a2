/** Deny and ask rules that cannot be read: the same file does not allow anything. */
import { describe, expect, it } from 'vitest';
import { createSettingsHome } from './test/settings-home.ts';

const GRANTS = {
  allow: ['Bash'],
  defaultMode: 'acceptEdits',
  additionalDirectories: ['/srv'],
};

describe('a settings file with an unreadable deny or ask rule', () => {
  it.each(['Bash(rm', 'Bash rm', 'Bash()', 'Bash(rm:*) # no', 'Read(!src/**)', 5, null, ['Bash(rm *)']])(
    'does not allow anything: %j',
    async (rule) => {
      for (const list of ['deny', 'ask']) {
        const { write, permissions } = createSettingsHome();
        const lists = { ...GRANTS, [list]: [rule, 'Read(.env)'] };
        const file = write('home/.claude/settings.json', { permissions: lists });
        const found = await permissions();
        expect(found.rules.allow).toEqual([]);
        expect(found.rules[list === 'deny' ? 'deny' : 'ask']).toMatchObject([{ text: 'Read(.env)' }]);
        expect([found.defaultMode, found.directories]).toEqual([undefined, []]);
        expect(found.problems).toContain(
          `${file}:1: permissions.allow, permissions.defaultMode, permissions.additionalDirectories of this file are ignored too, because a protection beside them cannot be read.`,
        );
      }
    },
  );

  it.each(['Bsh(ls)', 'mcp__srv', '', '# no network', '// Bash(rm *)'])(
    'is not one with an unknown tool, an empty text or a comment: %j',
    async (rule) => {
      const { write, permissions } = createSettingsHome();
      write('home/.claude/settings.json', { permissions: { ...GRANTS, deny: [rule] } });
      const { rules, defaultMode, directories } = await permissions();
      expect([rules.allow.length, defaultMode, directories]).toEqual([1, 'acceptEdits', ['/srv']]);
    },
  );

  it('keeps a mode that does not permit more, and leaves other files as they are', async () => {
    const { write, permissions } = createSettingsHome();
    const broken = { allow: ['Bash'], deny: ['Bash(rm'], defaultMode: 'plan' };
    write('home/.heddle/settings.json', { permissions: broken });
    write('home/.claude/settings.json', { permissions: { allow: ['Bash(ls)'] } });
    const { rules, defaultMode } = await permissions();
    expect([rules.allow.map(({ text }) => text), defaultMode]).toEqual([['Bash(ls)'], 'plan']);
  });

  it('does not allow anything in the sandbox either, if one of its places is not a text', () => {
    const { write, load } = createSettingsHome();
    const filesystem = { denyRead: [5, '/srv/keys'], allowRead: ['/srv'] };
    write('home/.claude/settings.json', { sandbox: { filesystem } });
    expect(load().files[0]?.counting).toEqual({ sandbox: { filesystem: { denyRead: ['/srv/keys'] } } });
  });
});
