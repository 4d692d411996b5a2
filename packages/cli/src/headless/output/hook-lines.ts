/** The starts, outputs and ends of hooks as lines for a host. */
import { newUuid } from '@heddle/agent';
import type { SdkMessage } from '@heddle/agent';
import type { HandlerResult, HookEventName, HookProgress } from '@heddle/agent/hooks';

interface HookLinesSetup {
  readonly sessionId: string;
  /** `--include-hook-events`: all events. Otherwise only those of the start. */
  readonly all: boolean;
  readonly write: (line: SdkMessage) => unknown;
}

/** Clients always hear about these events. */
const ALWAYS_REPORTED: ReadonlySet<HookEventName> = new Set(['SessionStart', 'Setup']);
/** A hook that floods must not flood the host. */
const MAX_PROGRESS_LINES = 50;

/** Returns a listener that writes the lines. Callbacks of the host itself are left out. */
export function hookLines({ sessionId, all, write }: HookLinesSetup): (progress: HookProgress) => void {
  const outputs = new Map<number, number>();
  return (progress) => {
    const { id, hook, subject } = progress;
    if (hook.handler.type === 'callback' || !(all || ALWAYS_REPORTED.has(hook.event))) return;
    const about = {
      type: 'system',
      uuid: newUuid(),
      session_id: sessionId,
      hook_id: String(id),
      hook_name: subject === '' ? hook.event : `${hook.event}:${subject}`,
      hook_event: hook.event,
    } as const;
    switch (progress.type) {
      case 'hook_started':
        return void write({ ...about, subtype: 'hook_started' });
      case 'hook_output': {
        const count = (outputs.get(id) ?? 0) + 1;
        outputs.set(id, count);
        if (count > MAX_PROGRESS_LINES) return;
        const { text } = progress;
        return void write({ ...about, subtype: 'hook_progress', stdout: text, stderr: '', output: text });
      }
      case 'hook_finished':
        outputs.delete(id);
        return void write({ ...about, subtype: 'hook_response', ...responseOf(progress.result) });
    }
  };
}

function responseOf(result: HandlerResult) {
  switch (result.kind) {
    case 'exited': {
      const { code, stdout, stderr } = result;
      const outcome = code === 0 ? 'success' : 'error';
      return { output: stdout + stderr, stdout, stderr, exit_code: code, outcome } as const;
    }
    case 'returned': {
      const output = JSON.stringify(result.output);
      return { output, stdout: output, stderr: '', outcome: 'success' } as const;
    }
    case 'detached':
      return { output: '', stdout: '', stderr: '', outcome: 'success' } as const;
    case 'failed': {
      const { kind, message } = result.failure;
      const outcome = kind === 'aborted' ? 'cancelled' : 'error';
      return { output: message, stdout: '', stderr: message, outcome } as const;
    }
  }
}
