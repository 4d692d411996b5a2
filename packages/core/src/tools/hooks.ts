/** What a host may do around a call: before it is permitted, and after it has ended. */
import type { JsonObject } from '../json.ts';
import type { HookWord } from '../machine/happened.ts';
import type { ToolResult } from './tool.ts';

export interface ToolHooks {
  /** Before permission. May have effects of its own, so it runs early only for calls that may start early. */
  before(call: HookedCall, signal: AbortSignal): Promise<BeforeTool>;
  after(call: HookedCall, result: HookedResult, signal: AbortSignal): Promise<AfterTool>;
  afterFailure(call: HookedCall, message: string, signal: AbortSignal): Promise<AfterTool>;
}

export interface HookedCall {
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: JsonObject;
}

export interface HookedResult extends ToolResult {
  /** What the tool gave, before it was put into words for the model. */
  readonly data?: unknown;
}

export interface BeforeTool {
  readonly decision?: 'allow' | 'deny' | 'ask';
  readonly message?: string;
  readonly updatedInput?: JsonObject;
  readonly additionalContext?: string;
  readonly stop?: HookWord;
}

export interface AfterTool {
  readonly additionalContext?: string;
  /** Replaces what the model sees. Honoured for tools of servers only. */
  readonly updatedResult?: ToolResult;
  readonly stop?: HookWord;
}
