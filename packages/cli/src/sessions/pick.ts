/** The session that somebody means. */
import { findSession, type SessionSummary } from '@heddle/agent/sessions';
import { configDir } from '../config-dir.ts';
import { agoText } from './text/units.ts';
import { oneLine } from './text/columns.ts';

export function place(): { readonly configDir: string; readonly cwd: string } {
  return { configDir: configDir(process.env), cwd: process.cwd() };
}

export type Picked =
  | { readonly ok: true; readonly session: SessionSummary }
  | { readonly ok: false; readonly message: string };

/** By its id, the beginning of its id, or its exact title. */
export function pick(word: string): Picked {
  const found = findSession(word, place());
  if (found.kind === 'one') return { ok: true, session: found.session };
  if (found.kind === 'none') return { ok: false, message: `there is no session ${oneLine(word)}` };
  const now = Date.now();
  const candidates = found.sessions.map(
    ({ id, title, lastAt }) => `  ${id}  ${agoText(lastAt, now)}  ${oneLine(title)}`,
  );
  return { ok: false, message: [`${oneLine(word)} can mean several sessions:`, ...candidates].join('\n') };
}

export function refused(message: string): number {
  process.stderr.write(`heddle: ${message}\n`);
  return 1;
}
