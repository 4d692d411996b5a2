import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EntryBody, Message, ModelPort } from '@heddle/core';
import { collect, contextOf, createClock, createIds, fakeTool, scriptedModel } from '@heddle/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newSession, type OpenSetup, resumeSession, type Session } from '../session/open/open.ts';
import { collapseStore, contextPortOf, rereadFrom, spillFiles } from './context-port.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-context-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const tools = [fakeTool({ name: 'Read', compactable: true, maxResultSize: 10_000 })];
const HEAD = { systemPrompt: ['You are careful.'], systemContext: {}, userContext: {} };

function conversation(steps: number): Message[] {
  const messages: Message[] = [{ type: 'user', uuid: 'u0', at: 1, content: 'Fix the parser, please.' }];
  for (let index = 1; index <= steps; index++) {
    const id = `toolu_${index}`;
    const input = { file_path: `/src/${index}.ts` };
    const call = { type: 'tool_use' as const, id, name: 'Read', input };
    const content = `line ${index} `.repeat(200);
    messages.push(
      { type: 'assistant', uuid: `a${index}`, at: 1, responseId: `r${index}`, model: 'm', content: [call] },
      {
        type: 'user',
        uuid: `t${index}`,
        at: 1,
        content: [{ type: 'tool_result', tool_use_id: id, content }],
      },
    );
  }
  return messages;
}

function storeIn(session: Session): (body: EntryBody) => void {
  return (body) => {
    session.journal.append(body);
    session.projection.apply(body);
  };
}

const portFor = (session: Session, model: ModelPort, instructions: readonly string[] = []) =>
  contextPortOf({
    model,
    clock: createClock({ auto: true }),
    uuid: createIds('c').uuid,
    random: () => 0.5,
    sessionId: session.id,
    journalPath: session.journal.path,
    cwd: folder,
    head: HEAD,
    changes: { windowOf: () => 20_000 },
    instructions,
  });

function opened(): { setup: OpenSetup; session: Session } {
  const setup: OpenSetup = {
    place: { configDir: folder, cwd: '/project' },
    version: '0',
    durability: 'process',
    now: () => 1,
  };
  const result = newSession(setup, 's1');
  if (!result.ok) throw new Error(result.message);
  return { setup, session: result.session };
}

describe('spill files', () => {
  it('hold the whole output under a name that leads nowhere else', async () => {
    const files = spillFiles(path.join(folder, 'tool-results'));
    for (const id of ['toolu_1', '../../etc/passwd', '']) {
      expect(await files.write(id, `output of ${id}`)).toBe(true);
      expect(path.dirname(files.pathOf(id))).toBe(path.join(folder, 'tool-results'));
      expect(readFileSync(files.pathOf(id), 'utf8')).toBe(`output of ${id}`);
    }
  });

  it('say so where nothing can be written', async () => {
    writeFileSync(path.join(folder, 'file'), '');
    expect(await spillFiles(path.join(folder, 'file', 'below')).write('a', 'x')).toBe(false);
  });
});

describe('the collapse store', () => {
  const collapse = { id: 'c1', from: 'a', to: 'b', summary: 's', tokensBefore: 9, tokensAfter: 1, at: 0 };

  const other = { ...collapse, id: 'c2' };

  it('returns the collapses that were saved, also after a torn line', async () => {
    const first = collapseStore(folder);
    expect(await first.save([collapse])).toBe(true);
    writeFileSync(path.join(folder, 'collapses.jsonl'), '{"id":"c2","fr', { flag: 'a' });
    const second = collapseStore(folder);
    expect(second.committed()).toEqual([collapse]);
    await second.save([collapse, other]);
    expect(collapseStore(folder).committed()).toEqual([collapse, other]);
    await second.save([other]);
    expect(collapseStore(folder).committed()).toEqual([other]);
  });

  it('changes nothing if the collapses cannot be stored', async () => {
    writeFileSync(path.join(folder, 'file'), '');
    const store = collapseStore(path.join(folder, 'file'));
    expect(await store.save([collapse])).toBe(false);
    expect(store.committed()).toEqual([]);
  });
});

describe('reading again', () => {
  it('takes what is there, and leaves out what is gone, empty, binary or a folder', async () => {
    writeFileSync(path.join(folder, 'a.ts'), 'const a = 1;');
    writeFileSync(path.join(folder, 'b.bin'), 'a\0b');
    writeFileSync(path.join(folder, 'empty'), '');
    const reread = rereadFrom({
      cwd: folder,
      instructions: ['a.ts'],
      standing: () => Promise.reject(new Error('x')),
    });
    const expected = [{ path: path.join(folder, 'a.ts'), text: 'const a = 1;' }];
    expect(await reread.files(['a.ts', 'b.bin', 'empty', 'gone', '.'])).toEqual(expected);
    expect(await reread.instructions()).toEqual(expected);
    expect(await reread.standing()).toEqual([]);
  });
});

describe('the production port', () => {
  it('spills to the session’s folder, and a resumed session sends the same', async () => {
    const { setup, session } = opened();
    const store = storeIn(session);
    const big = `${'x'.repeat(50)}\n`;
    const [prompt, ask] = conversation(1);
    const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: big.repeat(1_000) };
    const messages = [prompt, ask, { type: 'user', uuid: 't1', at: 1, content: [result] }] as Message[];
    for (const message of messages) store({ type: message.type, message } as EntryBody);
    const port = portFor(session, scriptedModel([]));
    const context = contextOf({ tools });
    const { yielded, returned } = await collect(
      port.prepare({ messages: session.projection.messages, autoCompact: true, context }),
    );
    const steps = yielded.flatMap((step) => ('compacting' in step ? [] : [step]));
    for (const { spent: _, ...step } of steps) store({ type: 'context', ...step });
    expect(steps.map(({ report }) => report.level)).toEqual(['tool_result_budget']);
    const file = path.join(String(session.journal.path).replace('.jsonl', ''), 'tool-results', 'toolu_1.txt');
    expect(readFileSync(file, 'utf8')).toBe(big.repeat(1_000));
    session.journal.close();
    const resumed = resumeSession(setup, 's1');
    if (!resumed.ok) throw new Error(resumed.message);
    expect([...resumed.session.projection.messages]).toEqual([...returned.messages]);
    resumed.session.journal.close();
  });
});
