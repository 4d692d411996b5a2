/** Permission questions: several may be open, one can be withdrawn, and without a user the call is denied. */
import { fakeTool } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import type { EntryBody, Permission, PermissionMode, ToolUseContext } from '@heddle/core';
import { LivePermissions, type PermissionUpdate } from '../permission/live-permissions.ts';
import type { Rules } from '../permission/rules/rule.ts';
import type { Denial } from './denials.ts';
import { createReadFileState } from '../attachments/automatic-attachments.ts';
import type { AgentOptions } from './options.ts';
import { permissionOf } from './permission.ts';
import type { PermissionAnswer, PermissionQuestion } from '../permission/question.ts';

const bash = fakeTool({ name: 'Bash', readOnly: false });

const context: ToolUseContext = {
  tools: [bash],
  model: 'm',
  permissionMode: 'default',
  signal: new AbortController().signal,
  workingDirectory: '/repo/project',
  additionalDirectories: [],
  agentId: undefined,
  fileState: createReadFileState(),
};

function questionQueue(options: Partial<AgentOptions>) {
  const stored: EntryBody[] = [];
  const denials: Denial[] = [];
  const given = { cwd: '/repo/project', ...options } as unknown as AgentOptions;
  const canUseTool = permissionOf(given, {
    store: (body) => void stored.push(body),
    denials: { note: (denial) => void denials.push(denial) },
  });
  const ask = (command: string, toolUseId = 't1', signal = new AbortController().signal, agentId?: string) =>
    canUseTool(
      bash,
      { command },
      { ...context, agentId },
      {
        toolUseId,
        hookDecision: undefined,
        signal,
      },
    );
  return { stored, denials, ask };
}

describe('a question', () => {
  it('says what is asked, why, and what could be remembered', async () => {
    const asked: PermissionQuestion[] = [];
    const { ask, stored } = questionQueue({
      canUseTool: (question) => {
        asked.push(question);
        return Promise.resolve({ allow: true });
      },
    });
    expect(await ask('npm test', 't1', undefined, 'agent-7')).toEqual({ behavior: 'allow' });
    expect(asked).toMatchObject([
      {
        tool: 'Bash',
        agentId: 'agent-7',
        reason: 'No rule allows the command npm test.',
        parts: [{ part: 'npm test', decision: 'ask' }],
        suggestions: [{ type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: 'npm test *' }] }],
      },
    ]);
    expect(stored.map(({ type }) => type)).toEqual(['ask', 'ask_answer']);
  });

  it('may be one of several, and none holds back the others', async () => {
    const open = new Map<string, (answer: PermissionAnswer) => void>();
    const { promise: both, resolve: bothAsked } = Promise.withResolvers<void>();
    const { ask, denials } = questionQueue({
      canUseTool: ({ toolUseId }) =>
        new Promise((resolve) => {
          open.set(toolUseId, resolve);
          if (open.size === 2) bothAsked();
        }),
    });
    const first = ask('make a', 't1');
    const second = ask('make b', 't2');
    expect(await ask('ls', 't3')).toEqual({ behavior: 'allow', readOnlyRun: 'preferred' });
    await both;
    open.get('t2')?.({ allow: true });
    expect(await second).toEqual({ behavior: 'allow' });
    open.get('t1')?.({ allow: false, message: 'No.' });
    expect(await first).toEqual({ behavior: 'deny', message: 'No.' });
    expect(denials).toMatchObject([{ tool_use_id: 't1' }]);
  });

  it('is withdrawn when its attempt is discarded, even if no answer ever arrives', async () => {
    const controller = new AbortController();
    const { ask } = questionQueue({
      canUseTool: (_, signal) => {
        controller.abort();
        expect(signal.aborted).toBe(true);
        return Promise.withResolvers<PermissionAnswer>().promise;
      },
    });
    expect(await ask('make', 't1', controller.signal)).toMatchObject({
      behavior: 'deny',
      message: /withdrawn/,
    });
  });

  it('is answered with a denial and a reason if there is no user to ask', async () => {
    const { ask, denials } = questionQueue({});
    expect(await ask('make')).toEqual({
      behavior: 'deny',
      message: 'Permission denied. No rule allows the command make. There is no user to ask.',
    });
    expect(denials).toMatchObject([
      { tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'make' } },
    ]);
  });

  it('that cannot be asked is denied', async () => {
    const { ask } = questionQueue({ canUseTool: () => Promise.reject(new Error('gone')) });
    expect(await ask('make')).toMatchObject({
      behavior: 'deny',
      message: 'The question could not be asked: gone',
    });
  });

  it('may be remembered: the next one of its kind is not asked', async () => {
    let count = 0;
    const live = new LivePermissions({ deny: [], ask: [], allow: [] });
    const { ask } = questionQueue({
      rules: live,
      canUseTool: ({ suggestions }) => {
        count++;
        return Promise.resolve({ allow: true, updates: suggestions });
      },
    });
    await ask('npm test a');
    await ask('npm test b');
    expect(count).toBe(1);
    expect(live.rules.allow).toMatchObject([{ text: 'Bash(npm test *)', source: 'local' }]);
  });

  it('is decided by the rules of the moment it is answered', async () => {
    const live = new LivePermissions({ deny: [], ask: [], allow: [] });
    const { ask } = questionQueue({
      rules: live,
      canUseTool: () => {
        live.apply([
          { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'deny', destination: 'session' },
        ]);
        return Promise.resolve({ allow: true });
      },
    });
    expect(await ask('make')).toMatchObject({ behavior: 'deny' });
  });

  it.each<[string, PermissionMode, number, Partial<Permission>]>([
    ['npm test b', 'default', 1, { behavior: 'allow' }],
    [
      'npm test b',
      'plan',
      1,
      { behavior: 'deny', message: 'Permission denied. Plan mode: nothing with effects runs.' },
    ],
    ['make b', 'default', 2, { behavior: 'deny', message: 'No.' }],
  ])('that an earlier answer covers is decided again: %s in %s', async (command, mode, count, expected) => {
    const live = new LivePermissions({ deny: [], ask: [], allow: [] });
    const coveredBy: readonly PermissionUpdate[] = [
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'npm test *' }],
        behavior: 'allow',
        destination: 'session',
      },
    ];
    let asked = 0;
    const { ask, stored } = questionQueue({
      rules: live,
      canUseTool: () => {
        live.enter(mode);
        return Promise.resolve(
          ++asked === 1 ? { allow: false, coveredBy } : { allow: false, message: 'No.' },
        );
      },
    });
    expect(await ask(command)).toMatchObject(expected);
    expect(asked).toBe(count);
    expect(stored.map(({ type }) => type)).toEqual(
      Array.from({ length: count }, () => ['ask', 'ask_answer']).flat(),
    );
    live.apply(coveredBy);
    expect(live.rules.allow).toEqual([{ text: 'Bash(npm test *)', source: 'session' }]);
  });

  it('is about the input that was shown, also if the answer returns an equal one', async () => {
    const returned = (updatedInput: PermissionAnswer['updatedInput']) =>
      questionQueue({
        canUseTool: () => Promise.resolve({ allow: true, ...(updatedInput && { updatedInput }) }),
      });
    expect(await returned({ command: 'make' }).ask('make')).toEqual({ behavior: 'allow' });
    const changed = { command: 'make all' };
    expect(await returned(changed).ask('make')).toEqual({ behavior: 'allow', updatedInput: changed });
  });

  it('is not asked where a rule decides', async () => {
    const rules: Rules = {
      deny: [{ text: 'Bash(rm *)', source: 'managed', file: '/etc/x.json' }],
      ask: [],
      allow: [{ text: 'Bash(make)', source: 'user' }],
    };
    const { ask, denials } = questionQueue({
      rules,
      canUseTool: () => Promise.reject(new Error('must not be asked')),
    });
    expect(await ask('make')).toEqual({ behavior: 'allow' });
    expect(await ask('rm a')).toEqual({
      behavior: 'deny',
      message: 'Permission denied. The managed rule Bash(rm *) in /etc/x.json says deny.',
    });
    expect(denials).toHaveLength(1);
  });
});

describe('the answer of a hook', () => {
  const answeredBy = (answer: PermissionAnswer, rules: LivePermissions, meanwhile = () => {}) => {
    const permission = () => {
      meanwhile();
      return Promise.resolve(answer);
    };
    return questionQueue({ rules, hooks: { permission } });
  };

  it('does not count if plan mode began while the hook looked at the call', async () => {
    const rules = new LivePermissions({ deny: [], ask: [], allow: [] });
    const { ask, denials } = answeredBy({ allow: true }, rules, () => void rules.enter('plan', true));
    expect(await ask('npm test')).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('Plan mode'),
    });
    expect(denials).toHaveLength(1);
  });

  it('counts if the mode did not become stricter', async () => {
    const rules = new LivePermissions({ deny: [], ask: [], allow: [] });
    const { ask } = answeredBy({ allow: true }, rules, () => void rules.enter('acceptEdits', true));
    expect(await ask('npm test')).toMatchObject({ behavior: 'allow' });
  });

  it.each([
    ['AskUserQuestion', 'plan', 'plan'],
    ['ExitPlanMode', 'plan', 'acceptEdits'],
    ['Bash', 'default', 'acceptEdits'],
  ] as const)('about %s in mode %s that sets a mode leads to %s', async (name, before, after) => {
    const updates: PermissionUpdate[] = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
    const rules = new LivePermissions({ deny: [], ask: [], allow: [] });
    rules.enter(before, true);
    const hooks = { permission: () => Promise.resolve({ allow: true, updates }) };
    const options = { cwd: '/repo/project', rules, hooks } as unknown as AgentOptions;
    const authorize = permissionOf(options, { store: () => {}, denials: { note: () => {} } });
    const call = { toolUseId: 't1', hookDecision: undefined, signal: context.signal };
    await authorize(fakeTool({ name, readOnly: false }), { command: 'npm test' }, context, call);
    expect(rules.mode).toBe(after);
  });
});
