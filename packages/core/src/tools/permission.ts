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

export type Permission =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: JsonObject;
      /** The places of the input's paths that were decided on. The call may open these and no others. */
      readonly places?: readonly PermittedPlace[];
    }
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: boolean };
