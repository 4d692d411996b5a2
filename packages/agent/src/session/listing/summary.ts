/** Computes the summary of a session for a list, from the facts in its lines. Pure. */
import type { SessionFile } from '../files/session-files.ts';

/** Facts from the lines of a session, as values for a table. Null if the lines do not contain them. */
export interface Facts {
  /** The number of bytes read, all of them whole lines. */
  readonly readTo: number;
  /** The last bytes read. A file that only grew still has them at this position. */
  readonly seam: string;
  /** The session id in the line of the first prompt. In a fork, it differs from that of the file. */
  readonly firstSessionId: string | null;
  /** The team of the member that wrote the first prompt. */
  readonly teamName: string | null;
  /** The kind of program that wrote the first prompt, if it was not a conversation in a terminal. */
  readonly entrypoint: string | null;
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  /** The title that the user set, and the title of the session that this one was forked from. */
  readonly ownTitle: string | null;
  readonly inheritedTitle: string | null;
  /** The title that another tool generated. */
  readonly foundTitle: string | null;
  readonly firstPrompt: string | null;
  readonly startedAt: number | null;
  readonly lastAt: number | null;
  readonly messages: number;
  readonly model: string | null;
  /** Null until a line contains a cost. */
  readonly costUsd: number | null;
  /** The number of responses with an unknown price. */
  readonly unpriced: number;
}

export const NO_FACTS: Facts = {
  readTo: 0,
  seam: '',
  firstSessionId: null,
  teamName: null,
  entrypoint: null,
  cwd: null,
  gitBranch: null,
  ownTitle: null,
  inheritedTitle: null,
  foundTitle: null,
  firstPrompt: null,
  startedAt: null,
  lastAt: null,
  messages: 0,
  model: null,
  costUsd: null,
  unpriced: 0,
};

export interface SessionSummary {
  readonly id: string;
  /** The session's file. */
  readonly path: string;
  /** The folder in which the session began. */
  readonly cwd: string | undefined;
  readonly gitBranch: string | undefined;
  /** The title from the user, or the beginning of the first prompt. */
  readonly title: string;
  readonly isNamed: boolean;
  readonly isFork: boolean;
  /** The team, if a member of a team wrote the session. */
  readonly team: string | undefined;
  /** A script or a host wrote the first prompt, for example with `heddle -p`. */
  readonly isHeadless: boolean;
  readonly firstPrompt: string;
  readonly startedAt: number | undefined;
  readonly lastAt: number;
  /** The number of conversation lines: prompts, tool results, and blocks of responses. */
  readonly messages: number;
  /** The size of the session's file. */
  readonly bytes: number;
  readonly model: string | undefined;
  /** Undefined if a price was unknown, or no line contains a cost. */
  readonly costUsd: number | undefined;
}

export function summaryOf({ id, path, size, mtimeMs }: SessionFile, facts: Facts): SessionSummary {
  const isFork = facts.firstSessionId !== null && facts.firstSessionId !== id;
  const called = facts.inheritedTitle ?? facts.foundTitle ?? beginningOf(facts.firstPrompt ?? '');
  return {
    id,
    path,
    cwd: facts.cwd ?? undefined,
    gitBranch: facts.gitBranch ?? undefined,
    title: facts.ownTitle ?? (isFork ? `${called} (fork)` : called),
    isNamed: (facts.ownTitle ?? facts.inheritedTitle) !== null,
    isFork,
    team: isFork ? undefined : (facts.teamName ?? undefined),
    isHeadless: !isFork && facts.entrypoint?.startsWith('sdk') === true,
    firstPrompt: facts.firstPrompt ?? '',
    startedAt: facts.startedAt ?? undefined,
    lastAt: facts.lastAt ?? mtimeMs,
    messages: facts.messages,
    bytes: size,
    model: facts.model ?? undefined,
    costUsd: facts.unpriced > 0 ? undefined : (facts.costUsd ?? undefined),
  };
}

const TITLE_LENGTH = 100;

function beginningOf(prompt: string): string {
  const line = prompt.replaceAll(/\s+/g, ' ').trim();
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1)}…`;
}
