/** Lists the sessions of a folder, or of all folders, newest first. */
import { projectFolder, type SessionPlace } from '../files/paths.ts';
import { isOtherWithSameName, type SessionFile, sessionFilesOf } from '../files/session-files.ts';
import { type Known, openCache } from './cache.ts';
import { readFacts } from './read-facts.ts';
import { type SessionSummary, summaryOf } from './summary.ts';

export interface ListChoice {
  readonly configDir: string;
  readonly otherConfigDirs?: readonly string[] | undefined;
  /** Undefined for the sessions of all folders. */
  readonly cwd?: string | undefined;
}

/** Never throws. Unreadable sessions and sessions without a message are left out. */
export function listSessions(choice: ListChoice): SessionSummary[] {
  const { configDir, otherConfigDirs = [], cwd } = choice;
  const files = sessionFilesOf(choice);
  const cache = openCache(configDir);
  const folders = [configDir, ...otherConfigDirs].map((root) =>
    cwd === undefined ? undefined : projectFolder({ configDir: root, cwd }),
  );
  const known = new Map<string, Known>();
  for (const folder of new Set(folders))
    for (const [file, facts] of cache.read(folder)) known.set(file, facts);
  const changed: Known[] = [];
  const sessions: SessionSummary[] = [];
  for (const file of files) {
    const before = known.get(file.path);
    known.delete(file.path);
    const facts = before && isSame(before, file) ? before.facts : readFacts(file, before?.facts);
    if (!facts) continue;
    if (facts !== before?.facts) changed.push({ ...file, facts });
    const isOther = cwd !== undefined && isOtherWithSameName(facts.cwd, cwd);
    if (facts.messages > 0 && !isOther) sessions.push(summaryOf(file, facts));
  }
  cache.write(changed, [...known.keys()]);
  cache.close();
  return sessions.sort((left, right) => right.lastAt - left.lastAt);
}

/** Returns summaries of single files, from the index or from the file. Does not change the index. */
interface Summaries {
  of(file: SessionFile): SessionSummary | undefined;
  close(): void;
}

export function openSummaries(configDir: string): Summaries {
  const cache = openCache(configDir);
  return {
    of(file) {
      const before = cache.find(file.path);
      const facts = before && isSame(before, file) ? before.facts : readFacts(file, before?.facts);
      return facts && summaryOf(file, facts);
    },
    close: () => cache.close(),
  };
}

function isSame(known: Known, { size, mtimeMs }: SessionFile): boolean {
  return known.size === size && known.mtimeMs === mtimeMs;
}

export type FoundSession =
  | { readonly kind: 'one'; readonly session: SessionSummary }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly sessions: readonly SessionSummary[] };

/** Shorter prefixes are too ambiguous to delete a session by. */
const SHORTEST_PREFIX = 4;

/** Searches the sessions of this folder first, and those of other folders only without a match. */
export function findSession(
  word: string,
  place: SessionPlace,
  where: 'here' | 'anywhere' = 'anywhere',
): FoundSession {
  const here = find(word, sessionFilesOf(place), place);
  if (here.kind !== 'none' || where === 'here') return here;
  const anywhere = { ...place, cwd: undefined };
  return find(word, sessionFilesOf(anywhere), anywhere);
}

/**
 * Finds the file of a session by its id or the beginning of its id, without reading the file. Returns undefined if no file or several
 * files match; `findSession` then also searches titles.
 */
export function findSessionFile(word: string, place: SessionPlace): SessionFile | undefined {
  const here = withId(word, sessionFilesOf(place));
  const [file, ...more] = here ?? withId(word, sessionFilesOf({ ...place, cwd: undefined })) ?? [];
  return more.length === 0 ? file : undefined;
}

/** Titles are searched last, because a list costs more than file names. */
function find(word: string, files: readonly SessionFile[], choice: ListChoice): FoundSession {
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
