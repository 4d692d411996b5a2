/** Hooks of a session that do not come from settings files. */
import type { DeclaredHook } from '@heddle/agent/hooks';
import { readHooks } from '@heddle/agent/hooks';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { SessionHooks } from './session-hooks.ts';

/** A hook that runs in this process may start in a folder of the configuration. */
beforeAll(() => {
  vi.stubEnv('HEDDLE_CONFIG_DIR', mkdtempSync(path.join(os.tmpdir(), 'heddle-config-')));
});
afterAll(() => {
  vi.unstubAllEnvs();
});

function declared(scope: DeclaredHook['scope'], command: string): readonly DeclaredHook[] {
  const { hooks } = readHooks(
    { PreToolUse: [{ hooks: [{ type: 'command', command }] }] },
    { source: command },
  );
  return hooks.map((hook) => ({ hook, scope, inactive: undefined }));
}

function sessionHooks(first: readonly DeclaredHook[]): SessionHooks {
  return new SessionHooks({
    declared: first,
    cwd: '/',
    source: 'startup',
    commonInput: () => ({}),
    instructionFiles: () => [],
    messages: () => [],
    notify: () => undefined,
    remark: () => undefined,
    beforePrompt: async () => undefined,
    askModel: async () => ({ ok: false, message: '' }),
    askAgent: async () => ({ ok: false, message: '' }),
    entitle: () => undefined,
  });
}

it('keeps the hooks of the main agent when a settings file changes', () => {
  const hooks = sessionHooks([...declared('user', 'before'), ...declared('session', 'of the agent')]);
  hooks.replaceSettings(declared('user', 'after'));
  hooks.replaceSettings(declared('user', 'again'));
  expect(hooks.list().map(({ hook }) => hook.source)).toEqual(['again', 'of the agent']);
  expect(hooks.runner.hooks.map(({ source }) => source)).toEqual(['again', 'of the agent']);
});

it('knows whether hooks of a skill in use decide about calls', () => {
  const hooks = sessionHooks([...declared('user', 'of a file'), ...declared('session', 'of the agent')]);
  expect(hooks.decidesAlone).toBe(false);
  const handlers = [{ hooks: [{ type: 'command', command: 'true' }] }];
  hooks.activate({ PostToolUse: handlers }, 'a skill');
  expect(hooks.decidesAlone).toBe(false);
  const end = hooks.activate({ PreToolUse: handlers }, 'a skill');
  expect(hooks.decidesAlone).toBe(true);
  end();
  expect(hooks.decidesAlone).toBe(false);
});

it('knows whether hooks of a plugin that was added later decide about calls', () => {
  const hooks = sessionHooks(declared('plugin', 'of the start'));
  expect(hooks.decidesAlone).toBe(false);
  const off = declared('plugin', 'disabled').map(({ hook, scope }) => ({
    hook,
    scope,
    inactive: 'disableAllHooks' as const,
  }));
  hooks.add(off);
  expect(hooks.decidesAlone).toBe(false);
  hooks.add(declared('plugin', 'added'));
  hooks.replaceSettings([]);
  expect(hooks.decidesAlone).toBe(true);
});

it('lets hooks deny the calls of an agent that judges, but not allow them', async () => {
  const answers = {
    deny: 'echo No. >&2; exit 2',
    allow: `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`,
  };
  const call = { toolUseId: 'b1', tool: 'Bash', input: { command: 'ls' } };
  const { signal } = new AbortController();
  const ask = (command: string) =>
    sessionHooks(declared('user', command)).forJudge().tools?.before?.(call, signal);
  expect(await ask(answers.deny)).toMatchObject({ decision: 'deny' });
  expect(await ask(answers.allow)).not.toHaveProperty('decision');
});
