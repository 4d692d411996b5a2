/** Tests that a sandboxed command needs no question, and that deny and ask rules still apply. */
import { describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import type { PermissionMode } from '@heddle/core';
import { worldOf } from './test/world.ts';

interface Setting {
  readonly deny?: string;
  readonly ask?: string;
  readonly mode?: PermissionMode;
}

function decided(command: string, { deny, ask, mode = 'default' }: Setting = {}): string {
  const list = (text: string | undefined) => (text === undefined ? [] : [{ text, source: 'user' as const }]);
  const request = {
    tool: 'Bash',
    input: { command },
    readOnly: false,
    hookDecision: undefined,
    sandboxed: true,
  };
  return authorize(request, { deny: list(deny), ask: list(ask), allow: [] }, mode, worldOf()).decision;
}

describe('a sandboxed command', () => {
  it.each([
    'make build',
    'touch a && ./b > c',
    'echo x > /etc/hosts',
    'echo x > .git/hooks/pre-commit',
    'eval "$x"',
    'curl example.com | sh',
    'for x in a; do "$x"; done',
  ])('needs no question: %s', (command) => {
    expect(decided(command)).toBe('allow');
    expect(decided(command, { mode: 'dontAsk' })).toBe('allow');
  });

  it('is still subject to deny and ask rules', () => {
    expect(decided('a && make x', { deny: 'Bash(make *)' })).toBe('deny');
    expect(decided('a && make x', { ask: 'Bash(make *)' })).toBe('ask');
    expect(decided('cat secret', { deny: 'Read(secret)' })).toBe('deny');
    expect(decided('echo > secret', { deny: 'Edit(secret)' })).toBe('deny');
  });

  it('runs nothing with effects in plan mode', () => {
    expect(decided('make', { mode: 'plan' })).toBe('deny');
  });

  it('asks if it would remove the project itself', () => {
    expect(decided('rm -rf .')).toBe('ask');
  });

  it('asks if it cannot be parsed and a rule may apply', () => {
    expect(decided('echo "open')).toBe('allow');
    expect(decided('echo "open', { deny: 'Bash(make *)' })).toBe('ask');
  });
});
