import { contextOf, createClock, fail, say, scriptedModel } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { HEAD } from '../test/rig.ts';
import { historyOf, userSays } from '../test/talk.ts';
import { modelSummarizer } from './summarize.ts';

/** A summarizer whose model is overloaded once. `whileItWaits` runs before the next attempt. */
function overloadedOnce(whileItWaits: (controller: AbortController) => void) {
  const controller = new AbortController();
  const model = scriptedModel([fail('overloaded'), say('The hand-over.')]);
  const clock = {
    now: createClock().now,
    sleep: () => Promise.resolve(whileItWaits(controller)),
  };
  const summarize = modelSummarizer({ model, clock, random: () => 0.5, head: HEAD });
  const ask = () =>
    summarize({
      messages: historyOf([userSays('A long talk.')]),
      instruction: 'Hand over.',
      maxTokens: 100,
      context: contextOf({ signal: controller.signal }),
    });
  return { model, controller, ask };
}

describe('the summarizer', () => {
  it('asks again after a fault that passes', async () => {
    const { model, ask } = overloadedOnce(() => undefined);
    expect(await ask()).toMatchObject({ ok: true, text: 'The hand-over.' });
    expect(model.calls).toHaveLength(2);
  });

  it('makes no further attempt if the run was aborted during the wait', async () => {
    const { model, ask } = overloadedOnce((controller) => controller.abort('cancelled'));
    expect(await ask()).toMatchObject({ ok: false, class: 'aborted' });
    expect(model.calls).toHaveLength(1);
  });

  it('makes no attempt if the run ended during a hook before the compaction', async () => {
    const { model, controller, ask } = overloadedOnce(() => undefined);
    controller.abort('cancelled');
    expect(await ask()).toMatchObject({ ok: false, class: 'aborted', spent: [] });
    expect(model.calls).toHaveLength(0);
  });
});
