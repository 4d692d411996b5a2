/** Sets up a folder with sessions, and runs the program on it. */
import path from 'node:path';
import { newSession, type Session } from '@heddle/agent';
import type { EntryBody } from '@heddle/core';
import { type Home, homeFor } from '../../test/home.ts';
import type { Ended } from '../../test/program.ts';

export interface Place extends Home {
  readonly sessions: (...argv: string[]) => Promise<Ended>;
  /** Creates a session and leaves it open. */
  readonly begin: (id: string, bodies: readonly EntryBody[], at?: number) => Session;
  readonly store: (id: string, bodies: readonly EntryBody[], at?: number) => void;
  readonly file: (id: string) => string;
  readonly configDir: string;
}

export function placeFor(program: string): Place {
  const home = homeFor(program);
  const configDir = path.join(home.folder, 'config');
  const begin: Place['begin'] = (id, bodies, at = Date.now()) => {
    const setup = {
      place: { configDir, cwd: home.folder },
      version: 'test',
      durability: 'process',
      now: () => at,
    } as const;
    const opened = newSession(setup, id);
    if (!opened.ok) throw new Error(opened.message);
    for (const body of bodies) opened.session.journal.append(body);
    return opened.session;
  };
  return {
    ...home,
    configDir,
    begin,
    store: (id, bodies, at) => begin(id, bodies, at).journal.close(),
    file: (id) =>
      path.join(configDir, 'projects', home.folder.replaceAll(/[^a-zA-Z0-9]/g, '-'), `${id}.jsonl`),
    sessions: (...argv) => home.run(['sessions', ...argv]),
  };
}

export const user = (content: string, uuid = 'u1'): EntryBody => ({
  type: 'user',
  message: { type: 'user', uuid, at: 0, content },
});
export const assistant = (text: string): EntryBody => ({
  type: 'assistant',
  message: {
    type: 'assistant',
    uuid: 'a1',
    at: 0,
    responseId: 'r',
    model: 'm',
    content: [{ type: 'text', text }],
  },
});
export const call = (input: Record<string, string>): EntryBody => ({
  type: 'assistant',
  message: {
    type: 'assistant',
    uuid: 'a2',
    at: 0,
    responseId: 'r',
    model: 'm',
    content: [{ type: 'tool_use', id: 't', name: 'Bash', input }],
  },
});
export const result = (content: string): EntryBody => ({
  type: 'user',
  message: { type: 'user', uuid: 'r1', at: 0, content: [{ type: 'tool_result', tool_use_id: 't', content }] },
});

/** An id in the format of the program. */
export const ID = 'abcd1234-62a5-4f0e-9d5b-5f0b1c2d3e4f';
export const DAY = 86_400_000;
/** Control sequences for a terminal, and a script for a page. */
export const EVIL = '\u001b]0;owned\u0007\u001b[31m<script>alert(1)</script>';
