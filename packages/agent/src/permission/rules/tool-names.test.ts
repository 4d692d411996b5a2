import { builtinTools } from '@heddle/tools';
import { describe, expect, it } from 'vitest';
import { createCronTools } from '../../schedule/cron-tools.ts';
import { createTeamTools } from '../../teams/team-tools.ts';
import { ENGINE_TOOLS, unknownTool } from './tool-names.ts';

describe('a rule with an unknown tool', () => {
  it.each([
    ['Bsh(ls)', 'Bsh(ls): no tool is named Bsh; did you mean Bash?'],
    ['bash(ls)', 'bash(ls): no tool is named bash; did you mean Bash?'],
    ['read', 'read: no tool is named read; did you mean Read?'],
    ['Webfetch(domain:a.b)', 'Webfetch(domain:a.b): no tool is named Webfetch; did you mean WebFetch?'],
    ['WebSerach', 'WebSerach: no tool is named WebSerach; did you mean WebSearch?'],
    ['Nonsense(x)', 'Nonsense(x): no tool is named Nonsense'],
  ])('is remarked on: %s', (rule, remark) => {
    expect(unknownTool(rule, 'allow')).toBe(remark);
  });

  it.each([
    'Bash(ls)',
    'mcp__srv',
    'mcp__srv__tool',
    'Agent(x)',
    'Task(x)',
    'Skill(x)',
    'SlashCommand',
    'MultiEdit',
    'LS',
    'KillShell',
    'BashOutput',
  ])('is not %s', (rule) => {
    expect(unknownTool(rule, 'allow')).toBeUndefined();
  });

  it('is neither a pattern nor a text that is not a rule', () => {
    expect(unknownTool('*', 'deny')).toBeUndefined();
    expect(unknownTool('mcp__*', 'deny')).toBeUndefined();
    expect(unknownTool('Bash()', 'allow')).toBeUndefined();
  });

  it('is none of the tools that are built in', () => {
    for (const { name } of builtinTools()) expect(unknownTool(name, 'allow')).toBeUndefined();
  });

  it('is none of the tools that a session adds', () => {
    const unused = () => Promise.resolve();
    const teamTools = createTeamTools({ current: () => undefined, create: unused, remove: unused });
    const cronTools = createCronTools({
      folder: '/none',
      cwd: '/none',
      flags: () => [],
      startRunner: () => Promise.resolve({ ok: true, message: '' }),
      now: () => 0,
    });
    const names = [...teamTools, ...cronTools].map(({ name }) => name);
    expect(names).toHaveLength(5);
    expect(ENGINE_TOOLS).toEqual(expect.arrayContaining([...names, 'Agent', 'SendMessage', 'Monitor']));
    for (const name of ENGINE_TOOLS) expect(unknownTool(name, 'deny')).toBeUndefined();
  });
});
