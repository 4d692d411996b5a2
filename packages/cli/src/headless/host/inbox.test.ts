import { describe, expect, it } from 'vitest';
import { type HostPrompt, HostPromptQueue, hostPromptOf } from './inbox.ts';

function given(content: unknown, more: object = {}): HostPrompt {
  const prompt = hostPromptOf({ type: 'user', message: { role: 'user', content }, ...more });
  if (!prompt) throw new Error('The line does not contain a prompt.');
  return prompt;
}

async function inOrder(inbox: HostPromptQueue): Promise<unknown[]> {
  inbox.close();
  const contents: unknown[] = [];
  for await (const { content } of inbox) contents.push(content);
  return contents;
}

describe('a line', () => {
  it.each([[{}], [{ message: 'go' }], [{ message: { content: 3 } }], [{ message: { content: [{}] } }]])(
    'such as %j holds no prompt',
    (line) => {
      expect(hostPromptOf(line)).toBeUndefined();
    },
  );

  it.each([
    [{ type: 'text' }],
    [{ type: 'text', text: 5 }],
    [{ type: 'image' }],
    [{ type: 'document', source: null }],
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png' } }],
    [{ type: 'image', source: { type: 'url' } }],
  ])('with a block such as %j holds none either', (block) => {
    expect(hostPromptOf({ message: { content: [{ type: 'text', text: 'look' }, block] } })).toBeUndefined();
  });

  it('may hold images, and blocks of unknown kinds', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } };
    expect(given([image, { type: 'new_kind' }]).content).toHaveLength(2);
  });

  it('without an id gets one', () => {
    expect(given('go').uuid).toMatch(/^[0-9a-f-]{36}$/);
    expect(given('go', { uuid: 'mine' }).uuid).toBe('mine');
  });
});

describe('prompts that wait', () => {
  it('come in their order, urgent ones first, and end when the host has closed its side', async () => {
    const inbox = new HostPromptQueue();
    inbox.put(given('a'));
    inbox.put(given('b', { priority: 'later' }));
    inbox.put(given('c', { priority: 'now' }));
    expect(await inOrder(inbox)).toEqual(['c', 'a', 'b']);
  });

  it('join a running turn unless they say later, or are commands', async () => {
    const inbox = new HostPromptQueue();
    inbox.put(given('a', { uuid: 'a' }));
    inbox.put(given('b', { priority: 'later' }));
    inbox.put(given('/compact'));
    inbox.put(given([{ type: 'text', text: '/compact this' }]));
    inbox.put(given('/etc is full', { uuid: 'e', client_composed: true }));
    expect(inbox.takeQueued()).toEqual([
      { commandId: 'a', prompt: 'a' },
      { commandId: 'e', prompt: '/etc is full' },
    ]);
    expect(await inOrder(inbox)).toEqual(['b', '/compact', [{ type: 'text', text: '/compact this' }]]);
  });

  it('that ask nothing join only with one that does', () => {
    const inbox = new HostPromptQueue();
    inbox.put(given('a note', { uuid: 'n', shouldQuery: false }));
    expect(inbox.takeQueued()).toEqual([]);
    inbox.put(given('a question', { uuid: 'q' }));
    expect(inbox.takeQueued().map(({ commandId }) => commandId)).toEqual(['n', 'q']);
  });

  it('can be dropped, and none is taken in once the host has gone', async () => {
    const inbox = new HostPromptQueue();
    inbox.put(given('a', { uuid: 'a' }));
    expect(inbox.clear()).toEqual(['a']);
    inbox.close();
    inbox.put(given('b'));
    expect(await inOrder(inbox)).toEqual([]);
  });

  it('join a running turn only when a hook has let them pass', () => {
    const inbox = new HostPromptQueue();
    const used: string[] = [];
    const withPass = (content: string, isGiven: boolean): HostPrompt => ({
      ...given(content),
      pass: {
        objection: Promise.resolve(undefined),
        isGiven,
        use: () => void used.push(content),
        drop: () => undefined,
      },
    });
    inbox.put(withPass('pending', false));
    inbox.put(withPass('passed', true));
    expect(inbox.takeQueued().map(({ prompt }) => prompt)).toEqual(['passed']);
    expect(used).toEqual(['passed']);
    expect(inbox.uuids).toHaveLength(1);
  });
});
