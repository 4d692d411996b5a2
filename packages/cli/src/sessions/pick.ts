/** Finds the session that a user names on the command line. */
import { findSession, listSessions, type SessionPlace, type SessionSummary } from '@heddle/agent/sessions';
import { editDistance } from '../arguments/collect-flags.ts';
import { configDir, sessionPlace } from '../config-dir.ts';
import { oneLine } from '../terminal/width.ts';
import { agoText } from './text/units.ts';

export function place(): SessionPlace {
  return sessionPlace(process.env, process.cwd());
}

/** The place with the sessions that Heddle may change. It excludes the sessions of other tools. */
export function ownPlace(): SessionPlace {
  return { configDir: configDir(process.env), cwd: process.cwd() };
}

export type Picked =
  | { readonly ok: true; readonly session: SessionSummary }
  | { readonly ok: false; readonly message: string };

/** Finds a session by its id, the beginning of its id, or its exact title. */
export function pick(word: string, where: SessionPlace = place()): Picked {
  const found = findSession(word, where);
  switch (found.kind) {
    case 'one':
      return { ok: true, session: found.session };
    case 'several':
      return { ok: false, message: severalText(word, found.sessions) };
    case 'none':
      return { ok: false, message: `There is no session ${oneLine(word)}. ${suggestion(word, place())}` };
  }
}

/** With more candidates than this, the user should type more of the id. */
const MAX_CANDIDATES = 10;

function severalText(word: string, sessions: readonly SessionSummary[]): string {
  const now = Date.now();
  const lines = sessions
    .slice(0, MAX_CANDIDATES)
    .map(({ id, title, lastAt }) => `  ${id}  ${agoText(lastAt, now)}  ${shortTitle(title)}`);
  const left = sessions.length - lines.length;
  const rest = left > 0 ? [`  and ${left} more`] : [];
  return [`${oneLine(word)} matches several sessions:`, ...lines, ...rest].join('\n');
}

function suggestion(word: string, place: SessionPlace): string {
  const near = nearest(word, listSessions(place));
  if (near === undefined)
    return 'To list sessions, use: heddle sessions (this folder) or heddle sessions --all';
  return `Did you mean ${near.id} (${shortTitle(near.title)})? To list sessions, use: heddle sessions`;
}

/** Finds a session whose id or title differs from the word by at most two letters. Case is ignored. */
function nearest(word: string, sessions: readonly SessionSummary[]): SessionSummary | undefined {
  const meant = word.slice(0, MAX_TITLE_LENGTH).toLowerCase();
  const most = Math.min(2, Math.floor(meant.length / 4));
  const isNear = (text: string): boolean => editDistance(text.toLowerCase(), meant) <= most;
  return sessions.find(
    ({ id, title }) => isNear(id.slice(0, meant.length)) || isNear(title.slice(0, MAX_TITLE_LENGTH)),
  );
}

/** A title may be a whole prompt, and computing a distance costs the product of both lengths. */
const MAX_TITLE_LENGTH = 80;

function shortTitle(title: string): string {
  return oneLine(title).slice(0, MAX_TITLE_LENGTH);
}

export type MeantSession =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly message: string };

/** Resolves `--resume WORD` to a session of this folder, by its id, the beginning of its id, or its title. */
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
