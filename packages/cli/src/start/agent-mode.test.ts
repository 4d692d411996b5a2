/** The mode of the agent that a conversation runs as. */
import type { AgentDefinition } from '@heddle/agent';
import type { PermissionMode } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../arguments/arguments.ts';
import { runAsAgent } from './main-agent.ts';

const SOURCES = ['managed', 'caller', 'user', 'project', 'plugin', 'built-in'] as const;

interface Choice {
  readonly source: AgentDefinition['source'];
  readonly own: PermissionMode;
  readonly usual?: PermissionMode;
  readonly isOwnChoice?: boolean;
  readonly flags?: readonly string[];
}

function modeOf({ source, own, usual = 'default', isOwnChoice = true, flags = [] }: Choice) {
  const read = readArguments(['-p', 'go', ...flags]);
  if (!read.ok || read.command.name !== 'print') throw new Error('not a run');
  const agent: AgentDefinition = { name: 'a', description: 'd', prompt: 'p', source, permissionMode: own };
  return runAsAgent(read.command, agent, { mode: usual, isOwnChoice }).permissionMode;
}

describe('the mode of an agent', () => {
  it.each(['acceptEdits', 'bypassPermissions'] as const)('%s is for agents of the user', (own) => {
    expect(SOURCES.filter((source) => modeOf({ source, own }) === own)).toEqual([
      'managed',
      'caller',
      'user',
    ]);
    expect(SOURCES.map((source) => modeOf({ source, own, isOwnChoice: false }))).toEqual(
      SOURCES.map(() => undefined),
    );
  });

  it('counts in every agent if it is stricter than that of the settings', () => {
    expect(SOURCES.map((source) => modeOf({ source, own: 'plan', isOwnChoice: false }))).toEqual(
      SOURCES.map(() => 'plan'),
    );
    expect(modeOf({ source: 'project', own: 'default', usual: 'plan' })).toBeUndefined();
    expect(modeOf({ source: 'project', own: 'default', usual: 'acceptEdits' })).toBe('default');
  });

  it('is replaced by that of a flag', () => {
    const flags = ['--permission-mode', 'plan'];
    expect(modeOf({ source: 'user', own: 'bypassPermissions', flags })).toBe('plan');
  });
});
