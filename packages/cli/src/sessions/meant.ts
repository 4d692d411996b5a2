/** Resolves `--resume WORD` to a session of this folder, by its id, the beginning of its id, or its title. */
import { findSession, type SessionPlace } from '@heddle/agent/sessions';
import { oneLine } from './text/columns.ts';
import { severalText, suggestion } from './pick.ts';

export type MeantSession =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly message: string };

export function meantSession(word: string, place: SessionPlace): MeantSession {
  const here = findSession(word, place, 'here');
  if (here.kind === 'one') return { ok: true, id: here.session.id };
  if (here.kind === 'several') return { ok: false, message: severalText(word, here.sessions) };
  const elsewhere = findSession(word, place);
  const advice =
    elsewhere.kind === 'one'
      ? `It belongs to ${oneLine(elsewhere.session.cwd ?? 'another folder')}. Resume it in that folder.`
      : suggestion(word, place);
  return { ok: false, message: `No conversation found with session ID: ${oneLine(word)}. ${advice}` };
}
