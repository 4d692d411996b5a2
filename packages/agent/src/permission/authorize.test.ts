import type { PermissionMode } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { authorize, type AuthorizeRequest, NO_RULES, type Rules } from './authorize.ts';

const list: AuthorizeRequest = {
  tool: 'Bash',
  input: { command: 'ls' },
  readOnly: false,
  hookDecision: undefined,
};
const look: AuthorizeRequest = {
  tool: 'Read',
  input: { file_path: 'a' },
  readOnly: true,
  hookDecision: undefined,
};

function rules(words: { deny?: string; ask?: string; allow?: string }): Rules {
  const rule = (text: string | undefined) =>
    text === undefined ? [] : [{ text, source: 'session' as const }];
  return { deny: rule(words.deny), ask: rule(words.ask), allow: rule(words.allow) };
}

describe('authorize', () => {
  it('asks about a call with effects that no rule covers', () => {
    expect(authorize(list, NO_RULES, 'default').decision).toBe('ask');
  });

  it('lets a call run that changes nothing', () => {
    expect(authorize(look, NO_RULES, 'default').decision).toBe('allow');
  });

  it('lets deny win over ask, allow, every mode and a hook', () => {
    const modes: PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];
    for (const mode of modes) {
      for (const hookDecision of ['allow', 'ask', undefined] as const) {
        const everything = rules({ deny: 'Bash', ask: 'Bash', allow: 'Bash' });
        expect(authorize({ ...list, hookDecision }, everything, mode)).toMatchObject({
          decision: 'deny',
          rule: 'Bash',
        });
      }
    }
  });

  it('lets ask win over allow', () => {
    expect(authorize(list, rules({ ask: 'Bash', allow: 'Bash' }), 'bypassPermissions').decision).toBe('ask');
  });

  it('allows by a rule for the tool or for exactly this call, and names the rule and its source', () => {
    expect(authorize(list, rules({ allow: 'Bash' }), 'default')).toMatchObject({
      decision: 'allow',
      source: 'session',
    });
    expect(authorize(list, rules({ allow: 'Bash(ls)' }), 'default').decision).toBe('allow');
    expect(authorize(list, rules({ allow: 'Bash(ls -l)' }), 'default').decision).toBe('ask');
  });

  it('runs nothing with effects in plan mode, whatever is allowed', () => {
    expect(authorize(list, rules({ allow: 'Bash' }), 'plan').decision).toBe('deny');
    expect(authorize(look, NO_RULES, 'plan').decision).toBe('allow');
  });

  it('denies instead of asking in dontAsk', () => {
    expect(authorize(list, NO_RULES, 'dontAsk').decision).toBe('deny');
    expect(authorize(list, rules({ ask: 'Bash' }), 'dontAsk').decision).toBe('deny');
    expect(authorize(list, rules({ allow: 'Bash' }), 'dontAsk').decision).toBe('allow');
  });

  it("takes a hook's allow only in place of the question", () => {
    expect(authorize({ ...list, hookDecision: 'allow' }, NO_RULES, 'default').decision).toBe('allow');
    expect(authorize({ ...list, hookDecision: 'allow' }, rules({ ask: 'Bash' }), 'default').decision).toBe(
      'ask',
    );
  });
});
