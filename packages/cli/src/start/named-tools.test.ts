import { expect, it } from 'vitest';
import { builtinTools } from '@heddle/tools';
import { isNamed, namedTools } from './named-tools.ts';

const KNOWN = ['Bash', 'Read', 'TaskOutput', 'TaskStop'];

it('tools may be named as they were called before', () => {
  const names = ['Bash', 'BashOutput', 'KillShell', 'ToolSearch'];
  expect(namedTools(names, KNOWN)).toEqual({ ok: true, notes: [] });
  expect(KNOWN.filter((tool) => isNamed(tool, names))).toEqual(['Bash', 'TaskOutput', 'TaskStop']);
});

it('tools that there are not yet are told, and the others are offered', () => {
  expect(namedTools(['Bash', 'MultiEdit'], KNOWN)).toEqual({
    ok: true,
    notes: ['--tools: there is no MultiEdit yet'],
  });
});

it('tools of servers and skills may be named before they are there', () => {
  expect(namedTools(['Skill', 'mcp__a__b', 'ReadMcpResourceTool'], KNOWN)).toEqual({ ok: true, notes: [] });
});

it('the tools that work on the list of steps are built in', () => {
  const names = ['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate'];
  const builtIn = builtinTools().map(({ name }) => name);
  expect(namedTools(names, builtIn)).toEqual({ ok: true, notes: [] });
  expect(namedTools(names, KNOWN)).toMatchObject({ ok: false });
});

it('refuses an unknown tool name as a typing error', () => {
  expect(namedTools(['Bsh'], KNOWN)).toMatchObject({ ok: false, message: expect.stringContaining('Bsh') });
});
