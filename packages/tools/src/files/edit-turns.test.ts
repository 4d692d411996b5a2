import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { editDecision, inEditTurn } from './edit-turns.ts';

const call = (toolUseId: string, signal = new AbortController().signal) => ({ signal, toolUseId });

describe('edits of several conversations', () => {
  it('run one at a time, in their order', async () => {
    const steps: string[] = [];
    const gate = Promise.withResolvers<void>();
    const edit = (name: string) =>
      inEditTurn(call(name), async () => {
        steps.push(`${name} begins`);
        await gate.promise;
        steps.push(`${name} ends`);
      });
    const edits = ['a', 'b', 'c'].map(edit);
    await setTimeout(5);
    expect(steps).toEqual(['a begins']);
    gate.resolve();
    await Promise.all(edits);
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('are decided again although they were started before the other one ended', async () => {
    const gate = Promise.withResolvers<void>();
    const first = inEditTurn(call('first'), () => gate.promise);
    const own = call('own');
    editDecision()(own.signal, own.toolUseId, async () => 'It would become a repository.');
    const second = inEditTurn(own, async () => 'ran');
    gate.resolve();
    await first;
    await expect(second).rejects.toThrow('It would become a repository.');
  });

  it('are decided again if another edit ended since the decision', async () => {
    const own = call('own');
    const decided: string[] = [];
    const remember = editDecision();
    remember(own.signal, own.toolUseId, async () => {
      decided.push('again');
      return 'vendor/bin is protected.';
    });
    await inEditTurn(call('other'), async () => undefined);
    await expect(inEditTurn(own, async () => decided.push('ran'))).rejects.toThrow(
      'Another call changed files before this one ran. Nothing was changed. vendor/bin is protected.',
    );
    expect(decided).toEqual(['again']);
  });

  it('run with the first decision if nothing ended since, or with the same second one', async () => {
    const own = call('own');
    editDecision()(own.signal, own.toolUseId, () => Promise.reject(new Error('not needed')));
    await expect(inEditTurn(own, async () => 'ran')).resolves.toBe('ran');
    const next = call('next');
    const remember = editDecision();
    await inEditTurn(call('other'), async () => undefined);
    remember(next.signal, next.toolUseId, async () => undefined);
    await expect(inEditTurn(next, async () => 'ran')).resolves.toBe('ran');
  });

  it('stop waiting after a time limit or an abort, and change nothing', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = inEditTurn(call('slow'), () => gate.promise);
    const ran: string[] = [];
    const work = async (): Promise<void> => void ran.push('ran');
    await expect(inEditTurn(call('late'), work, 5)).rejects.toThrow('still running');
    const stop = new AbortController();
    const stopped = inEditTurn(call('stopped', stop.signal), work);
    stop.abort();
    await expect(stopped).rejects.toThrow('Interrupted');
    const last = inEditTurn(call('last'), work);
    await setTimeout(5);
    expect(ran).toEqual([]);
    gate.resolve();
    await Promise.all([slow, last]);
    expect(ran).toEqual(['ran']);
  });
});
