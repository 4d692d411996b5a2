/** What a list says of a session, out of what its lines say. Pure. */
import type { SessionFile } from '../files/session-files.ts';

/** What the lines of a session say, in values that a table can hold. Null: they do not say. */
export interface Facts {
  /** Bytes that have been read, all of them whole lines. */
  readonly readTo: number;
  /** The last of them: a file that only grew still has them there. */
  readonly seam: string;
  /** As the first prompt's line has it: in a fork, another one than the file's. */
  readonly firstSessionId: string | null;
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  /** What the user named it, and what the session was called that it is a fork of. */
  readonly ownTitle: string | null;
  readonly inheritedTitle: string | null;
  /** What another tool thought of as a title. */
  readonly foundTitle: string | null;
  readonly firstPrompt: string | null;
  readonly startedAt: number | null;
  readonly lastAt: number | null;
  readonly messages: number;
  readonly model: string | null;
  /** Null until something is said about it. */
  readonly costUsd: number | null;
  /** Answers whose price nobody knew. */
  readonly unpriced: number;
}

export const NO_FACTS: Facts = {
  readTo: 0,
  seam: '',
  firstSessionId: null,
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
  /** Where it was begun. */
  readonly cwd: string | undefined;
  readonly gitBranch: string | undefined;
  /** What the user called it, or how its first prompt begins. */
  readonly title: string;
  readonly isNamed: boolean;
  readonly isFork: boolean;
  readonly firstPrompt: string;
  readonly startedAt: number | undefined;
  readonly lastAt: number;
  /** Lines of the conversation: prompts, results of tools, and what the model said, block by block. */
  readonly messages: number;
  /** Of the session's file. */
  readonly bytes: number;
  readonly model: string | undefined;
  /** Undefined where a price was unknown, or nothing was said about it. */
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
