/** `core` sees only allow or deny: asking is the business of whoever stands around the loop. */
import type { JsonObject } from '../json.ts';
import type { PermittedPlace, ToolUseContext } from './context.ts';
import type { Tool } from './tool.ts';

export type CanUseTool = (
  tool: Tool,
  input: JsonObject,
  context: ToolUseContext,
  call: PermissionCall,
) => Promise<Permission>;

export interface PermissionCall {
  readonly toolUseId: string;
  /** A `PreToolUse` hook's word. Its allow only spares the question; rules still hold. */
  readonly hookDecision: 'allow' | 'ask' | undefined;
  /** Why a hook wants it to be asked, in its own words. */
  readonly hookReason?: string;
  /**
   * Someone has answered, and changed the input with the answer. Nobody is asked again: rules alone decide, so a deny wins
   * over the answer and an ask counts as answered.
   */
  readonly answered?: true;
  /** Aborts when the attempt that asked is discarded: the question is withdrawn. */
  readonly signal: AbortSignal;
}

/**
 * A call that may run only without effects.
 * - `preferred`: it was proven to have none. A tool that can run it where effects are impossible does so.
 * - `required`: it was not proven. A tool that cannot run it there must not run it.
 */
export type ReadOnlyRun = 'preferred' | 'required';

export type Permission =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: JsonObject;
      /** The places of the input's paths that were decided on. The call may open these and no others. */
      readonly places?: readonly PermittedPlace[];
      /** Undefined: it may have the effects it has. */
      readonly readOnlyRun?: ReadOnlyRun;
    }
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: boolean };
