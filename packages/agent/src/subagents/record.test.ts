/** Records of subagents are read only by their ids, and only from the folder of the session. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say, scriptedModel } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../agents/built-in.ts';
import { DEFAULT_AGENT } from '../permission/rules/tool-names.ts';
import { createAgent } from '../create-agent.ts';
import { childFile, childIdsBeside } from '../session/files/paths.ts';
import { createSessionHome } from '../session/test/session-home.ts';
import { type ChildRecord, ChildRecords } from './record.ts';

const RECORD: ChildRecord = {
  agentId: 'a1',
  agentType: DEFAULT_AGENT,
  description: 'd',
  prompt: 'p',
  toolUseId: 't0',
  model: 'scripted',
  cwd: '/elsewhere',
  isBackground: false,
};

/** A session, and a file of the project that looks like the record of a subagent. */
function prepare(record: ChildRecord = RECORD) {
  const { begin, place } = createSessionHome();
  const session = begin('s1');
  const folder = path.dirname(childFile(session.journal.path ?? '', 'a1'));
  const write = (file: string): void => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(record));
  };
  return { session, folder, cwd: place.cwd, write };
}

describe('the id of a subagent', () => {
  const IDS = ['x/../../../../../../docs/rec', '../a1', 'a1/../a1', 'a1\0', '.', '..', '', 'a 1', 'a\\b'];

  it.each(IDS)('%j reads no file', (id) => {
    const { session, folder, write, cwd } = prepare({ ...RECORD, agentId: id });
    if (!id.includes('\0')) write(path.join(folder, `agent-${id}.meta.json`));
    write(path.join(cwd, 'docs/rec.meta.json'));
    expect(new ChildRecords(session).read(id)).toBeUndefined();
    expect(() => childFile(session.journal.path ?? '', id)).toThrow('is not the id of a subagent');
    session.journal.close();
  });

  it('must be the one in the record, and names of other files are left out', () => {
    const { session, folder, write } = prepare();
    for (const name of ['a1', 'a2', 'b c']) write(path.join(folder, `agent-${name}.meta.json`));
    const records = new ChildRecords(session);
    expect(records.list()).toEqual([RECORD]);
    expect(records.read('a2')).toBeUndefined();
    expect(childIdsBeside(session.journal.path ?? '')).toEqual(['a1', 'a2']);
    session.journal.close();
  });
});

it.each([
  ['a1', true],
  ['x/../../../../../../docs/rec', false],
])('a message to %s never moves a subagent to another folder', async (to, isKnown) => {
  const { session, folder, write, cwd } = prepare();
  write(path.join(folder, 'agent-a1.meta.json'));
  write(path.join(cwd, 'docs/rec.meta.json'));
  const model = scriptedModel([
    call('SendMessage', { to, message: 'Continue.' }, 'm1'),
    say(isKnown ? 'More.' : 'Done.'),
    say('Done.'),
  ]);
  const subagents = { definitions: () => BUILT_IN_AGENTS };
  const agent = createAgent({ model, modelName: 'scripted', tools: [], cwd, session, subagents });
  for await (const _ of agent.submit('go'));
  expect(model.calls).toHaveLength(isKnown ? 3 : 2);
  if (isKnown) expect(new ChildRecords(session).read('a1')).toMatchObject({ cwd });
  session.journal.close();
});
