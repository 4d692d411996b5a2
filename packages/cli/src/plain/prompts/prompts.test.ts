import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { InputQueue, PromptInbox, returnDraft } from './inbox.ts';
import { openPromptHistory, Recall } from './prompt-history.ts';

describe('earlier prompts', () => {
  it('come back with the arrows, and so does what was being typed', () => {
    const recall = new Recall(['one', 'two']);
    const walk = [
      recall.older('draft'),
      recall.older('two'),
      recall.older('one'),
      recall.newer(),
      recall.newer(),
    ];
    expect(walk).toEqual(['two', 'one', undefined, 'two', 'draft']);
    expect(recall.newer()).toBeUndefined();
    recall.older('');
    recall.rest();
    recall.add('three');
    expect(recall.older('')).toBe('three');
  });

  it('are kept by folder, for the owner alone', () => {
    const config = mkdtempSync(path.join(os.tmpdir(), 'heddle-history-'));
    openPromptHistory(config, '/here').add('first\nwith two lines');
    openPromptHistory(config, '/there').add('elsewhere');
    openPromptHistory(config, '/here').add('second');
    expect(openPromptHistory(config, '/here').prompts).toEqual(['first\nwith two lines', 'second']);
    expect(statSync(path.join(config, 'prompt-history.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('are bounded, and damage to the file is passed over', () => {
    const config = mkdtempSync(path.join(os.tmpdir(), 'heddle-history-'));
    const file = path.join(config, 'prompt-history.jsonl');
    const lines = Array.from({ length: 2_000 }, (_, index) =>
      JSON.stringify({ folder: '/', prompt: `${index} ${'x'.repeat(600)}` }),
    );
    writeFileSync(file, `torn{\n${lines.join('\n')}\n"no object"\n`);
    expect(openPromptHistory(config, '/').prompts).toHaveLength(2_000);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1_000);
    expect(openPromptHistory(config, '/').prompts.at(-1)).toMatch(/^1999 /);
  });

  it('that cannot be kept are no reason to fail', () => {
    const config = path.join(mkdtempSync(path.join(os.tmpdir(), 'heddle-history-')), 'a file');
    writeFileSync(config, '');
    const history = openPromptHistory(config, '/');
    history.add('x');
    expect(history.prompts).toEqual([]);
  });
});

describe('what is typed while a turn runs', () => {
  it('joins it in order, or is left as one text', () => {
    const queue = new InputQueue();
    queue.add('one');
    queue.add('two');
    expect(queue.take().map(({ prompt }) => prompt)).toEqual(['one', 'two']);
    expect(queue.takeText()).toBeUndefined();
    queue.add('three');
    queue.add('four');
    expect(queue.takeText()).toBe('three\n\nfour');
    expect(queue.isEmpty).toBe(true);
  });
});

describe('typed lines', () => {
  it('go to whoever waits, else each is kept for its turn; empty ones are not', async () => {
    const inbox = new PromptInbox();
    for (const line of ['one', '', 'two']) inbox.give(line);
    expect([inbox.takeNext(), inbox.takeNext(), inbox.takeNext()]).toEqual(['one', 'two', undefined]);
    const line = inbox.wait();
    inbox.give('');
    inbox.give('three');
    expect([await line, inbox.takeNext()]).toEqual(['', 'three']);
  });

  it('come back where they were not sent, and what is for the shell is not mixed with words', () => {
    const inbox = new PromptInbox();
    inbox.later('!ls');
    inbox.join('and this');
    inbox.join('and that');
    expect(returnDraft(inbox.takeUnsent())).toEqual({ draft: 'and this\n\nand that', aside: ['!ls'] });
    expect(inbox.takeJoining()).toEqual([]);
    inbox.later('!ls');
    inbox.later('/model opus');
    expect(returnDraft(inbox.takeUnsent())).toEqual({ draft: '!ls', aside: ['/model opus'] });
    expect(returnDraft(inbox.takeUnsent())).toEqual({ draft: undefined, aside: [] });
  });
});
