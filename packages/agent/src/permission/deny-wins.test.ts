/** Deny wins, as a table: every source × every mode × every word of a hook × main thread and subagent. */
import type { PermissionMode, Tool, ToolUseContext } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { createReadFileState } from '../attachments/automatic-attachments.ts';
import { permissionOf } from '../engine/permission.ts';
import type { AgentOptions } from '../engine/options.ts';
import type { PermissionRule, RuleList, RuleSource } from './rules/rule.ts';

const SOURCES: readonly RuleSource[] = ['managed', 'command line', 'local', 'project', 'user', 'session'];
const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];
const HOOKS = ['allow', 'ask', undefined] as const;
const AGENTS = [undefined, 'agent-1'] as const;

const bash: Tool = {
  name: 'Bash',
  description: '',
  inputJSONSchema: {},
  inputSchema: () => ({ safeParse: (data) => ({ success: true, data }) }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  maxResultSize: 1,
  interruptBehavior: 'cancel',
  call: () => Promise.resolve({ data: '' }),
  toResult: () => ({ content: '' }),
};

function context(permissionMode: PermissionMode, agentId: string | undefined): ToolUseContext {
  return {
    tools: [bash],
    model: 'm',
    permissionMode,
    signal: new AbortController().signal,
    workingDirectory: '/repo/project',
    additionalDirectories: [],
    agentId,
    fileState: createReadFileState(),
  };
}

/** Runs the call where everything else allows it: all other sources have allow rules, and the user allows. */
async function outcome(
  list: RuleList,
  source: RuleSource,
  mode: PermissionMode,
  hookDecision: 'allow' | 'ask' | undefined,
  agentId: string | undefined,
): Promise<{ readonly behavior: string; readonly asked: number }> {
  let asked = 0;
  const allow = SOURCES.map((from): PermissionRule => ({ text: 'Bash', source: from }));
  const rules = { deny: [], ask: [], allow, [list]: [{ text: 'Bash(touch *)', source }] };
  const options = {
    cwd: '/repo/project',
    rules: list === 'allow' ? { deny: [], ask: [], allow } : rules,
    canUseTool: () => {
      asked++;
      return Promise.resolve({ allow: true });
    },
  } as unknown as AgentOptions;
  const canUseTool = permissionOf(options, { store: () => undefined, denials: { note: () => undefined } });
  const input = { command: 'ls && touch a' };
  const call = { toolUseId: 't', hookDecision, signal: new AbortController().signal };
  const { behavior } = await canUseTool(bash, input, context(mode, agentId), call);
  return { behavior, asked };
}

describe.each(SOURCES)('a deny rule of the %s settings', (source) => {
  it.each(MODES)('holds in the mode %s', async (mode) => {
    for (const hook of HOOKS) {
      for (const agent of AGENTS) {
        expect(await outcome('deny', source, mode, hook, agent)).toEqual({ behavior: 'deny', asked: 0 });
      }
    }
  });
});

describe.each(SOURCES)('an ask rule of the %s settings', (source) => {
  it.each(MODES)('beats every allow in the mode %s', async (mode) => {
    for (const hook of HOOKS) {
      for (const agent of AGENTS) {
        const expected =
          mode === 'dontAsk' || mode === 'plan'
            ? { behavior: 'deny', asked: 0 }
            : { behavior: 'allow', asked: 1 };
        expect(await outcome('ask', source, mode, hook, agent)).toEqual(expected);
      }
    }
  });
});

it.each(AGENTS)('runs without a question if there is no such rule (agent %s)', async (agent) => {
  for (const mode of ['default', 'acceptEdits', 'dontAsk', 'bypassPermissions'] as const) {
    expect(await outcome('allow', 'user', mode, undefined, agent)).toEqual({ behavior: 'allow', asked: 0 });
  }
});
