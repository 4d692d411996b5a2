/** Compaction and hooks inside a turn that moves from one worker to another: the second worker continues after the boundary. */
import { once } from 'node:events';
import { answer, call, fail, fakeTool, say, scriptedModel } from '@heddle/testing';
import { expect, it } from 'vitest';
import { Fleet, type Seen } from './client.ts';
import { findPrograms } from './postgres/embedded.ts';
import { createDatabase } from './test/shared-server.ts';
import { verifySession } from './test/verify.ts';
import { resultText } from './turns.ts';
import { startWorker, type Worker } from './worker.ts';

const isInstalled = (await findPrograms()) !== undefined;
/** The request for a summary ends with these words. */
const SUMMARY_MARK = 'Write the handoff now';
const HANDOFF = 'Four calls have ended.';
const LONG_CALLS = 4;
const OBJECTION = 'Not yet: check it.';

it.runIf(isInstalled)(
  'compacts, runs hooks, moves to another worker, and continues from the boundary',
  async () => {
    const url = await createDatabase();
    const fleet = await Fleet.connect(url);
    await fleet.tenant('acme');
    await fleet.create('s1', 'acme');
    const gate = Promise.withResolvers<void>();
    const effects: string[] = [];
    let objections = 0;
    const start = (): Promise<Worker> =>
      startWorker({
        url,
        agent: () => ({
          options: {
            model: scriptedModel((request) => {
              const conversation = JSON.stringify([...request.messages]);
              if (JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK))
                return answer(say(HANDOFF));
              if (conversation.includes('"tool_use_id":"last"'))
                return answer(say(conversation.includes(OBJECTION) ? 'Checked.' : 'Done.'));
              if (conversation.includes(HANDOFF)) return answer(call('Append', {}, 'last'));
              const done = conversation.split('"tool_use_id"').length - 1;
              if (done === LONG_CALLS) return answer(fail('overflow'));
              // Long enough that the compaction has something to leave out.
              return answer(say('x'.repeat(60_000)), call('Append', {}, `call_${done}`));
            }),
            modelName: 'scripted',
            tools: [
              fakeTool({
                name: 'Append',
                readOnly: false,
                run: async (_input, { toolUseId, signal }) => {
                  if (toolUseId === 'last') await Promise.race([gate.promise, once(signal, 'abort')]);
                  effects.push(toolUseId);
                  return `appended ${toolUseId}`;
                },
              }),
            ],
            hooks: {
              stop: async ({ stopHookActive }) => {
                if (stopHookActive) return {};
                objections++;
                return { block: OBJECTION };
              },
            },
            cwd: '/',
            permissionMode: 'bypassPermissions',
          },
        }),
      });
    const first = await start();
    await fleet.submit('s1', 'Do it.');
    let intents = 0;
    for await (const { kind } of fleet.watch('s1')) if (kind === 'intent' && ++intents > LONG_CALLS) break;
    await first.stop();
    gate.resolve();
    const second = await start();
    const lines: Seen[] = [];
    for await (const line of fleet.watch('s1', { untilTurn: 1 })) lines.push(line);
    expect(resultText((await fleet.turn('s1', 1))?.result)).toBe('Checked.');
    expect(lines.filter(({ kind }) => kind === 'boundary')).toHaveLength(1);
    expect(objections).toBe(1);
    const { problems, uncertain, takeovers } = verifySession(lines, effects, 1);
    expect(problems).toEqual([]);
    expect({ uncertain, takeovers }).toEqual({ uncertain: 1, takeovers: 1 });
    // The next turn reads from the boundary on.
    const turn = await fleet.submit('s1', 'Again.');
    for await (const _line of fleet.watch('s1', { untilTurn: turn }));
    expect((await fleet.turn('s1', turn))?.state).toBe('done');
    await second.stop();
    await fleet.close();
  },
);
