/** Large texts outside the log. */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LINE_LIMIT } from './blobs.ts';
import { forkSession, resumeSession, type Session } from '../open/open.ts';
import { blobFolder } from './paths.ts';
import {
  boundary,
  createSessionHome,
  type SessionHome,
  resultOf,
  sessionOf,
  user,
} from '../test/session-home.ts';

const LONG = 'ü 漢字 🧵 '.repeat(10_000);

function blobs({ place }: SessionHome): string[] {
  try {
    return readdirSync(blobFolder(place));
  } catch {
    return [];
  }
}

function contents(session: Session): unknown[] {
  return [...session.projection.messages].map((message) =>
    'content' in message ? message.content : undefined,
  );
}

describe('a long text', () => {
  it('leaves the line, and is there again when the session is resumed', () => {
    const home = createSessionHome();
    const { journal } = home.begin('s1');
    journal.append(user('u1', LONG));
    journal.append(resultOf('t1', 'c1', LONG));
    journal.close();
    for (const line of home.lines('s1')) expect(line.length).toBeLessThan(1_000);
    const [text, result] = contents(sessionOf(resumeSession(home.setup, 's1')));
    expect(text).toBe(LONG);
    expect(result).toEqual([{ type: 'tool_result', tool_use_id: 'c1', content: LONG }]);
  });

  it('is stored once, under its hash, for its owner only', () => {
    const home = createSessionHome();
    const { journal } = home.begin('s1');
    journal.append(user('u1', LONG));
    journal.append(user('u2', LONG));
    const [only, ...others] = blobs(home);
    expect(others).toEqual([]);
    expect(only).toMatch(/^[0-9a-f]{64}$/);
    const file = path.join(blobFolder(home.place), only ?? '');
    expect(readFileSync(file, 'utf8')).toBe(LONG);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('stays in a line that is short enough', () => {
    const home = createSessionHome();
    home.begin('s1').journal.append(user('u1', 'x'.repeat(LINE_LIMIT - 1_000)));
    expect(blobs(home)).toEqual([]);
  });

  it('belongs to a fork as well, without another copy', () => {
    const home = createSessionHome();
    const first = home.begin('s1');
    first.journal.append(user('u1', LONG));
    first.journal.close();
    const fork = sessionOf(forkSession(home.setup, 's1', 's2'));
    expect(contents(fork)).toEqual([LONG]);
    expect(blobs(home)).toHaveLength(1);
  });

  it('whose file is gone is replaced by a note, and the session continues', () => {
    const home = createSessionHome();
    const first = home.begin('s1');
    first.journal.append(user('u1', LONG));
    first.journal.append(user('u2', 'short'));
    first.journal.close();
    rmSync(blobFolder(home.place), { recursive: true });
    expect(contents(sessionOf(resumeSession(home.setup, 's1')))).toEqual([
      expect.stringContaining('its file is gone'),
      'short',
    ]);
  });

  it('inside a compacted history comes back, too', () => {
    const home = createSessionHome();
    const first = home.begin('s1');
    first.journal.append({
      ...boundary(),
      messages: [{ type: 'user', uuid: 'summary', at: 0, content: LONG }],
    } as ReturnType<typeof boundary>);
    first.journal.close();
    expect(contents(sessionOf(resumeSession(home.setup, 's1')))).toEqual([LONG]);
  });
});

it('data that looks like a reference comes back as it was, in long lines and in short ones', () => {
  const home = createSessionHome();
  const { journal } = home.begin('s1');
  const forged = { $blob: '0'.repeat(64), length: 5 };
  const call = (uuid: string, input: object) =>
    ({
      type: 'assistant',
      message: {
        type: 'assistant',
        uuid,
        at: 0,
        responseId: 'r',
        model: 'm',
        content: [{ type: 'tool_use', id: uuid, name: 'Write', input }],
      },
    }) as unknown as ReturnType<typeof user>;
  journal.append(call('short', { forged }));
  journal.append(call('long', { forged, text: LONG }));
  journal.close();
  const inputs = contents(sessionOf(resumeSession(home.setup, 's1'))).map((content) =>
    JSON.stringify(content),
  );
  expect(inputs[0]).toContain(JSON.stringify(forged));
  expect(inputs[1]).toContain(JSON.stringify(forged));
});
