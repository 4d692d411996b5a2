/** An answer applies to the question that the user saw: not after the call was decided for another reason, or leads elsewhere. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PermissionQuestion } from '@heddle/agent';
import { answer, call, fakeTool, say, scriptedModel } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { Fleet } from './client.ts';
import { openDatabase } from './database.ts';
import { findPrograms } from './postgres/embedded.ts';
import { AnswerInbox, questionId } from './questions.ts';
import { createDatabase } from './test/shared-server.ts';
import { startWorker } from './worker.ts';

const isInstalled = (await findPrograms()) !== undefined;

describe.runIf(isInstalled)('an answer to a parked question', () => {
  const SWAPS: readonly (readonly [string, string, object])[] = [
    ['Write', 'outside of the project', { file_path: 'd/keys', content: 'x' }],
    ['Write', 'elsewhere in the project', { file_path: 'd/keys', content: 'x' }],
    ['Bash', 'outside of the project', { command: 'touch d/keys' }],
    ['Bash', 'elsewhere in the project', { command: 'touch d/keys' }],
  ];

  it.each(SWAPS)('does not apply to %s after a link leads %s', async (tool, where, input) => {
    const root = mkdtempSync(path.join(os.tmpdir(), 'heddle-parked-'));
    const [project, outside] = [path.join(root, 'project'), path.join(root, 'outside')];
    for (const folder of [path.join(project, 'd'), path.join(project, 'other'), outside])
      mkdirSync(folder, { recursive: true });
    const url = await createDatabase();
    const fleet = await Fleet.connect(url);
    await fleet.tenant('acme');
    await fleet.create('s1', 'acme');
    let runs = 0;
    const worker = await startWorker({
      url,
      parkAfterMs: 0,
      agent: () => ({
        options: {
          model: scriptedModel(({ messages }) =>
            answer(
              JSON.stringify([...messages]).includes('"tool_result"')
                ? say('Done.')
                : call(tool, { ...input }, 'c1'),
            ),
          ),
          modelName: 'scripted',
          tools: [fakeTool({ name: tool, readOnly: false, run: () => `run ${++runs}` })],
          cwd: project,
        },
      }),
    });
    const parked = async (): Promise<void> => {
      while ((await fleet.turn('s1', 1))?.state !== 'parked') await sleep(20);
    };
    await fleet.submit('s1', 'Do it.');
    await parked();
    const [before, ...none] = await fleet.questions('acme');
    rmSync(path.join(project, 'd'), { recursive: true });
    symlinkSync(where.startsWith('outside') ? outside : 'other', path.join(project, 'd'));
    if (!before) throw new Error('There is no question.');
    expect(none).toEqual([]);
    expect(await fleet.answer(before, { allow: true })).toBe(true);
    let [after, ...others] = await fleet.questions('acme');
    for (; !after; [after, ...others] = await fleet.questions('acme')) await sleep(20);
    await parked();
    expect(others).toEqual([]);
    expect(questionId(after)).not.toBe(questionId(before));
    if (tool === 'Write' && where.startsWith('outside')) expect(after.reason).not.toBe(before.reason);
    expect(runs).toBe(0);
    expect(await fleet.answer(after, { allow: true })).toBe(true);
    for await (const _line of fleet.watch('s1', { untilTurn: 1 }));
    expect(runs).toBe(1);
    await worker.stop();
    await fleet.close();
  });
});

describe.runIf(isInstalled)('questions of a turn', () => {
  const question = (more: Partial<PermissionQuestion>): PermissionQuestion => ({
    toolUseId: 'c1',
    tool: 'Write',
    input: { file_path: 'd/keys' },
    reason: 'No rule allows it.',
    basis: '',
    parts: [],
    suggestions: [],
    ...more,
  });

  async function open() {
    const url = await createDatabase();
    const fleet = await Fleet.connect(url);
    await fleet.tenant('acme');
    await fleet.create('s1', 'acme');
    await fleet.submit('s1', 'Do it.');
    const database = openDatabase(url);
    const inbox = new AnswerInbox(database);
    const ask = (folder: string | undefined, more: Partial<PermissionQuestion>) =>
      inbox.ask({ turn: { session: 's1', n: 1 }, folder }, question(more), new AbortController().signal, 0);
    return { fleet, ask, close: () => Promise.all([fleet.close(), database.end()]) };
  }

  it('contain the folder of the call and the files that it uses', async () => {
    const { fleet, ask, close } = await open();
    const place = { workingDirectory: '/one/s1/sub', places: [{ path: '/one/s1/sub/d', real: '/one/s1/e' }] };
    expect(await ask('/one/s1', place)).toBeUndefined();
    expect(await fleet.questions('acme')).toMatchObject([place]);
    await close();
  });

  it('keep their answer if the files are in another folder of another machine', async () => {
    const { fleet, ask, close } = await open();
    const basis = (folder: string): string => JSON.stringify({ places: [`${folder}/d -> ${folder}/d`] });
    expect(await ask('/one/s1', { basis: basis('/one/s1') })).toBeUndefined();
    const [asked] = await fleet.questions('acme');
    if (!asked) throw new Error('There is no question.');
    await fleet.answer(asked, { allow: true });
    expect(
      await ask('/two/s1', { basis: JSON.stringify({ places: ['/two/s1/d -> /etc'] }) }),
    ).toBeUndefined();
    expect(await ask('/two/s1', { basis: basis('/two/s1') })).toEqual({ allow: true });
    await close();
  });

  it('are withdrawn if the call is decided otherwise, and those about other calls stay', async () => {
    const { fleet, ask, close } = await open();
    const reasons = async () => (await fleet.questions('acme')).map(({ reason }) => reason);
    await ask(undefined, { reason: 'first', basis: 'first' });
    await ask(undefined, { reason: 'of an agent', basis: 'first', agentId: 'a1' });
    await ask(undefined, { reason: 'of another input', basis: 'first', input: { file_path: 'b' } });
    await ask(undefined, { reason: 'second', basis: 'second' });
    expect(await reasons()).toEqual(['of an agent', 'of another input', 'second']);
    await close();
  });
});
