/** The data that the page asks for, besides facts. The server and an exported file answer the same questions. */
import type { DecisionPage, RunDecisions } from './decisions.ts';
import type { SessionDigest } from './statistics.ts';
import type { FactPage, LogFact } from './facts.ts';

export interface SessionCard {
  readonly id: string;
  readonly title: string;
  readonly cwd: string;
  readonly model: string;
  readonly startedAt: number | undefined;
  readonly lastAt: number;
  readonly messages: number;
  readonly bytes: number;
  /** Undefined if a price was unknown. */
  readonly costUsd: number | undefined;
  readonly isFork: boolean;
}

/** One line of the log for the transcript. */
export interface TranscriptRow {
  readonly line: number;
  readonly at: number;
  readonly uuid: string;
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly parts: readonly RowPart[];
}

/** `text` is cut to a limit. `size` is the length of the whole text. */
interface CutText {
  readonly text: string;
  readonly size: number;
}

export type RowPart =
  | (CutText & { readonly kind: 'text' | 'thinking' | 'note' })
  | (CutText & {
      readonly kind: 'call';
      readonly id: string;
      readonly tool: string;
      readonly about: string;
      /** The change that a call makes to a file. */
      readonly change?: FileChange;
    })
  | (CutText & { readonly kind: 'result'; readonly callId: string; readonly isError: boolean })
  | (CutText & { readonly kind: 'media'; readonly mediaType: string });

export interface FileChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export interface SearchHit {
  readonly line: number;
  readonly at: number;
  readonly role: TranscriptRow['role'];
  readonly excerpt: string;
  /** The position of the match in the excerpt. */
  readonly start: number;
  readonly end: number;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** True if there are more matches. */
  readonly more: boolean;
}

/** A subagent of a session. Its facts are asked for with its id. */
export interface SubagentCard {
  readonly id: string;
  /** The description of its task. Empty if its record is missing. */
  readonly name: string;
  /** Its type, such as `Explore`. */
  readonly type: string;
  readonly isBackground: boolean;
  /** It works in a git worktree of its own. */
  readonly hasWorktree: boolean;
  /** It has no result yet. */
  readonly isOpen: boolean;
}

/** Facts about the server, for the page. */
export interface ViewerInfo {
  readonly version: string;
  /** The session that was named at the start. */
  readonly session: string | undefined;
  /** The server may start a fork. */
  readonly canFork: boolean;
}

/** The run and its first iteration are counted from 0. The answer contains the line, if the log has it. */
export interface WantedDecisions {
  readonly run: number;
  readonly from: number;
  readonly line: number;
}

/** Answers the questions of the page: over HTTP, or from the data in an exported file. */
export interface ViewerSource {
  readonly kind: 'server' | 'file';
  info(): Promise<ViewerInfo>;
  sessions(): Promise<readonly SessionCard[]>;
  /** With `wait`, the answer is delayed until the log has grown, or for some seconds. */
  facts(id: string, from: number, wait: boolean, signal?: AbortSignal): Promise<FactPage>;
  rows(id: string, from: number, to: number, signal?: AbortSignal): Promise<readonly TranscriptRow[]>;
  /** The whole text of a part. Media are base64. */
  text(id: string, line: number, part: number): Promise<string>;
  search(id: string, words: string, signal?: AbortSignal): Promise<SearchPage>;
  subagents(id: string): Promise<readonly SubagentCard[]>;
  decisions(id: string, wanted: WantedDecisions, signal?: AbortSignal): Promise<DecisionPage>;
  digest(id: string, signal?: AbortSignal): Promise<SessionDigest>;
  /** Starts a new session from a message of this one. Returns its id. */
  fork(id: string, uuid: string, prompt: string): Promise<string>;
}

/** The data of an exported file. */
export interface ExportedSession {
  readonly info: ViewerInfo;
  readonly card: SessionCard;
  readonly facts: readonly LogFact[];
  readonly rows: readonly TranscriptRow[];
  readonly decisions: readonly RunDecisions[];
  readonly subagents: readonly ExportedSubagent[];
  /** The number of lines of the log. */
  readonly lines: number;
  readonly torn: boolean;
}

interface ExportedSubagent {
  readonly card: SubagentCard;
  readonly facts: readonly LogFact[];
}
