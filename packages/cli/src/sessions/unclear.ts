/** What to tell whoever named a session that is not there, or several at once. */
import { listSessions, type SessionPlace, type SessionSummary } from '@heddle/agent/sessions';
import { editDistance } from '../flags.ts';
import { oneLine } from './text/columns.ts';
import { agoText } from './text/units.ts';

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
