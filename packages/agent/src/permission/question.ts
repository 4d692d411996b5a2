/** The question to the host for an ask decision, and its answer. */
import type { CallPlace, JsonObject } from '@heddle/core';
import type { PermissionUpdate } from './live-permissions.ts';
import type { PartVerdict } from './request.ts';

/** Asks the host about a call. The signal aborts when the question is withdrawn. */
export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;

/**
 * The working directory and the places are those of the decision: a relative path in the input starts in the working directory,
 * which may be another one than the project. A question that is not about a call has neither.
 */
export interface PermissionQuestion extends CallPlace {
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly reason: string;
  /**
   * The decision as a text: its reason, its parts, and the real places of the call. A host that stores an answer may apply it only
   * to a question about the same call with the same text.
   */
  readonly basis: string;
  /** Each part of the call, with the decision about it. */
  readonly parts: readonly PartVerdict[];
  /** The rules that "always allow" would add, and their scope. */
  readonly suggestions: readonly PermissionUpdate[];
  /** The ask rule that matched. */
  readonly rule?: string | undefined;
  /** The subagent that makes the call. */
  readonly agentId?: string | undefined;
  /** Its task in a few words of the model. */
  readonly agentDescription?: string | undefined;
}

export interface PermissionAnswer {
  readonly allow: boolean;
  readonly message?: string | undefined;
  readonly updatedInput?: JsonObject | undefined;
  /** Rules to add with the answer. */
  readonly updates?: readonly PermissionUpdate[] | undefined;
  /** A denial with this flag ends the whole turn. */
  readonly interrupt?: boolean | undefined;
  /**
   * The user did not see the question, because rules of an earlier answer cover it. They are added, and the call is decided
   * again: the mode, the rules and the disk may have changed since the question. `allow` is false beside it.
   */
  readonly coveredBy?: readonly PermissionUpdate[] | undefined;
}
