/** A journal that stores in the background: no effect starts, and no result is reported, before its entries are stored. */
import type { EntryBody } from '@heddle/core';
import { answer, call, createTestGate, fakeTool, say, scriptedModel } from '@heddle/testing';
import { expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import { JournalError } from '../session/journal/journal.ts';
import { memorySession } from '../session/open/memory.ts';
import type { AgentOptions } from './options.ts';

/** `settle` decides when the entries up to now are stored. */
function agentWith(settle: (last: EntryBody) => Promise<void> | undefined, more: Partial<AgentOptions> = {}) {
  const session = memorySession('s1', () => 0);
  const stored = (): Promise<void> | undefined => {
    const last = session.journal.entries.at(-1);
    return last && settle(last);
  };
  const write = fakeTool({ name: 'Write', readOnly: false });
  const agent = createAgent({
    model: scriptedModel([answer(call('Write', { at: 1 }, 'w1')), answer(say('Done.'))]),
    modelName: 'scripted',
    tools: [write],
    cwd: '/',
    permissionMode: 'bypassPermissions',
    session: { ...session, journal: { ...session.journal, stored } },
    ...more,
  });
  return { agent, write, entries: session.journal.entries };
}

it('starts a call when its intent is stored, not before', async () => {
  const gate = createTestGate();
  const { agent, write } = agentWith((last) => (last.type === 'intent' ? gate.pass() : undefined));
  const run = agent.submit('go');
  const lines: string[] = [];
  const reading = (async () => {
    for await (const line of run) lines.push(line.type);
  })();
  await gate.reached;
  expect(write.calls).toEqual([]);
  gate.open();
  await reading;
  expect(write.calls).toHaveLength(1);
  expect(lines.at(-1)).toBe('result');
});

it('asks the user when the question is stored, and runs the call when the answer is stored', async () => {
  const order: string[] = [];
  const settle = async (last: EntryBody): Promise<void> => {
    await Promise.resolve();
    if (last.type === 'ask' || last.type === 'ask_answer') order.push(`stored ${last.type}`);
  };
  const { agent, write } = agentWith(settle, {
    permissionMode: 'default',
    canUseTool: async () => {
      order.push('asked');
      return { allow: true };
    },
  });
  for await (const _ of agent.submit('go')) void _;
  expect(order).toEqual(['stored ask', 'asked', 'stored ask_answer']);
  expect(write.calls).toHaveLength(1);
});

it('ends the run without the effect if the intent cannot be stored', async () => {
  const { agent, write } = agentWith((last) =>
    last.type === 'intent' ? Promise.reject(new JournalError('The session was taken over.')) : undefined,
  );
  let result: unknown;
  for await (const line of agent.submit('go')) if (line.type === 'result') result = line;
  expect(result).toMatchObject({ is_error: true, errors: ['The session was taken over.'] });
  expect(write.calls).toEqual([]);
});

it('reports the reason if the end cannot be stored', async () => {
  const { agent } = agentWith((last) =>
    last.type === 'end' ? Promise.reject(new JournalError('The database is gone.')) : undefined,
  );
  let result: unknown;
  for await (const line of agent.submit('go')) if (line.type === 'result') result = line;
  expect(result).toMatchObject({ result: 'Done.', errors: ['The database is gone.'] });
});
