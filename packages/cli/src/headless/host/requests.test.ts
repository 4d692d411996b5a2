import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lineIn, textIn } from './json.ts';
import { HostRequests } from './requests.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function host() {
  const sent: object[] = [];
  const requests = new HostRequests((line) => sent.push(line));
  return { requests, sent, lastId: () => textIn(lineIn(sent.at(-1))?.['request_id']) };
}

describe('a request to the host', () => {
  it('is answered under its id, and by nothing else', async () => {
    const { requests, lastId } = host();
    const reply = requests.ask({ subtype: 'x' }, {});
    requests.settle({ response: { subtype: 'success', request_id: 'other', response: { n: 1 } } });
    requests.settle({ response: { subtype: 'success', request_id: lastId(), response: { n: 2 } } });
    expect(await reply).toEqual({ ok: true, response: { n: 2 } });
  });

  it('that fails over there says why', async () => {
    const { requests, lastId } = host();
    const reply = requests.ask({}, {});
    requests.settle({ response: { subtype: 'error', request_id: lastId(), error: 'boom' } });
    expect(await reply).toEqual({ ok: false, why: 'error', message: 'boom' });
  });

  it('is withdrawn at its deadline, and a late answer is passed over', async () => {
    const { requests, sent, lastId } = host();
    const reply = requests.ask({}, { deadlineMs: 1_000 });
    const id = lastId();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await reply).toMatchObject({ ok: false, why: 'late' });
    expect(sent.at(-1)).toEqual({ type: 'control_cancel_request', request_id: id });
    requests.settle({ response: { subtype: 'success', request_id: id } });
    expect(sent).toHaveLength(2);
  });

  it('is withdrawn when its caller stops waiting, or is not sent at all', async () => {
    const { requests, sent } = host();
    const waiting = new AbortController();
    const reply = requests.ask({}, { signal: waiting.signal });
    waiting.abort();
    expect(await reply).toMatchObject({ why: 'withdrawn' });
    expect(await requests.ask({}, { signal: waiting.signal })).toMatchObject({ why: 'withdrawn' });
    expect(sent).toHaveLength(2);
  });

  it('ends when the host goes away, and so does every later one', async () => {
    const { requests } = host();
    const reply = requests.ask({}, { deadlineMs: 1_000 });
    requests.close();
    expect(await reply).toMatchObject({ why: 'gone' });
    expect(await requests.ask({}, {})).toMatchObject({ why: 'gone' });
    expect(vi.getTimerCount()).toBe(0);
  });
});
