/** The input and output of permission. Plain data: it can be printed, stored and compared, except for `examined`. */
import type { FileLimits, JsonObject, ReadOnlyRun, RuleName } from '@heddle/core';
import type { CallParts } from './part.ts';
import type { RuleSource } from './rules/rule.ts';

export interface AuthorizeRequest {
  readonly tool: string;
  readonly input: JsonObject;
  /** The tool proves that this call changes nothing. Ignored for a shell command, which is analyzed here. */
  readonly readOnly: boolean;
  /** Other names that deny and ask rules may have for what the call uses. */
  readonly names?: readonly RuleName[];
  /** The tool itself leaves out files that a deny rule matches. */
  readonly leavesOutDenied?: boolean;
  /** The decision of a hook. Its allow replaces a question, its ask asks. */
  readonly hookDecision: 'allow' | 'ask' | undefined;
  /** The command would run in a sandbox, where commands need no question. */
  readonly sandboxed?: boolean;
  /** The same command failed in the read-only view. Neither a proof nor the view is enough for it. */
  readonly failedInView?: boolean;
}

export type PermissionDecision = 'allow' | 'deny' | 'ask';

/** The kind of a part: the whole call, a command of a script, a file access, or a fetch. */
export type PartKind = 'call' | 'command' | 'read' | 'write' | 'remove' | 'fetch';

export interface PermissionVerdict {
  readonly decision: PermissionDecision;
  readonly reason: string;
  /** The rule that decided, its source, and its file. */
  readonly rule?: string;
  readonly source?: RuleSource;
  readonly file?: string;
}

export interface PartVerdict extends PermissionVerdict {
  readonly kind: PartKind;
  /** The part as a user would name it: a command, a path, an address. */
  readonly part: string;
  /** The file of the part, with links resolved. Undefined if it is not known, and for parts without a file. */
  readonly place?: string;
}

export interface Authorization extends PermissionVerdict {
  /** The call is allowed only if it changes nothing. Undefined if a rule, the mode or a hook allows its effects. */
  readonly readOnlyRun?: ReadOnlyRun;
  /** For a run in the read-only view or in the view for edits. */
  readonly fileLimits?: FileLimits;
  readonly parts: readonly PartVerdict[];
  /** The parts of a call that asks, so that the question does not examine it again. Not known if that was too much work. */
  readonly examined?: CallParts;
}
