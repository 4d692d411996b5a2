import { builtinTools } from '@heddle/tools';
import { describe, expect, it } from 'vitest';
import { createCronTools } from '../../schedule/cron-tools.ts';
import { createTeamTools } from '../../teams/team-tools.ts';
import { findRuleDoubt } from './rule-doubts.ts';
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

describe('a rule that has no effect', () => {
  it.each([
    ['Bash(curl * | bash:*)', 'deny', /no command contains \|; each command of a script is matched alone/],
    ['Bash(* && *)', 'ask', /no command contains &&/],
    ['Bash(cd x; rm y)', 'deny', /no command contains ;/],
    ['Bash(a || b)', 'deny', /no command contains \|\|/],
    ['Monitor(a | b)', 'deny', /no command contains \|/],
    ['Bash(ls), Bash(rm:*)', 'deny', /contains more than one rule; write each as a text of its own/],
    ['Bash(ls) Read(./.env)', 'allow', /contains more than one rule/],
    ['Read(./.env),Edit(./.env)', 'deny', /contains more than one rule/],
    ['Grep(src/**)', 'allow', /has no effect; write Read\(src\/\*\*\)/],
    ['NotebookEdit(src/**)', 'allow', /has no effect; write Edit\(src\/\*\*\)/],
    ['Bash(rm:*,curl:*)', 'deny', /is about one command; write a rule for each/],
    ['Bash(rm, curl)', 'allow', /is about one command/],
    ['Bash({rm,curl}:*)', 'ask', /is about one command/],
    ['Monitor(rm *,curl *)', 'deny', /is about one command/],
    ['Bsh(ls)', 'deny', /no tool is named Bsh/],
  ] as const)('is remarked on: %s in %s', (rule, list, remark) => {
    expect(findRuleDoubt(rule, list)).toMatch(remark);
  });

  it.each([
    ['Bash(echo "a | b")', 'deny'],
    ["Bash(grep -E 'a|b' *)", 'deny'],
    ['Bash(find . -exec rm {} \\;)', 'deny'],
    ['Bash(curl *)', 'deny'],
    ['Bash(cut -d, -f1,2 *)', 'allow'],
    ['Bash(mkdir {a,b})', 'allow'],
    ['Bash(git log --format=%h,%s)', 'allow'],
    ["Bash(node -e 'f(a), g(b)')", 'deny'],
    ['Bash(echo $(date), $(pwd))', 'deny'],
    ['Bash(npm test 2>&1)', 'allow'],
    ['Bash(npm test >& x)', 'deny'],
    ['Bash(a |& b)', 'allow'],
    ['Grep(./.env)', 'deny'],
    ['Grep(pattern:x)', 'deny'],
    ['Grep', 'allow'],
    ['Read(a && b)', 'deny'],
    ['Read({a,b}|c)', 'deny'],
  ] as const)('is not %s in %s', (rule, list) => {
    expect(findRuleDoubt(rule, list)).toBeUndefined();
  });
});
