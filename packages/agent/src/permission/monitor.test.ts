/** Monitor runs a shell command, so the rules of Bash decide about it. */
import { describe, expect, it } from 'vitest';
import { decided, type Setting } from './test/ask.ts';

const decide = (command: string, setting: Setting): string =>
  decided('Monitor', { command }, setting).decision;

describe('a call of Monitor', () => {
  it.each<readonly [string, Setting, string]>([
    ['make watch', {}, 'ask'],
    ['make watch', { rules: { allow: ['Bash(make:*)'] } }, 'allow'],
    ['make watch', { rules: { allow: ['Bash'] } }, 'allow'],
    ['make watch', { rules: { allow: ['Bash(make:*)'], deny: ['Bash'] } }, 'deny'],
    ['make watch', { rules: { allow: ['Bash(make:*)'], deny: ['Monitor'] } }, 'deny'],
    ['make watch', { rules: { allow: ['Bash'], ask: ['Monitor'] } }, 'ask'],
    ['make watch; rm -r build', { rules: { allow: ['Bash(make:*)'], deny: ['Bash(rm:*)'] } }, 'deny'],
    ['make watch; touch a', { rules: { allow: ['Bash(make:*)'] } }, 'ask'],
    ['tail -f .env', { rules: { allow: ['Bash'], deny: ['Read(.env)'] } }, 'deny'],
    // A rule for Monitor alone covers no command.
    ['make watch', { rules: { allow: ['Monitor'] } }, 'ask'],
    ['make watch', { mode: 'plan' }, 'deny'],
    ['make watch', { mode: 'bypassPermissions', rules: { deny: ['Bash(make:*)'] } }, 'deny'],
  ])('%s with %j: %s', (command, setting, decision) => {
    expect(decide(command, setting)).toBe(decision);
  });
});
