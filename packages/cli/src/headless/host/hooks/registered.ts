/** The hooks that a host registered with `initialize`, as hook definitions. */
import {
  createHookMatcher,
  handlerTimeoutMs,
  type HandlerResult,
  type HookDefinition,
  isHookEvent,
} from '@heddle/agent/hooks';
import { lineIn, textIn } from '../json.ts';
import type { HostReply } from '../requests.ts';

interface HooksRead {
  readonly hooks: readonly HookDefinition[];
  /** Registered for events that do not exist. */
  readonly unknown: readonly string[];
}

export function readHostHooks(value: unknown): HooksRead {
  const hooks: HookDefinition[] = [];
  const unknown: string[] = [];
  for (const [event, matchers] of Object.entries(lineIn(value) ?? {})) {
    if (listIn(matchers).length === 0) continue;
    if (!isHookEvent(event)) {
      unknown.push(event);
      continue;
    }
    for (const given of listIn(matchers)) {
      const fields = lineIn(given) ?? {};
      const matcher = textIn(fields['matcher']) ?? '';
      const callbacks = listIn(fields['hookCallbackIds']).filter((id) => typeof id === 'string');
      for (const callbackId of callbacks)
        hooks.push({
          event,
          matcher,
          matches: createHookMatcher(matcher).matches,
          handler: { type: 'callback', callbackId },
          timeoutMs: handlerTimeoutMs(event, 'callback', fields['timeout']),
          failsClosed: fields['onFailure'] === 'block',
          source: 'the host',
        });
    }
  }
  return { hooks, unknown };
}

/** The reply of a host to a callback as the result of a handler. */
export function callbackResult(reply: HostReply): HandlerResult {
  if (reply.ok) return { kind: 'returned', output: reply.response };
  return { kind: 'failed', failure: { kind: FAILURES[reply.why], message: reply.message } };
}

const FAILURES = { error: 'error', late: 'timeout', withdrawn: 'aborted', gone: 'unreachable' } as const;

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
