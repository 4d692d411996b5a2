import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inEditTurn, readsInBackground, rememberDecision, whileReading } from './edit-turns.ts';

const call = (
  toolUseId: string,
  signal = new AbortController().signal,
  workingDirectory = '/none/project',
) => ({ signal, toolUseId, workingDirectory });

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
    rememberDecision()(own.signal, own.toolUseId, async () => 'It would become a repository.');
    const second = inEditTurn(own, async () => 'ran');
    gate.resolve();
    await first;
    await expect(second).rejects.toThrow('It would become a repository.');
  });

  it('are decided again if another edit ended since the decision', async () => {
    const own = call('own');
    const decided: string[] = [];
    const remember = rememberDecision();
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
    rememberDecision()(own.signal, own.toolUseId, () => Promise.reject(new Error('not needed')));
    await expect(inEditTurn(own, async () => 'ran')).resolves.toBe('ran');
    const next = call('next');
    const remember = rememberDecision();
    await inEditTurn(call('other'), async () => undefined);
    remember(next.signal, next.toolUseId, async () => undefined);
    await expect(inEditTurn(next, async () => 'ran')).resolves.toBe('ran');
  });

  it('stop waiting after a time limit or an abort, and change nothing', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = inEditTurn(call('slow'), () => gate.promise);
    const ran: string[] = [];
    const work = async (): Promise<void> => void ran.push('ran');
    await expect(inEditTurn(call('late'), work, { mostWaitMs: 5 })).rejects.toThrow('still running');
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

describe('moves beside commands that read', () => {
  const isMove = true;

  it('wait for reads in the foreground, and other edits do not', async () => {
    const gate = Promise.withResolvers<void>();
    const steps: string[] = [];
    const read = whileReading(call('read'), async () => {
      await gate.promise;
      steps.push('read ends');
    });
    await inEditTurn(call('edit'), async () => steps.push('edit'));
    const move = inEditTurn(call('move'), async () => steps.push('move'), { isMove });
    await setTimeout(5);
    expect(steps).toEqual(['edit']);
    gate.resolve();
    await Promise.all([read, move]);
    expect(steps).toEqual(['edit', 'read ends', 'move']);
  });

  it('let other edits run while they wait', async () => {
    const gate = Promise.withResolvers<void>();
    const steps: string[] = [];
    const read = whileReading(call('read'), () => gate.promise);
    const move = inEditTurn(call('move'), async () => steps.push('move'), { isMove });
    await inEditTurn(call('edit'), async () => steps.push('edit'));
    gate.resolve();
    await Promise.all([read, move]);
    expect(steps).toEqual(['edit', 'move']);
  });

  it('keep later reads waiting, which are then decided again', async () => {
    const gate = Promise.withResolvers<void>();
    const ran: string[] = [];
    const own = call('own');
    rememberDecision()(own.signal, own.toolUseId, async () => 'x may be a repository.');
    const move = inEditTurn(call('move'), () => gate.promise, { isMove });
    await setTimeout(5);
    const refused = whileReading(own, async () => ran.push('refused'));
    const other = whileReading(call('other'), async () => ran.push('other'));
    await setTimeout(5);
    expect(ran).toEqual([]);
    gate.resolve();
    await move;
    await expect(refused).rejects.toThrow('x may be a repository.');
    await other;
    expect(ran).toEqual(['other']);
  });

  it('are decided again if a read runs in the background, until it ends', async () => {
    const gate = Promise.withResolvers<void>();
    await whileReading(call('read'), async (continues) => continues(gate.promise));
    expect(readsInBackground(['/none/project'])).toBe(true);
    const own = call('own');
    rememberDecision()(own.signal, own.toolUseId, async () => 'A command still reads.');
    await expect(inEditTurn(own, async () => 'ran', { isMove })).rejects.toThrow('A command still reads.');
    gate.resolve();
    await setTimeout(1);
    expect(readsInBackground(['/none/project'])).toBe(false);
    const next = call('next');
    rememberDecision()(next.signal, next.toolUseId, () => Promise.reject(new Error('not needed')));
    await expect(inEditTurn(next, async () => 'ran', { isMove })).resolves.toBe('ran');
  });

  it('alone make a read be decided again, and not other edits', async () => {
    const own = call('own');
    rememberDecision()(own.signal, own.toolUseId, () => Promise.reject(new Error('not needed')));
    await inEditTurn(call('edit'), async () => undefined);
    await expect(whileReading(own, async () => 'ran')).resolves.toBe('ran');
  });

  it('count reads in the same folders, or in folders around or below them', async () => {
    const gate = Promise.withResolvers<void>();
    await whileReading(call('read'), async (continues) => continues(gate.promise));
    expect(readsInBackground(['/none/project/packages/a'])).toBe(true);
    expect(readsInBackground(['/elsewhere', '/none'])).toBe(true);
    expect(readsInBackground(['/'])).toBe(true);
    expect(readsInBackground(['/none/project-b', '/elsewhere'])).toBe(false);
    const other = call('other', new AbortController().signal, '/elsewhere');
    rememberDecision()(other.signal, other.toolUseId, () => Promise.reject(new Error('not needed')));
    await expect(inEditTurn(other, async () => 'ran', { isMove })).resolves.toBe('ran');
    gate.resolve();
    await setTimeout(1);
  });

  it('stop waiting after a time limit, and so do reads', async () => {
    const gate = Promise.withResolvers<void>();
    const read = whileReading(call('read'), () => gate.promise);
    const late = inEditTurn(call('late'), async () => 'ran', { isMove, mostWaitMs: 5 });
    await expect(late).rejects.toThrow('reads files is still running');
    gate.resolve();
    await read;
    const second = Promise.withResolvers<void>();
    const move = inEditTurn(call('move'), () => second.promise, { isMove });
    await setTimeout(1);
    await expect(whileReading(call('later'), async () => 'ran', 5)).rejects.toThrow('moves files');
    second.resolve();
    await move;
    await expect(whileReading(call('last'), async () => 'ran')).resolves.toBe('ran');
  });
});
