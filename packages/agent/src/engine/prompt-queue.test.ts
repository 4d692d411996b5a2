/** Prompts that wait in the queue: their entries in the log, their reports, and their way through a crash. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bodyOf, call, fakeTool, say, type Script, scriptedModel } from '@heddle/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import type { SdkMessage } from '../sdk/message.ts';
import { sessionFile } from '../session/files/paths.ts';
import { newSession, type OpenSetup, resumeSession, type Session } from '../session/open/open.ts';
import type { AgentOptions } from './options.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-queue-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const setup = (): OpenSetup => ({
  place: { configDir: folder, cwd: folder },
  version: '0',
  durability: 'process',
  now: () => 1,
});

function opened(result: ReturnType<typeof newSession>): Session {
  if (!result.ok) throw new Error(result.message);
  return result.session;
}

function rig(script: Script, session: Session, options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(script);
  const lines: SdkMessage[] = [];
  const onLine = (line: SdkMessage): void => void lines.push(line);
  const base = { model, modelName: 'scripted', tools: [], cwd: folder, session, onLine };
  const agent = createAgent({ ...base, ...options });
  const run = async (content: string, carries: readonly string[] = []): Promise<void> => {
    for await (const line of agent.submit({ content, carries })) void line;
  };
  const states = (): string[] =>
    lines.flatMap((line) =>
      line.type === 'command_lifecycle' ? [`${line.command_uuid} ${line.state}`] : [],
    );
  const requests = (): string[] => model.calls.map(({ request }) => JSON.stringify(bodyOf(request)));
  return { agent, run, states, requests };
}

/** Runs a prompt and queues two more while it runs. The process dies before they join. */
async function crashWithQueue(compacts: 'compacts' | 'crashes' = 'crashes'): Promise<void> {
  const session = opened(newSession(setup(), 's1'));
  const { agent, run } = rig([say('Yes.'), say('## Intent\nContinue.')], session, {
    onAccepted: () => {
      agent.queue.add({ commandId: 'c1', prompt: 'and in French', priority: 'next' });
      agent.queue.add({ commandId: 'c2', prompt: 'never mind', priority: 'later' });
      agent.queue.cancel(['c2', 'unknown']);
      return Promise.resolve();
    },
  });
  await run('say hello');
  if (compacts === 'compacts') expect(await agent.compact()).toMatchObject({ ok: true });
  session.journal.close();
}

describe('a queued prompt', () => {
  it('survives a crash, and joins the next prompt once', async () => {
    await crashWithQueue();
    const session = opened(resumeSession(setup(), 's1'));
    const { agent, run, requests, states } = rig([say('Bonjour.'), say('Again.')], session);
    expect(agent.queue.restored).toMatchObject([{ commandId: 'c1', prompt: 'and in French' }]);
    await run('next');
    await run('again');
    expect(requests()[0]).toContain('and in French');
    expect(requests()[1]?.split('and in French')).toHaveLength(2);
    expect(states()).toEqual(['c1 started', 'c1 completed']);
    expect(agent.queue.restored).toEqual([]);
    session.journal.close();
    const later = opened(resumeSession(setup(), 's1'));
    expect(rig([], later).agent.queue.restored).toEqual([]);
    later.journal.close();
  });

  it('survives a compaction, after which earlier entries are not read', async () => {
    await crashWithQueue('compacts');
    const session = opened(resumeSession(setup(), 's1'));
    expect(rig([], session).agent.queue.restored).toMatchObject([{ commandId: 'c1' }]);
    session.journal.close();
  });

  it('is part of the record of a compaction, so a crash right after that record loses nothing', async () => {
    await crashWithQueue('compacts');
    const file = sessionFile(setup().place, 's1');
    const lines = readFileSync(file, 'utf8').split('\n');
    const boundary = lines.findIndex((line) => line.startsWith('{"type":"boundary"'));
    writeFileSync(file, `${lines.slice(0, boundary + 1).join('\n')}\n`);
    const session = opened(resumeSession(setup(), 's1'));
    const { agent, run, requests } = rig([say('Bonjour.')], session);
    expect(agent.queue.restored).toMatchObject([{ commandId: 'c1', prompt: 'and in French' }]);
    await run('next');
    expect(requests()[0]?.split('and in French')).toHaveLength(2);
    session.journal.close();
  });

  it('is read from older logs, in which it follows the record', async () => {
    await crashWithQueue('compacts');
    const file = sessionFile(setup().place, 's1');
    const queued: string[] = [];
    const older = readFileSync(file, 'utf8').replaceAll(
      /,"queued":\[(\{[^\]]*?\})\]/g,
      (_, prompt: string) => {
        queued.push(prompt);
        return '';
      },
    );
    expect(queued).toHaveLength(1);
    writeFileSync(file, `${older}${queued.join('\n')}\n`);
    const session = opened(resumeSession(setup(), 's1'));
    expect(rig([], session).agent.queue.restored).toMatchObject([{ commandId: 'c1' }]);
    session.journal.close();
  });

  it('that became part of a prompt is started and completed with it', async () => {
    const session = opened(newSession(setup(), 's1'));
    const { agent, run, states } = rig([say('One.'), say('Two.')], session);
    await run('go');
    agent.queue.add({ commandId: 'c1', prompt: 'more', priority: 'next' });
    await run('more', ['c1']);
    expect(states()).toEqual(['c1 queued', 'c1 started', 'c1 completed']);
    expect(session.projection.queued.size).toBe(0);
    session.journal.close();
  });

  it('is taken for the agent that it is for', async () => {
    const asked: (string | undefined)[] = [];
    const session = opened(newSession(setup(), 's1'));
    const { run } = rig([call('Look', {}, 'l1'), say('Done.')], session, {
      tools: [fakeTool({ name: 'Look' })],
      takeQueued: (agentId) => {
        asked.push(agentId);
        return [];
      },
    });
    await run('go');
    expect(asked).toEqual([undefined]);
    session.journal.close();
  });
});
