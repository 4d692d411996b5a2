import type { ModelRecord } from '@heddle/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClock } from '../clock.ts';
import { codePoint } from '../properties/arbitrary/code-point.ts';
import { requestOf } from '../request-of.ts';
import * as script from './builders.ts';
import { scriptedModel } from './model.ts';
import type { ScriptPart } from './part.ts';

const request = requestOf([['user', 'go']]);

const block = fc.oneof(
  fc.string({ unit: codePoint }).map((text) => script.say(text)),
  fc.string().map((text) => script.think(text)),
  fc.dictionary(fc.string(), fc.string()).map((input) => script.call('Read', input, 'r1')),
  fc.constant(script.redacted('x')),
  fc.constant(script.foreignBlock({ type: 'poem' })),
);
const part: fc.Arbitrary<ScriptPart> = fc.oneof(
  block,
  fc
    .tuple(block, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([block, share]) => script.unfinished(block, share)),
  fc.constantFrom(
    script.ping(),
    script.begin(),
    script.pace(5),
    script.pause(50),
    script.cut(),
    script.stop(null),
  ),
  fc.constantFrom(
    script.breakOff(),
    script.hangUp(),
    script.stall(),
    script.hang(),
    script.fail('overloaded'),
  ),
  fc.nat(20).map((events) => script.breakAt(events)),
);

describe('the contract of a port', () => {
  it('holds for every script and every moment of an abort: exactly one end, and nothing after it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(part),
        fc.nat(30),
        fc.nat(500),
        async (step, abortAfterRecords, abortAfterMs) => {
          const clock = createClock({ auto: true });
          const controller = new AbortController();
          // Silence without end needs an abort to end at all.
          void clock.sleep(abortAfterMs, controller.signal).then(() => controller.abort());
          const records: ModelRecord[] = [];
          for await (const record of scriptedModel([step], { clock })(request, controller.signal)) {
            records.push(record);
            if (records.length === abortAfterRecords) controller.abort();
          }
          const ends = records.filter(({ type }) => type === 'done' || type === 'model_error');
          expect(ends).toHaveLength(1);
          expect(records.at(-1)).toBe(ends[0]);
        },
      ),
    );
  });
});
