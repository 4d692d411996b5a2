import { History, type Message } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { collect, collectList } from '../collect.ts';
import { contextOf } from '../context.ts';
import { requestOf } from '../request-of.ts';
import { fakeAttachments, queued } from './attachments.ts';
import { compactorTo, failingCompactor, fakeContext } from './fake-context.ts';
import { allowAll, denyTools, fakeDeps } from './deps.ts';
import { fakeToolHooks, fakeTurnEnd, stopMessage } from './hooks.ts';
import { fakeTool } from '../fake-tool.ts';

const context = contextOf();
const { signal } = context;
const messages = History.of<Message>([{ type: 'user', uuid: 'u1', at: 0, content: 'go' }]);
const hookInput = { messages, answer: [], stopHookActive: false, context };
const call = { toolUseId: 'r1', tool: 'Read', input: {} };

describe('the fake dependencies', () => {
  it('are complete and have no effects', async () => {
    const deps = fakeDeps();
    const { returned } = await collect(deps.context.prepare({ messages, autoCompact: true, context }));
    expect(returned).toEqual({
      messages,
      view: messages,
      overLimit: false,
      autoCompact: { outcome: 'idle' },
    });
    expect(deps.context.staged()).toBe(false);
    expect(await deps.toolHooks.before(call, signal)).toEqual({});
    expect((await collect(deps.turnEnd.userStopHooks(hookInput))).returned.blockingErrors).toEqual([]);
    expect(deps.attachments.takeQueued(context)).toEqual([]);
    expect(await deps.askToContinue([], signal)).toBe(false);
    expect(await deps.summarizeTools([], signal)).toBeUndefined();
    expect([deps.ids.uuid(), deps.ids.uuid()]).toEqual(['m1', 'm2']);
    expect((await collectList(deps.model(requestOf([['user', 'x']]), signal))).at(-1)).toMatchObject({
      class: 'bad_request',
    });
    await deps.clock.sleep(60_000, signal);
  });

  it('let a test replace one port', () => {
    expect(fakeDeps({ random: () => 0.5 }).random()).toBe(0.5);
  });
});

describe('the fake context port', () => {
  it('plays limits and autocompaction, iteration by iteration', async () => {
    const port = fakeContext({
      overLimit: [false, true],
      autoCompact: ['failed', { id: 'c1', replacedTokens: 5 }],
    });
    const outcomes: unknown[] = [];
    for (const autoCompact of [true, true, false, true]) {
      const { yielded, returned } = await collect(port.prepare({ messages, autoCompact, context }));
      outcomes.push([returned.overLimit, returned.autoCompact.outcome, yielded.length]);
    }
    expect(outcomes).toEqual([
      [false, 'failed', 0],
      [true, 'compacted', 1],
      [true, 'idle', 0],
      [true, 'idle', 0],
    ]);
  });

  it('drains what is staged, once', async () => {
    const port = fakeContext({ staged: 3 });
    expect(port.staged()).toBe(true);
    expect((await port.drain()).committed).toBe(3);
    expect(port.staged()).toBe(false);
    expect(await port.drain()).toEqual({ committed: 0, report: undefined });
    const stuck = fakeContext({ staged: 3, drainFails: true });
    expect([(await stuck.drain()).committed, stuck.staged()]).toEqual([0, true]);
  });

  it('compacts, or fails to', async () => {
    const request = { messages, cause: 'overflow' as const, context };
    const port = fakeContext({ staged: 2, compact: compactorTo('In short: go.') });
    expect(await port.compact(request)).toMatchObject({ ok: true, messages: { length: 1 } });
    expect([port.staged(), port.asked]).toEqual([false, ['compact']]);
    expect(await fakeContext({ compact: failingCompactor() }).compact(request)).toMatchObject({ ok: false });
  });
});

describe('the fake hooks', () => {
  it('block, prevent and pass as the script defines, and record their input', async () => {
    const turnEnd = fakeTurnEnd({ stopHooks: [{ block: 'run the tests' }, { prevent: 'enough' }] });
    const say = async () => (await collect(turnEnd.userStopHooks(hookInput))).returned;
    expect(await say()).toMatchObject({ blockingErrors: [{ message: 'run the tests' }] });
    expect(await say()).toMatchObject({ preventContinuation: { message: 'enough' } });
    expect(await say()).toEqual({ blockingErrors: [], preventContinuation: undefined });
    expect([turnEnd.steps.length, turnEnd.stopHookInputs.length]).toEqual([3, 3]);
  });

  it('run around tools', async () => {
    const hooks = fakeToolHooks({
      before: { Read: { decision: 'deny' } },
      after: { Bash: { stop: stopMessage('no') } },
    });
    expect(await hooks.before(call, signal)).toEqual({ decision: 'deny' });
    expect(await hooks.after({ ...call, tool: 'Bash' }, { content: '' }, signal)).toMatchObject({
      stop: { message: 'no' },
    });
    expect(await hooks.afterFailure(call, 'broken', signal)).toEqual({});
    expect(hooks.seen).toEqual(['before Read r1', 'after Bash r1', 'afterFailure Read r1']);
  });
});

describe('the fake attachments', () => {
  it('return the queue once, and the gathered attachments in turn', async () => {
    const sources = fakeAttachments({ gathered: [[{ kind: 'skills', text: 'knitting' }]] });
    sources.enqueue(queued('c1', 'also this'));
    sources.begin('run', messages, context);
    expect(sources.takeQueued(context)).toEqual([{ commandId: 'c1', prompt: 'also this' }]);
    expect(sources.takeQueued(context)).toEqual([]);
    expect(await sources.gather(messages, context)).toHaveLength(1);
    expect(await sources.gather(messages, context)).toEqual([]);
    expect(sources.begun).toEqual(['run']);
  });
});

describe('the fake permissions', () => {
  it('allow everything, or all but some', async () => {
    const [read, bash] = [fakeTool({ name: 'Read' }), fakeTool({ name: 'Bash' })];
    const question = { toolUseId: 'x', hookDecision: undefined, signal };
    expect(await allowAll(bash, {}, context, question)).toEqual({ behavior: 'allow' });
    expect(await denyTools('Bash')(bash, {}, context, question)).toMatchObject({ behavior: 'deny' });
    expect(await denyTools('Bash')(read, {}, context, question)).toEqual({ behavior: 'allow' });
  });
});
