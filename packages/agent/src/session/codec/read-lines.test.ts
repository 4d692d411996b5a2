import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resumeSession } from '../open/open.ts';
import { createSessionHome, sessionOf } from '../test/session-home.ts';
import { readTranscript } from '../transcript/transcript.ts';

const common = {
  isSidechain: false,
  cwd: '/theirs',
  sessionId: 's1',
  version: '2.1',
  timestamp: '2026-11-15T10:00:00.000Z',
};

function user(uuid: string, parentUuid: string | null, content: string | readonly object[] = uuid): string {
  return JSON.stringify({ parentUuid, ...common, type: 'user', uuid, message: { role: 'user', content } });
}

function answer(uuid: string, parentUuid: string, id: string, content?: readonly object[]): string {
  const message = { id, role: 'assistant', model: 'm', content: content ?? [{ type: 'text', text: uuid }] };
  return JSON.stringify({ parentUuid, ...common, type: 'assistant', uuid, message });
}

const call = (id: string) => [{ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } }];
const result = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: 'done' }];

/** The messages that a session made of these lines would send, by uuid. */
function resumed(lines: readonly string[]): readonly string[] {
  const home = createSessionHome();
  home.begin('s1').journal.close();
  writeFileSync(home.file('s1'), lines.map((line) => `${line}\n`).join(''));
  const sent = [...sessionOf(resumeSession(home.setup, 's1')).projection.messages].map(({ uuid }) => uuid);
  const shown = readTranscript(home.file('s1')).items.map((item) =>
    item.kind === 'message' ? item.message.uuid : '',
  );
  expect(shown).toEqual(sent);
  return sent;
}

describe('a session that another tool wrote', () => {
  it('is the path from its last message to its root', () => {
    const lines = [
      user('u1', null),
      answer('a1', 'u1', 'm1'),
      user('u2', 'a1'),
      answer('a2', 'u2', 'm2'),
      // The user went back to the first answer and asked something else.
      user('u3', 'a1'),
      answer('a3', 'u3', 'm3'),
    ];
    expect(resumed(lines)).toEqual(['u1', 'a1', 'u3', 'a3']);
  });

  it('begins anew where it was cleared or compacted', () => {
    expect(
      resumed([user('u1', null), answer('a1', 'u1', 'm1'), user('u2', null), answer('a2', 'u2', 'm2')]),
    ).toEqual(['u2', 'a2']);
  });

  it('keeps all calls and results of calls that ran side by side', () => {
    const lines = [
      user('u1', null),
      answer('a1', 'u1', 'm1', call('c1')),
      answer('a2', 'a1', 'm1', call('c2')),
      user('r1', 'a1', result('c1')),
      user('r2', 'a2', result('c2')),
      answer('a3', 'r2', 'm2'),
    ];
    expect(resumed(lines)).toEqual(['u1', 'a1', 'a2', 'r1', 'r2', 'a3']);
  });

  it('follows the path through lines that are no messages', () => {
    const progress = JSON.stringify({ parentUuid: 'u1', ...common, type: 'progress', uuid: 'p1', data: {} });
    expect(resumed([user('u1', null), progress, answer('a1', 'p1', 'm1')])).toEqual(['u1', 'a1']);
  });

  it('loses nothing if a parent is missing', () => {
    expect(resumed([user('u1', null), answer('a1', 'u1', 'm1'), user('u2', 'lost')])).toEqual([
      'u1',
      'a1',
      'u2',
    ]);
  });

  it('contains a message once that was written twice', () => {
    const [first, second] = [user('u1', null), answer('a1', 'u1', 'm1')];
    expect(resumed([first, second, first, second, user('u2', 'a1')])).toEqual(['u1', 'a1', 'u2']);
    expect(resumed([first, second, user('u2', 'a1'), first, second])).toEqual(['u1', 'a1', 'u2']);
  });

  it('may begin with a byte order mark', () => {
    expect(resumed([`\ufeff${user('u1', null)}`, answer('a1', 'u1', 'm1')])).toEqual(['u1', 'a1']);
  });

  it('loads two objects on one line', () => {
    const lines = [user('u1', null) + answer('a1', 'u1', 'm1'), user('u2', 'a1', 'a }{ b')];
    expect(resumed(lines)).toEqual(['u1', 'a1', 'u2']);
  });
});
