import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { editDecision, inEditTurn } from './edit-turns.ts';

const call = (toolUseId: string, signal = new AbortController().signal) => ({ signal, toolUseId });

describe('edits of several conversations', () => {
  it('let a script run alone, and file tools beside each other', async () => {
    const steps: string[] = [];
    const gate = Promise.withResolvers<void>();
    const edit = (name: string) =>
      inEditTurn(call(name), 'beside others', async () => {
        steps.push(`${name} begins`);
        await gate.promise;
        steps.push(`${name} ends`);
      });
    const first = edit('a');
    const second = edit('b');
    const script = inEditTurn(call('script'), 'alone', async () => void steps.push('script'));
    const third = edit('c');
    await setTimeout(5);
    expect(steps).toEqual(['a begins', 'b begins']);
    gate.resolve();
    await Promise.all([first, second, script, third]);
    expect(steps.slice(2)).toEqual(['a ends', 'b ends', 'script', 'c begins', 'c ends']);
  });

  it('are decided again if another edit ended since the decision', async () => {
    const own = call('own');
    const decided: string[] = [];
    const remember = editDecision();
    remember(own.signal, own.toolUseId, async () => {
      decided.push('again');
      return 'vendor/bin is protected.';
    });
    await inEditTurn(call('other'), 'beside others', async () => undefined);
    await expect(inEditTurn(own, 'alone', async () => decided.push('ran'))).rejects.toThrow(
      'Another call changed files before this one ran. Nothing was changed. vendor/bin is protected.',
    );
    expect(decided).toEqual(['again']);
  });

  it('run with the first decision if nothing ended since, or with the same second one', async () => {
    const own = call('own');
    editDecision()(own.signal, own.toolUseId, () => Promise.reject(new Error('not needed')));
    await expect(inEditTurn(own, 'alone', async () => 'ran')).resolves.toBe('ran');
    const next = call('next');
    const remember = editDecision();
    await inEditTurn(call('other'), 'alone', async () => undefined);
    remember(next.signal, next.toolUseId, async () => undefined);
    await expect(inEditTurn(next, 'alone', async () => 'ran')).resolves.toBe('ran');
  });

  it('stop waiting after a time limit or an abort, and change nothing', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = inEditTurn(call('slow'), 'alone', () => gate.promise);
    const ran: string[] = [];
    const work = async (): Promise<void> => void ran.push('ran');
    await expect(inEditTurn(call('late'), 'beside others', work, 5)).rejects.toThrow('still running');
    const stop = new AbortController();
    const stopped = inEditTurn(call('stopped', stop.signal), 'alone', work);
    stop.abort();
    await expect(stopped).rejects.toThrow('Interrupted');
    const last = inEditTurn(call('last'), 'beside others', work);
    await setTimeout(5);
    expect(ran).toEqual([]);
    gate.resolve();
    await Promise.all([slow, last]);
    expect(ran).toEqual(['ran']);
  });
});
