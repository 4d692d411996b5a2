import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PromptInbox, returnDraft } from './inbox.ts';
import { openPromptHistory, Recall } from '../../terminal/input/prompt-history.ts';

describe('earlier prompts', () => {
  it('are reached with the arrow keys, and so is the draft', () => {
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

  it('are stored by folder, readable only by the owner', () => {
    const config = mkdtempSync(path.join(os.tmpdir(), 'heddle-history-'));
    openPromptHistory(config, '/here').add('first\nwith two lines');
    openPromptHistory(config, '/there').add('elsewhere');
    openPromptHistory(config, '/here').add('second');
    expect(openPromptHistory(config, '/here').prompts).toEqual(['first\nwith two lines', 'second']);
    expect(statSync(path.join(config, 'prompt-history.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('keep a note about long pastes, and old prompts without a note count as pastes if they are long', () => {
    const config = mkdtempSync(path.join(os.tmpdir(), 'heddle-history-'));
    const long = 'a line\n'.repeat(20);
    const lines = [long, 'short'].map((prompt) => `${JSON.stringify({ folder: '/', prompt })}\n`);
    writeFileSync(path.join(config, 'prompt-history.jsonl'), lines.join(''));
    const history = openPromptHistory(config, '/');
    history.add(`see ${long}x`, [`${long}x`]);
    history.add(`typed ${long}`);
    openPromptHistory(config, '/other').add(long, ['other']);
    const { prompts, pastes } = openPromptHistory(config, '/');
    expect(prompts).toEqual([long, 'short', `see ${long}x`, `typed ${long}`]);
    expect(pastes).toEqual([long, `${long}x`]);
  });

  it('are limited in number, and damaged lines are ignored', () => {
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

  it('are skipped if they cannot be stored', () => {
    const config = path.join(mkdtempSync(path.join(os.tmpdir(), 'heddle-history-')), 'a file');
    writeFileSync(config, '');
    const history = openPromptHistory(config, '/');
    history.add('x');
    expect(history.prompts).toEqual([]);
  });
});

describe('text that is typed during a turn', () => {
  it('joins the turn in order, or is returned as one text', () => {
    const queued: string[] = [];
    const inbox = new PromptInbox({ onQueued: ({ commandId }) => void queued.push(commandId) });
    inbox.join('one');
    inbox.join('two');
    expect(inbox.takeJoining().map(({ prompt }) => prompt)).toEqual(['one', 'two']);
    expect(inbox.takeLeft()).toBeUndefined();
    inbox.join('three');
    inbox.join('four');
    expect(inbox.takeLeft()).toBe('three\n\nfour');
    expect(inbox.takeCarried()).toEqual(queued.slice(2));
    expect(inbox.takeCarried()).toEqual([]);
  });
});

describe('typed lines', () => {
  it('go to the waiting reader or are stored in order; empty lines are not stored', async () => {
    const inbox = new PromptInbox();
    for (const line of ['one', '', 'two']) inbox.give(line);
    expect([inbox.takeNext(), inbox.takeNext(), inbox.takeNext()]).toEqual(['one', 'two', undefined]);
    const line = inbox.wait();
    inbox.give('');
    inbox.give('three');
    expect([await line, inbox.takeNext()]).toEqual(['', 'three']);
  });

  it('are returned if they were not sent, and shell commands are not mixed with prompts', () => {
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
