/** Replies to control requests, and the functions that make them. */
import type { HostPromptQueue } from '../inbox.ts';
import type { HostLine } from '../json.ts';

/** The one reply that a control request gets. */
export type ControlReply =
  | { readonly subtype: 'success'; readonly response?: object }
  | { readonly subtype: 'error'; readonly error: string; readonly error_code?: string };

/** Answers one kind of request. `inbox` has the prompts that wait. */
type ControlHandler = (request: HostLine, inbox: HostPromptQueue) => ControlReply | Promise<ControlReply>;

/** Handlers by the `subtype` of their requests. */
export type ControlHandlers = Readonly<Record<string, ControlHandler>>;

export function controlSuccess(response?: object): ControlReply {
  return response === undefined ? { subtype: 'success' } : { subtype: 'success', response };
}

export function controlFailure(error: string): ControlReply {
  return { subtype: 'error', error };
}

export function unsupported(subtype: unknown): ControlReply {
  return {
    subtype: 'error',
    error: `Unsupported control request subtype: ${String(subtype)}`,
    error_code: 'unsupported_request',
  };
}
