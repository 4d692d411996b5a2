/**
 * Faults by wire format that only the bytes of a format can express, read by the real package, through the
 * loop. A cell contains a response, or the reason why the format cannot express the fault. Faults that
 * every format can express are in faults.test.ts, for the same formats. Those of the Messages API, which
 * needs no package, are beside its adapter.
 */
import { type Reply, say } from '@heddle/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { failureOf, requestTo } from '../../test/bridge.ts';
import { RESPONDED, responded, responses } from '../../test/raw-answers.ts';
import { closeStages, TEST_KEY } from '../../test/stage-api.ts';
import { CALLS } from '../../test/wire-faults/calls.ts';
import { HTTP } from '../../test/wire-faults/http.ts';
import { type Cause, type Cell, type Column, COLUMNS, type Outcome } from '../../test/wire-faults/row.ts';
import { STREAMS } from '../../test/wire-faults/streams.ts';
import { conversationOf, OTHERS, RESPONSES, runOn, type TestWire } from '../../test/wires.ts';
import { openProvider } from '../port.ts';
import { providerNamed } from '../providers.ts';

afterEach(closeStages);

const TABLE = [...STREAMS, ...CALLS, ...HTTP];

const cells = TABLE.flatMap(({ fault, outcome, cells: row }) =>
  Object.entries(COLUMNS).map(([column, wire]) => ({
    fault,
    outcome,
    wire,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns of the table are its keys
    cell: row[column as Column],
    id: wire.id,
  })),
);
const replies = cells.filter((one): one is typeof one & { cell: Reply } => !isCause(one.cell));

function isCause(cell: Cell): cell is Cause {
  return typeof cell === 'object' && 'none' in cell;
}

describe.each(TABLE)('$fault', ({ fault }) => {
  it.each(replies.filter((one) => one.fault === fault))('over $id', async ({ wire, cell, outcome }) => {
    await expectOutcome(wire, cell, outcome);
  });
});

it('every empty cell has a reason', () => {
  const causes = cells.flatMap(({ cell }) => (isCause(cell) ? [cell.none] : []));
  expect(causes.every((cause) => cause.length > 10)).toBe(true);
  // A column without any response would test nothing.
  for (const { id } of Object.values(COLUMNS))
    expect(replies.filter((one) => one.id === id).length).toBeGreaterThan(8);
});

it.each(Object.values(COLUMNS))('a server that is not running is reported as such over $id', async (wire) => {
  const provider = providerNamed(wire.id);
  if (provider === undefined) throw new Error(wire.id);
  const environment = {
    ...wire.environment,
    [provider.keys[0] ?? '']: TEST_KEY,
    [provider.baseUrlVariable]: 'http://127.0.0.1:9',
  };
  const error = await failureOf(await openProvider(provider, { environment }), requestTo(wire));
  expect(error).toMatchObject({ class: 'network' });
  expect(error.message).toContain('No connection to http://127.0.0.1:9: nothing listens there');
  expect(error.shouldRetry).toBeUndefined();
});

it('an event unknown to the package of xAI is ignored', async () => {
  const xai = OTHERS.find(({ id }) => id === 'xai') ?? RESPONSES;
  const reply = responses({ type: 'response.new_thing', at: 1 }, ...responded('Good.'), RESPONDED);
  await expectOutcome(xai, reply, { is: 'told' });
});

async function expectOutcome(wire: TestWire, reply: Reply, outcome: Outcome): Promise<void> {
  const {
    events: happened,
    terminal,
    server,
  } = await runOn(wire, [reply, say('And on.')], {
    params: { config: { sessionId: 's', gates: { reactiveCompact: false } } },
  });
  const conversation = conversationOf(happened);
  const retries = happened.flatMap((event) => (event.type === 'retry' ? [event.error] : []));
  if (outcome.is !== 'repeated') expect(retries).toEqual([]);
  switch (outcome.is) {
    case 'told':
      expect(conversation).toEqual(['assistant: Good.']);
      return expect(server.requests).toHaveLength(1);
    case 'called': {
      const results = conversation.filter((line) => line.startsWith('user: '));
      expect(results).toHaveLength(outcome.times ?? 1);
      expect(results[0]).toContain(outcome.result ?? 'seen a');
      return expect(conversation.at(-1)).toBe('assistant: And on.');
    }
    case 'repeated':
      expect(conversation).toEqual(['assistant: And on.']);
      expect(retries.map((error) => error.class)).toEqual([outcome.class]);
      return expect(retries[0]?.message).toContain(outcome.words ?? '');
    case 'ended':
      expect(server.requests).toHaveLength(1);
      expect(terminal).toMatchObject({ error: { class: outcome.class } });
      return expect(JSON.stringify(terminal)).toContain(outcome.words);
    case 'too long':
      return expect(terminal).toMatchObject({ reason: 'prompt_too_long' });
    case 'refused':
      expect(server.requests).toHaveLength(1);
      return expect(terminal).toMatchObject({ reason: 'completed', refused: true });
  }
}
