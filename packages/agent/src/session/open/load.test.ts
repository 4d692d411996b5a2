/** Reading a session back: torn ends, damage, boundaries, and the bill of the whole. */
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { EntryBody } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { StoredCosts, readStoredCosts } from '../../cost/stored-costs.ts';
import { LineFile } from '../files/lines.ts';
import { forkSession, resumeSession } from './open.ts';
import {
  assistant,
  boundary,
  callOf,
  createSessionHome,
  type SessionHome,
  intentOf,
  reasonOf,
  resultOf,
  sessionOf,
  spent,
  user,
  uuidsOf,
} from '../test/session-home.ts';

const snapshot = { cwd: '/', model: 'm', systemPrompt: ['be good'], userContext: {}, systemContext: {} };

function stored(home: SessionHome, bodies: readonly EntryBody[], id = 's1'): void {
  const { journal } = home.begin(id);
  for (const body of bodies) journal.append(body);
  journal.close();
}

describe('a torn last line', () => {
  it('is set aside and cut off, and the session continues after the last whole one', () => {
    const home = createSessionHome();
    stored(home, [user('u1'), assistant('a1')]);
    truncateSync(home.file('s1'), readFileSync(home.file('s1')).length - 20);
    const { journal, notices, projection } = sessionOf(resumeSession(home.setup, 's1'));
    expect([...projection.messages].map(({ uuid }) => uuid)).toEqual(['u1']);
    expect(notices).toEqual(['The last line of the session was never finished; it was set aside.']);
    journal.append(assistant('a2'));
    journal.close();
    expect(home.lines('s1')).toHaveLength(2);
    const aside = path.join(path.dirname(home.file('s1')), 's1/torn');
    expect(readFileSync(aside, 'utf8')).toContain('"uuid":"a1"');
    expect(sessionOf(resumeSession(home.setup, 's1')).notices).toEqual([]);
  });

  it('may end within a character', () => {
    const home = createSessionHome();
    stored(home, [user('u1')]);
    appendFileSync(
      home.file('s1'),
      Buffer.from('{"type":"user","uuid":"u2","message":{"content":"ü').subarray(0, -1),
    );
    expect(uuidsOf(sessionOf(resumeSession(home.setup, 's1')))).toEqual(['u1']);
  });

  it('that lacks nothing but its end is whole', () => {
    const home = createSessionHome();
    stored(home, [user('u1'), assistant('a1')]);
    truncateSync(home.file('s1'), readFileSync(home.file('s1')).length - 1);
    const session = sessionOf(resumeSession(home.setup, 's1'));
    expect(uuidsOf(session)).toEqual(['u1', 'a1']);
    expect(session.notices).toEqual([]);
    session.journal.append(user('u2'));
    expect(home.lines('s1')).toHaveLength(3);
  });

  it('at every length of the last record leaves what came before it', () => {
    const home = createSessionHome();
    stored(home, [user('u1'), assistant('a1')]);
    const whole = readFileSync(home.file('s1'));
    const secondLine = whole.indexOf(0x0a) + 1;
    for (let length = secondLine; length < whole.length - 1; length++) {
      writeFileSync(home.file('s1'), whole.subarray(0, length));
      const session = sessionOf(resumeSession(home.setup, 's1'));
      expect(uuidsOf(session)).toEqual(['u1']);
      session.journal.close();
    }
  });
});

describe('a damaged line in the middle', () => {
  const damaged = (): SessionHome => {
    const home = createSessionHome();
    stored(home, [user('u1'), assistant('a1'), user('u2')]);
    const lines = home.lines('s1');
    lines[1] = lines[1]?.slice(0, 30) ?? '';
    writeFileSync(home.file('s1'), `${lines.join('\n')}\n`);
    return home;
  };

  it('makes the session read-only, and a copy is offered', () => {
    const home = damaged();
    const before = readFileSync(home.file('s1'), 'utf8');
    expect(reasonOf(resumeSession(home.setup, 's1'))).toMatch(/1 line cannot be read.*--fork-session/);
    expect(readFileSync(home.file('s1'), 'utf8')).toBe(before);
  });

  it('is detected even if it was joined with a line that loading skips', () => {
    const home = createSessionHome();
    stored(home, [user('u1'), { type: 'outcome', toolUseId: 'c1', isError: false }, user('u2')]);
    const [first, outcome = '', last] = home.lines('s1');
    writeFileSync(home.file('s1'), `${first}\n${outcome.slice(0, 30)}${last}\n`);
    expect(reasonOf(resumeSession(home.setup, 's1'))).toMatch(/1 line cannot be read/);
  });

  it('is left out of a copy, which can be gone on with and says what it lacks', () => {
    const home = damaged();
    const fork = sessionOf(forkSession(home.setup, 's1', 's2'));
    expect(uuidsOf(fork)).toEqual(['u1', 'u2']);
    expect(fork.notices).toEqual(['1 line of the session could not be read; the copy continues without.']);
    fork.journal.append(user('u3'));
    fork.journal.close();
    expect(uuidsOf(sessionOf(resumeSession(home.setup, 's2')))).toEqual(['u1', 'u2', 'u3']);
  });
});

describe('a boundary', () => {
  it('makes everything before it unnecessary, so damage there has no effect', () => {
    const home = createSessionHome();
    stored(home, [
      { type: 'session', snapshot },
      user('u1'),
      assistant('a1'),
      boundary('summary'),
      user('u2'),
    ]);
    const lines = home.lines('s1');
    lines[1] = 'this is not JSON at all';
    lines[2] = '{"type":"assistant","uuid":"a1"';
    writeFileSync(home.file('s1'), `${lines.join('\n')}\n`);
    const session = sessionOf(resumeSession(home.setup, 's1'));
    expect(uuidsOf(session)).toEqual(['summary', 'u2']);
    expect(session.snapshot).toEqual(snapshot);
    expect(session.notices).toEqual([]);
  });

  it('is found from the end of a file that is longer than what is read at once', () => {
    const home = createSessionHome();
    const filler = Array.from({ length: 60 }, (_, index) => user(`f${index}`, 'x'.repeat(50_000)));
    stored(home, [{ type: 'session', snapshot }, boundary('old'), ...filler, boundary('new'), ...filler]);
    expect(uuidsOf(sessionOf(resumeSession(home.setup, 's1')))).toEqual([
      'new',
      ...filler.map((_, index) => `f${index}`),
    ]);
  });

  it('that is damaged gives way to the one before it', () => {
    const home = createSessionHome();
    stored(home, [boundary('old'), user('u1'), boundary('new'), user('u2')]);
    const lines = home.lines('s1');
    lines[2] = lines[2]?.slice(0, 40) ?? '';
    writeFileSync(home.file('s1'), `${lines.join('\n')}\n`);
    expect(uuidsOf(sessionOf(forkSession(home.setup, 's1', 's2')))).toEqual(['old', 'u1', 'u2']);
  });

  it('is not detected in a text that only looks like one', () => {
    const home = createSessionHome();
    stored(home, [user('u1'), user('u2', '\n{"type":"boundary","messages":[]}\n')]);
    expect(uuidsOf(sessionOf(resumeSession(home.setup, 's1')))).toEqual(['u1', 'u2']);
  });

  it.each([1, 2, 3])('is found wherever a reading of the file ends (%i bytes into the mark)', (inside) => {
    const home = createSessionHome();
    const file = path.join(home.place.cwd, 'lines');
    const behind = 'y'.repeat(1024 * 1024 - '{"mark"'.length + inside);
    writeFileSync(file, `first\n{"mark"${behind}`);
    const lines = new LineFile(file);
    expect(lines.readSince('{"mark"', () => true)).toMatchObject({ start: 6 });
    expect(lines.readSince('{"mark"', () => false)).toMatchObject({ start: 0 });
    expect(lines.readSince('absent', () => true).bytes.equals(readFileSync(file))).toBe(true);
    expect(lines.findLast('{"mark"', lines.size)).toBe(`{"mark"${behind}`);
    expect(lines.findLast('first', lines.size)).toBe('first');
    expect(lines.findLast('absent', lines.size)).toBeUndefined();
    expect(lines.firstLine()).toBe('first');
    lines.close();
  });
});

describe('calls before an end', () => {
  it('are settled; those behind it are open with their intents', () => {
    const home = createSessionHome();
    const end = { type: 'end', terminal: { reason: 'completed' } } as const;
    stored(home, [
      callOf('a1', 'c1'),
      intentOf('c1'),
      resultOf('t1', 'c1'),
      end,
      callOf('a2', 'c2'),
      intentOf('c2'),
    ]);
    const { projection } = sessionOf(resumeSession(home.setup, 's1'));
    expect(projection.openCalls.map(({ call, intent }) => [call.id, intent?.effect])).toEqual([
      ['c2', 'writing'],
    ]);
  });
});

describe('the bill', () => {
  it('is that of the whole session, although only its tail is read', () => {
    const home = createSessionHome();
    stored(home, [
      spent(100, 1),
      spent(10, 0.5, 'other'),
      boundary('b1'),
      spent(20, 2),
      boundary('b2'),
      spent(1, 4),
    ]);
    const { bill } = sessionOf(resumeSession(home.setup, 's1'));
    expect(bill.costUsd).toBe(7.5);
    const spending = Object.fromEntries(bill);
    expect(spending['m']).toMatchObject({ costUsd: 7, known: true, usage: { output_tokens: 121 } });
    expect(spending['other']).toMatchObject({ costUsd: 0.5, known: true, usage: { output_tokens: 10 } });
  });

  it('is taken from the last end, and counted on from there', () => {
    const home = createSessionHome();
    const end = { type: 'end', terminal: { reason: 'completed' } } as const;
    stored(home, [spent(100, 1), end, spent(10, 0.5), end, spent(1, 0.25)]);
    const lines = home.lines('s1');
    // Costs before the last end line are not counted again.
    lines[0] = JSON.stringify({ ...JSON.parse(lines[0] ?? ''), costUsd: 99 });
    writeFileSync(home.file('s1'), `${lines.join('\n')}\n`);
    expect(sessionOf(resumeSession(home.setup, 's1')).bill.costUsd).toBe(1.75);
  });

  it('continues across several runs of the session', () => {
    const home = createSessionHome();
    stored(home, [spent(100, 1)]);
    for (const body of [spent(10, 1), boundary('b1'), spent(1, 1)]) {
      const session = sessionOf(resumeSession(home.setup, 's1'));
      session.journal.append(body);
      session.journal.close();
    }
    const { bill } = sessionOf(resumeSession(home.setup, 's1'));
    expect(bill.costUsd).toBe(3);
  });

  it('names the helpers of a model, before and after an end', () => {
    const home = createSessionHome();
    const usage = {
      input_tokens: 5,
      output_tokens: 7,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      more: { iterations: [{ type: 'advisor_message', model: 'helper', input_tokens: 1, output_tokens: 2 }] },
    };
    const asked = {
      type: 'answer',
      responseId: 'r1',
      model: 'm',
      stopReason: 'end_turn',
      usage,
      costUsd: 3,
      costs: { m: 1, helper: 2 },
    } as const;
    for (const bodies of [[asked], [asked, { type: 'end', terminal: { reason: 'completed' } } as const]]) {
      const home = createSessionHome();
      stored(home, bodies);
      const { bill } = sessionOf(resumeSession(home.setup, 's1'));
      expect(Object.fromEntries(bill)).toMatchObject({
        m: { costUsd: 1, known: true, usage: { output_tokens: 7 } },
        helper: { costUsd: 2, known: true, usage: { output_tokens: 2 } },
      });
    }
    // Entries of before say what the whole cost, and not who had it.
    const { costs: _costs, ...earlier } = asked;
    stored(home, [earlier]);
    const { bill } = sessionOf(resumeSession(home.setup, 's1'));
    expect(bill.costUsd).toBe(3);
    expect(Object.fromEntries(bill)['helper']).toMatchObject({ known: false, usage: { output_tokens: 2 } });
  });

  it('keeps an unknown price unknown', () => {
    const home = createSessionHome();
    stored(home, [spent(100), boundary('b1'), spent(20, 2)]);
    const { bill } = sessionOf(resumeSession(home.setup, 's1'));
    expect(Object.fromEntries(bill)['m']).toMatchObject({ costUsd: 2, known: false });
  });

  it('that cannot be read is unknown, not nothing', () => {
    expect([...readStoredCosts({ m: null, n: { costUsd: 'much' } })]).toEqual([
      ['m', expect.objectContaining({ known: false })],
      ['n', expect.objectContaining({ known: false })],
    ]);
    expect([...readStoredCosts('nonsense')]).toEqual([]);
    expect(new StoredCosts().costUsd).toBe(0);
  });
});

it('a conversation that another tool began can be gone on with, and keeps the prompt it was given then', () => {
  const home = createSessionHome();
  stored(home, [user('u1')]);
  const session = sessionOf(resumeSession(home.setup, 's1'));
  expect(session.snapshot).toBeUndefined();
  for (const body of [{ type: 'session', snapshot } as const, user('u2'), boundary('b1'), user('u3')])
    session.journal.append(body);
  session.journal.close();
  expect(sessionOf(resumeSession(home.setup, 's1')).snapshot).toEqual(snapshot);
  expect(existsSync(path.join(path.dirname(home.file('s1')), 's1/torn'))).toBe(false);
});
