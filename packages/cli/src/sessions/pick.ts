/** The session that somebody means. */
import { findSession, type SessionSummary } from '@heddle/agent/sessions';
import { configDir } from '../config-dir.ts';
import { oneLine } from './text/columns.ts';
import { severalText, suggestion } from './unclear.ts';

export function place(): { readonly configDir: string; readonly cwd: string } {
  return { configDir: configDir(process.env), cwd: process.cwd() };
}

export type Picked =
  | { readonly ok: true; readonly session: SessionSummary }
  | { readonly ok: false; readonly message: string };

/** By its id, the beginning of its id, or its exact title. */
export function pick(word: string): Picked {
  const found = findSession(word, place());
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
