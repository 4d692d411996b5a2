/** A crash at any moment of a compaction: the session that is loaded afterwards has the old history or the new one. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SUMMARY_MARK } from '@heddle/context';
import type { Message } from '@heddle/core';
import { answer, call, fakeTool, say, scriptedModel, usage } from '@heddle/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import { createBlobs } from '../session/files/blobs.ts';
import { loadSession } from '../session/open/load.ts';
import { newSession, type OpenSetup, resumeSession, type Session } from '../session/open/open.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-crash-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const setup = (): OpenSetup => ({
  place: { configDir: folder, cwd: '/project' },
  version: '0',
  durability: 'process',
  now: () => 1,
});

const look = fakeTool({
  name: 'Look',
  compactable: true,
  run: (_input, _context, at) => `line ${at} `.repeat(60),
});

function agentFor(session: Session) {
  const model = scriptedModel((request, count) => {
    if (JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK))
      return answer(usage({ input_tokens: 9, output_tokens: 9 }), say('## Intent\nFix “parse” → ✓.'));
    return count > 12
      ? answer(say('Done.'))
      : answer(call('Look', { file_path: `/src/${count}.ts` }, `c${count}`));
  });
  return createAgent({ model, modelName: 'scripted', tools: [look], cwd: folder, session });
}

const words = (messages: Iterable<Message>): string =>
  JSON.stringify([...messages], (key, value: unknown) => (key === 'at' ? 0 : value));

/** Every byte of the record in the long proofs; else its ends, and every so many bytes between. */
function cutsOf(from: number, to: number): number[] {
  const cuts: number[] = [];
  const isNearEnd = (at: number): boolean => at < from + 40 || at > to - 40;
  for (let at = to; at >= from; at--)
    if (process.env['HEDDLE_PROVE'] === '1' || isNearEnd(at) || at % 17 === 0) cuts.push(at);
  return cuts;
}

it('cut at any byte, the record of a compaction leaves the old history or the new one', async () => {
  const opened = newSession(setup(), 's1');
  if (!opened.ok) throw new Error(opened.message);
  const { session } = opened;
  const agent = agentFor(session);
  for await (const _ of agent.submit('Fix the parser, please.')) void _;
  const file = String(session.journal.path);
  const start = readFileSync(file).length;
  const old = words(agent.messages);
  expect(await agent.compact()).toMatchObject({ ok: true });
  const fresh = words(agent.messages);
  session.journal.close();
  const end = readFileSync(file).length;
  expect(fresh).not.toBe(old);

  const torn = path.join(path.dirname(file), 'torn.jsonl');
  copyFileSync(file, torn);
  const blobs = createBlobs(path.join(path.dirname(file), 'blobs'), false);
  const found = { old: 0, fresh: 0 };
  for (const cut of cutsOf(start, end)) {
    truncateSync(torn, cut);
    const loaded = words(loadSession(torn, blobs).projection.messages);
    if (loaded === old) found.old++;
    else if (loaded === fresh) found.fresh++;
    else
      throw new Error(
        `cut at byte ${cut - start} of ${end - start}, the history is neither the old one nor the new`,
      );
  }
  // Nothing but the end of the line may be missing of a record that counts.
  expect(found.fresh).toBeGreaterThanOrEqual(2);
  expect(found.old).toBeGreaterThan(50);
});

it('a session that was cut there continues, and can be compacted', async () => {
  const opened = newSession(setup(), 's1');
  if (!opened.ok) throw new Error(opened.message);
  const agent = agentFor(opened.session);
  for await (const _ of agent.submit('Fix the parser, please.')) void _;
  const file = String(opened.session.journal.path);
  const start = readFileSync(file).length;
  await agent.compact();
  opened.session.journal.close();
  truncateSync(file, start + Math.floor((readFileSync(file).length - start) / 2));

  const resumed = resumeSession(setup(), 's1');
  if (!resumed.ok) throw new Error(resumed.message);
  const again = agentFor(resumed.session);
  expect(await again.compact()).toMatchObject({ ok: true });
  expect(words(again.messages)).toContain('Fix the parser, please.');
  resumed.session.journal.close();
  const later = resumeSession(setup(), 's1');
  if (!later.ok) throw new Error(later.message);
  expect(words(later.session.projection.messages)).toBe(words(again.messages));
  later.session.journal.close();
});
