/** Which session somebody means: by its id, the beginning of its id, or its exact title. */
import type { SessionPlace } from '../files/paths.ts';
import { type SessionFile, sessionFilesOf } from '../files/session-files.ts';
import { type ListChoice, listSessions, openSummaries } from './list.ts';
import type { SessionSummary } from './summary.ts';

export type Found =
  | { readonly kind: 'one'; readonly session: SessionSummary }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly sessions: readonly SessionSummary[] };

/** Shorter beginnings mean too little to delete something by. */
const SHORTEST_PREFIX = 4;

/** This folder's sessions come first: those of others are looked at when none of them is meant. */
export function findSession(
  word: string,
  place: SessionPlace,
  where: 'here' | 'anywhere' = 'anywhere',
): Found {
  const here = find(word, sessionFilesOf(place), place);
  if (here.kind !== 'none' || where === 'here') return here;
  const anywhere = { ...place, cwd: undefined };
  return find(word, sessionFilesOf(anywhere), anywhere);
}

/** Titles are asked for last: a list costs more than the names of files. */
function find(word: string, files: readonly SessionFile[], choice: ListChoice): Found {
  const byId = withId(word, files);
  const meant = byId
    ? summariesOf(byId, choice.configDir)
    : listSessions(choice).filter(({ title }) => title === word);
  const [session, ...more] = meant;
  if (!session) return { kind: 'none' };
  return more.length === 0 ? { kind: 'one', session } : { kind: 'several', sessions: meant };
}

function summariesOf(files: readonly SessionFile[], configDir: string): SessionSummary[] {
  const summaries = openSummaries(configDir);
  const known = files.flatMap((file) => summaries.of(file) ?? []);
  summaries.close();
  return known;
}

function withId(word: string, files: readonly SessionFile[]): readonly SessionFile[] | undefined {
  const exact = files.filter(({ id }) => id === word);
  if (exact.length > 0) return exact;
  if (word.length < SHORTEST_PREFIX) return undefined;
  const begun = files.filter(({ id }) => id.startsWith(word));
  return begun.length > 0 ? begun : undefined;
}
