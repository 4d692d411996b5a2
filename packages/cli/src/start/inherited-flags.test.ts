/** Runs that the model starts keep the limits of its own run. */
import { describe, expect, it } from 'vitest';
import { type PrintCommand, readArguments } from '../arguments/arguments.ts';
import { inheritedFlags, mayStartRuns, withLiveRules } from './open-tools.ts';

function read(argv: readonly string[]): PrintCommand {
  const parsed = readArguments(['-p', ...argv]);
  if (!parsed.ok || parsed.command.name !== 'print') throw new Error('The flags were not read.');
  return parsed.command;
}

const RESTRICTING: readonly (readonly string[])[] = [
  ['--model', 'haiku'],
  ['--disallowed-tools', 'Bash(rm -rf *)', 'Bash(git a, b)', 'WebFetch'],
  ['--tools', 'Read,Grep,TeamCreate'],
  ['--tools', ''],
  ['--agent', 'reviewer', '--agents', '{"reviewer":{"description":"d","prompt":"p"}}'],
  ['--max-turns', '3', '--task-budget', '1000'],
  ['--strict-mcp-config', '--bare'],
  ['--settings', '{"permissions":{"deny":["Read(./secret, *)"]}}', '--setting-sources', ''],
  ['--managed-settings', '{}', '--plugin-dir', '/a folder', '/b,c'],
];

describe('the flags of a run that the model starts', () => {
  it.each(RESTRICTING)('contain %s %s', (...argv) => {
    const given = read(argv);
    expect(read(inheritedFlags(given, 'default'))).toEqual({ ...given, permissionMode: 'default' });
  });

  it('contain the current mode, but never one without questions', () => {
    const given = read(['--dangerously-skip-permissions']);
    expect(inheritedFlags(given, 'plan')).toEqual(['--permission-mode', 'plan']);
    expect(inheritedFlags(given, 'bypassPermissions')).toEqual([]);
  });

  it('deny what rules outside of files deny or ask about', () => {
    const given = read(['--disallowed-tools', 'Bash(rm:*)']);
    const deny = [
      { text: 'Bash(rm:*)', source: 'command line' },
      { text: 'Bash(touch:*)', source: 'command line', base: '/' },
      { text: 'Read(./a, b)', source: 'session' },
      { text: 'WebFetch', source: 'session', file: '/skill/SKILL.md' },
      { text: 'WebSearch', source: 'user' },
      { text: 'Glob', source: 'user', file: '/settings.json' },
      { text: 'Grep', source: 'managed' },
    ] as const;
    const ask = [{ text: 'mcp__s', source: 'session' }] as const;
    const flags = inheritedFlags(withLiveRules(given, { deny, ask }), 'default');
    expect(read(flags).disallowedTools).toEqual([
      'Bash(rm:*)',
      'Bash(touch:*)',
      'Read(./a, b)',
      'WebFetch',
      'WebSearch',
      'mcp__s',
    ]);
  });

  it('leave out what permits more', () => {
    const given = read(['--allowed-tools', 'Bash', '--add-dir', '/', '--mcp-config', '{}']);
    expect(inheritedFlags(given, 'dontAsk')).toEqual(['--permission-mode', 'dontAsk']);
  });

  it('do not exist with a limit on money, because no other run is started', () => {
    expect(mayStartRuns(read(['--max-budget-usd', '1']))).toBe(false);
    expect(mayStartRuns(read([]))).toBe(true);
  });
});
