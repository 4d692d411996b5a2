import { contextOf, createClock, fail, say, scriptedModel } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { HEAD } from '../test/rig.ts';
import { historyOf, userSays } from '../test/talk.ts';
import { modelSummarizer } from './summarize.ts';

/** A summariser whose model is overloaded once. `whileItWaits` is called before it asks again. */
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

describe('the summariser', () => {
  it('asks again after a fault that passes', async () => {
    const { model, ask } = overloadedOnce(() => undefined);
    expect(await ask()).toMatchObject({ ok: true, text: 'The hand-over.' });
    expect(model.calls).toHaveLength(2);
  });

  it('asks nobody once the run was aborted while it waited to ask again', async () => {
    const { model, ask } = overloadedOnce((controller) => controller.abort('cancelled'));
    expect(await ask()).toMatchObject({ ok: false, class: 'aborted' });
    expect(model.calls).toHaveLength(1);
  });

  it('asks nobody where a hook before the compaction took so long that the run is over', async () => {
    const { model, controller, ask } = overloadedOnce(() => undefined);
    controller.abort('cancelled');
    expect(await ask()).toMatchObject({ ok: false, class: 'aborted', spent: [] });
    expect(model.calls).toHaveLength(0);
  });
});
