/** Which session the command line means. */
import { randomUUID } from 'node:crypto';
import {
  forkSession,
  memorySession,
  newestSession,
  newSession,
  type Opened,
  type OpenSetup,
  resumeSession,
  type Session,
  systemClock,
  VERSION,
} from '@heddle/agent';
import type { SessionChoice } from '../arguments.ts';
import { configDir } from '../config-dir.ts';

export type Chosen =
  | { readonly ok: true; readonly session: Session }
  | { readonly ok: false; readonly message: string; readonly sessionId: string };

export function openChosen(choice: SessionChoice): Chosen {
  const fresh = choice.id ?? randomUUID();
  if (!choice.persist && choice.from.kind === 'new')
    return { ok: true, session: memorySession(fresh, systemClock.now) };
  const setup: OpenSetup = {
    place: { configDir: configDir(process.env), cwd: process.cwd() },
    version: VERSION,
    durability: process.env['HEDDLE_DURABILITY'] === 'power' ? 'power' : 'process',
    now: systemClock.now,
  };
  if (choice.from.kind === 'new') return named(newSession(setup, fresh), fresh);
  const id = choice.from.kind === 'resume' ? choice.from.id : newestSession(setup.place);
  if (id === undefined)
    return { ok: false, message: 'There is no conversation to continue in this folder.', sessionId: fresh };
  const { at } = choice;
  const opened = choice.fork ? forkSession(setup, id, fresh, { at }) : resumeSession(setup, id, { at });
  return named(opened, id);
}

function named(opened: Opened, sessionId: string): Chosen {
  return opened.ok ? opened : { ...opened, sessionId };
}
