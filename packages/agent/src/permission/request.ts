/** What is asked of permission, and how it answers. Plain data: an answer can be printed, stored and compared. */
import type { JsonObject, ReadOnlyRun } from '@heddle/core';
import type { RuleSource } from './rules/rule.ts';

export interface AuthorizeRequest {
  readonly tool: string;
  readonly input: JsonObject;
  /** The tool proves that this very call changes nothing. Not believed for a shell command: that one is read here. */
  readonly readOnly: boolean;
  /** The tool leaves out what may not be read, wherever it lies. */
  readonly leavesOutDenied?: boolean;
  /** A hook's word: its allow only spares the question, its ask asks. */
  readonly hookDecision: 'allow' | 'ask' | undefined;
  /** The command would run in a sandbox, and what runs there needs no question. */
  readonly sandboxed?: boolean;
  /** The same command missed something in the read-only view: neither proof nor the view is enough for it. */
  readonly failedInView?: boolean;
}

export type PermissionDecision = 'allow' | 'deny' | 'ask';

/** What one part of a call is: the call as a whole, a command in a script, a file it touches, a page it fetches. */
export type PartKind = 'call' | 'command' | 'read' | 'write' | 'remove' | 'fetch';

export interface PermissionVerdict {
  readonly decision: PermissionDecision;
  readonly reason: string;
  /** The rule that decided, where it stands, and in which file. */
  readonly rule?: string;
  readonly source?: RuleSource;
  readonly file?: string;
}

export interface PartVerdict extends PermissionVerdict {
  readonly kind: PartKind;
  /** The part as a person would point at it: a command, a path, an address. */
  readonly part: string;
}

export interface Authorization extends PermissionVerdict {
  /** It is allowed only as long as it changes nothing. Undefined: a rule, the mode or a hook allows what it may do. */
  readonly readOnlyRun?: ReadOnlyRun;
  readonly parts: readonly PartVerdict[];
}
