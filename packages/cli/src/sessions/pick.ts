/** The session that somebody means. */
import { findSession, listSessions, type SessionPlace, type SessionSummary } from '@heddle/agent/sessions';
import { configDir, sessionPlace } from '../config-dir.ts';
import { oneLine } from './text/columns.ts';
import { agoText } from './text/units.ts';
import { editDistance } from '../arguments/collect-flags.ts';

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

export function notPicked(message: string): number {
  process.stderr.write(`heddle: ${message}\n`);
  return 1;
}

/** A screen of them; whoever has more needs a longer word, not a longer list. */
const MOST_CANDIDATES = 10;

export function severalText(word: string, sessions: readonly SessionSummary[]): string {
  const now = Date.now();
  const lines = sessions
    .slice(0, MOST_CANDIDATES)
    .map(({ id, title, lastAt }) => `  ${id}  ${agoText(lastAt, now)}  ${glance(title)}`);
  const left = sessions.length - lines.length;
  const rest = left > 0 ? [`  and ${left} more`] : [];
  return [`${oneLine(word)} can mean several sessions:`, ...lines, ...rest].join('\n');
}

export function suggestion(word: string, place: SessionPlace): string {
  const near = nearest(word, listSessions(place));
  if (near === undefined)
    return 'heddle sessions lists those of this folder, with --all those of every folder';
  return `did you mean ${near.id} (${glance(near.title)})? heddle sessions lists them`;
}

/** A letter or two may be wrong: of an id, of its beginning, or of a title. Capitals never count. */
function nearest(word: string, sessions: readonly SessionSummary[]): SessionSummary | undefined {
  const meant = word.slice(0, LONGEST).toLowerCase();
  const most = Math.min(2, Math.floor(meant.length / 4));
  const isNear = (text: string): boolean => editDistance(text.toLowerCase(), meant) <= most;
  return sessions.find(
    ({ id, title }) => isNear(id.slice(0, meant.length)) || isNear(title.slice(0, LONGEST)),
  );
}

/** A title may be a whole prompt, and a distance costs the product of both lengths. */
const LONGEST = 80;

function glance(title: string): string {
  return oneLine(title).slice(0, LONGEST);
}
