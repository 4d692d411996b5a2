import { History, type Message } from '@heddle/core';
import { collect } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { estimateMessages } from '../estimate/message.ts';
import { contextOptions } from '../options.ts';
import { readHistory } from '../history/history-reader.ts';
import { prepared, rig } from '../test/rig.ts';
import { historyOf, prose, step, userSays } from '../test/talk.ts';
import { memoryCollapses, projectCollapses, CollapseProjector } from './collapse.ts';
import { Collapser, stageCollapse } from './collapser.ts';

/** Twice: three reads, then an edit. */
const looked = (): Message[] => [
  userSays('Fix it.'),
  ...['a', 'b', 'c'].flatMap((id) => step(`${id}1`, prose(800))),
  ...step('e1', 'edited', 'Edit'),
  ...['a', 'b', 'c'].flatMap((id) => step(`${id}2`, prose(800))),
  ...step('e2', 'edited', 'Edit'),
  ...['x', 'y', 'z'].flatMap((id) => step(`${id}3`, prose(100))),
];

let count = 0;
const request = {
  options: { ...contextOptions().collapse, keepRounds: 3 },
  isCompactable: (tool: string) => tool === 'Read',
  stamp: () => ({ uuid: `k${++count}`, at: 0 }),
  known: new Set<string>(),
  fromRound: 0,
  seenRounds: 0,
};

describe('staging', () => {
  it('finds the stretches in which the model only looked, once something came of it', () => {
    const history = historyOf(looked());
    const { staged } = stageCollapse(history, readHistory(history), request);
    expect(staged).toHaveLength(2);
    expect(staged[0]?.summary).toContain('/project/b1.ts');
    expect(staged.every(({ tokensBefore, tokensAfter }) => tokensAfter * 2 <= tokensBefore)).toBe(true);
  });

  it('leaves failures, the user’s words and the last rounds alone', () => {
    const [first, ...rest] = looked();
    const spoken = historyOf([first as Message, ...rest.slice(0, 4), userSays('wait'), ...rest.slice(4, 8)]);
    expect(
      stageCollapse(spoken, readHistory(spoken), {
        ...request,
        options: { ...request.options, minRounds: 3 },
      }).staged,
    ).toEqual([]);
    const short = historyOf(looked().slice(0, 9));
    expect(stageCollapse(short, readHistory(short), request).staged).toEqual([]);
  });
});

describe('what is staged', () => {
  it('is staged only if the loop allows it, and nothing more until then', () => {
    const store = memoryCollapses();
    const collapser = new Collapser({ store, options: request.options, stamp: request.stamp });
    const all = looked();
    const before = historyOf(all.slice(0, 15));
    const stageOf = (history: History<Message>, mayStage: boolean): number => {
      collapser.stage(history, readHistory(history), request.isCompactable, mayStage);
      return collapser.staged;
    };
    expect(stageOf(before, true)).toBe(1);
    const grown = before.append(all.slice(15));
    expect(stageOf(grown, false)).toBe(1);
    expect(stageOf(grown, true)).toBe(2);
  });
});

describe('the projection', () => {
  it('shows summaries, never changes the history, and grows with it', () => {
    const history = historyOf(looked());
    const { staged } = stageCollapse(history, readHistory(history), request);
    const before = history.since(0);
    const view = projectCollapses(history, staged);
    expect(history.since(0)).toEqual(before);
    expect(estimateMessages(view)).toBeLessThan(estimateMessages(history) / 2);
    const projector = new CollapseProjector();
    projector.view(history, staged);
    const grown = history.append(step('n', 'new'));
    expect(projector.view(grown, staged).since(0)).toEqual(projectCollapses(grown, staged).since(0));
    expect(projector.view(grown, staged).length).toBe(view.length + 2);
  });

  it('leaves out a collapse whose messages are gone', () => {
    const history = historyOf(looked());
    const { staged } = stageCollapse(history, readHistory(history), request);
    const later = History.of(history.since(3));
    expect(projectCollapses(later, staged.slice(0, 1))).toBe(later);
  });
});

describe('the context port', () => {
  const options = { levels: { collapse: true }, collapse: { keepRounds: 3, over: 0 } };

  it('commits one staged collapse in each iteration, and all of them when drained', async () => {
    const { port, context, deps } = rig(options);
    const messages = historyOf(looked());
    const first = await prepared(port, { messages, autoCompact: true, context });
    expect(first.yielded.map(({ report }) => report.level)).toEqual(['collapse']);
    expect(first.returned.messages).toBe(messages);
    expect(first.returned.view.length).toBeLessThan(messages.length);
    expect([deps.collapses.committed().length, port.staged()]).toEqual([1, true]);
    const drained = await port.drain();
    expect([drained.committed, drained.report?.level, port.staged()]).toEqual([1, 'drain', false]);
    expect(await port.drain()).toEqual({ committed: 0, report: undefined });
    const second = await prepared(port, { messages, autoCompact: true, context });
    expect(second.returned.view.length).toBeLessThan(first.returned.view.length);
  });

  it('sends the same view after a restart, from what was stored', async () => {
    const store = memoryCollapses();
    const before = rig(options, { collapses: store });
    const messages = historyOf(looked());
    await collect(before.port.prepare({ messages, autoCompact: true, context: before.context }));
    await before.port.drain();
    const last = await collect(before.port.prepare({ messages, autoCompact: true, context: before.context }));
    const after = rig(options, { collapses: memoryCollapses(store.committed()) });
    const resumed = await collect(
      after.port.prepare({ messages, autoCompact: true, context: after.context }),
    );
    expect(resumed.returned.view.since(0)).toEqual(last.returned.view.since(0));
  });

  it('keeps its collapses if a compaction is aborted after its summary', async () => {
    const { port, context, deps } = rig(options);
    const messages = historyOf(looked());
    const { returned } = await prepared(port, { messages, autoCompact: true, context });
    expect(returned.view.length).toBeLessThan(messages.length);
    // The caller drops both results, as after an abort.
    expect(await port.compactNow({ messages, context })).toMatchObject({ ok: true });
    expect(await port.compact({ messages, cause: 'overflow', context })).toMatchObject({ ok: true });
    expect(port.visibleHistory(messages).since(0)).toEqual(returned.view.since(0));
    const after = rig(
      { levels: { collapse: false } },
      { collapses: memoryCollapses(deps.collapses.committed()) },
    );
    expect(after.port.visibleHistory(messages).since(0)).toEqual(returned.view.since(0));
  });

  it('drops collapses of a compacted history with the next commit', async () => {
    const { port, context, deps } = rig(options);
    const old = historyOf(looked());
    await prepared(port, { messages: old, autoCompact: true, context });
    const [before] = deps.collapses.committed();
    const compacted = await port.compactNow({ messages: old, context });
    if (!compacted.ok) throw new Error(compacted.why);
    const later = ['p', 'q', 'r', 's', 't'].flatMap((id) => step(id, prose(900)));
    const tail = ['w', 'x', 'y', 'z'].flatMap((id) => step(id, 'x', 'Edit'));
    const messages = compacted.messages.append([...later, ...tail]);
    expect(
      (await prepared(port, { messages, autoCompact: true, context })).returned.view.length,
    ).toBeLessThan(messages.length);
    expect(deps.collapses.committed()).toHaveLength(1);
    expect(deps.collapses.committed()[0]?.id).not.toBe(before?.id);
  });

  it('sends the messages in full if a collapse cannot be stored', async () => {
    const full = { ...memoryCollapses(), save: () => Promise.resolve(false) };
    const { port, context } = rig(options, { collapses: full });
    const messages = historyOf(looked());
    const { yielded, returned } = await prepared(port, { messages, autoCompact: true, context });
    expect([yielded, returned.view.length]).toEqual([[], messages.length]);
    expect(await port.drain()).toEqual({ committed: 0, report: undefined });
    expect(port.staged()).toBe(true);
  });

  it('stages nothing new between a drain and the next answer', async () => {
    const { port, context } = rig(options);
    const messages = historyOf(looked().slice(0, 15));
    await prepared(port, { messages, autoCompact: true, context });
    await port.drain();
    const grown = messages.append([
      ...step('e3', 'x', 'Edit'),
      ...['p', 'q', 'r', 's'].flatMap((id) => step(id, prose(900))),
    ]);
    await prepared(port, { messages: grown.append(step('e4', 'x', 'Edit')), autoCompact: true, context });
    expect(port.staged()).toBe(false);
  });
});
