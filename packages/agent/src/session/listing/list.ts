/** The sessions of a folder, or of all folders, newest first. */
import { projectFolder } from '../files/paths.ts';
import { type SessionFile, sessionFilesOf } from '../files/session-files.ts';
import { type Known, openCache } from './cache.ts';
import { readFacts } from './read.ts';
import { type SessionSummary, summaryOf } from './summary.ts';

export interface ListChoice {
  readonly configDir: string;
  readonly otherConfigDirs?: readonly string[] | undefined;
  /** Undefined: the sessions of all folders. */
  readonly cwd?: string | undefined;
}

/** Never throws: what cannot be read is not in the list. Sessions without a message are none. */
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
    if (facts.messages > 0) sessions.push(summaryOf(file, facts));
  }
  cache.write(changed, [...known.keys()]);
  cache.close();
  return sessions.sort((left, right) => right.lastAt - left.lastAt);
}

/** Of single files: as the index has them, else read. The index is left as it is. */
export interface Summaries {
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
