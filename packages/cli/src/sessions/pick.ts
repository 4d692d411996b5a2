/** The session that somebody means. */
import { findSession, type SessionPlace, type SessionSummary } from '@heddle/agent/sessions';
import { configDir, sessionPlace } from '../config-dir.ts';
import { oneLine } from './text/columns.ts';
import { severalText, suggestion } from './unclear.ts';

export function place(): SessionPlace {
  return sessionPlace(process.env, process.cwd());
}

/** Only what Heddle may change: sessions of other tools are left out. */
export function ownPlace(): SessionPlace {
  return { configDir: configDir(process.env), cwd: process.cwd() };
}

export type Picked =
  | { readonly ok: true; readonly session: SessionSummary }
  | { readonly ok: false; readonly message: string };

/** By its id, the beginning of its id, or its exact title. */
export function pick(word: string, where: SessionPlace = place()): Picked {
  const found = findSession(word, where);
  switch (found.kind) {
    case 'one':
      return { ok: true, session: found.session };
    case 'several':
      return { ok: false, message: severalText(word, found.sessions) };
    case 'none':
      return { ok: false, message: `there is no session ${oneLine(word)}; ${suggestion(word, place())}` };
  }
}

export function refused(message: string): number {
  process.stderr.write(`heddle: ${message}\n`);
  return 1;
}
