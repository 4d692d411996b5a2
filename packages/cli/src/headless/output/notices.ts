/** What somebody who reads only the answer should know besides: why it takes so long, and what was not done. */
import type { PermissionDenial, SdkMessage } from '@heddle/agent';
import { counted } from '../../plain/render/amounts.ts';
import { callLine } from '../../plain/render/call.ts';

/** A shorter wait before another attempt is not worth a line. */
const NOTICED_MS = 2_000;
/** So many denied calls are named. */
const MOST = 3;

/** The words that clients know, in those of the person who waits. */
const TROUBLES: Readonly<Record<string, string>> = {
  rate_limit: 'rate limit reached',
  overloaded: 'the model is overloaded',
  server_error: 'the server failed',
};

export function noticeOf(line: SdkMessage, cwd: string): string | undefined {
  if (line.type === 'result') return deniedNotice(line.permission_denials, cwd);
  if (line.type !== 'system' || line.subtype !== 'api_retry' || line.retry_delay_ms < NOTICED_MS)
    return undefined;
  const seconds = Math.round(line.retry_delay_ms / 1_000);
  return `${TROUBLES[line.error] ?? 'no connection'}, trying again in ${seconds} s (${line.attempt} of ${line.max_retries})`;
}

function deniedNotice(denials: readonly PermissionDenial[], cwd: string): string | undefined {
  const calls = [
    ...new Set(denials.map(({ tool_name, tool_input }) => callLine(tool_name, tool_input, cwd))),
  ];
  if (calls.length === 0) return undefined;
  const more = calls.length > MOST ? [`${calls.length - MOST} more`] : [];
  const named = [...calls.slice(0, MOST), ...more].join('; ');
  return `${counted(calls.length, 'call was', 'calls were')} not allowed: ${named}. What may run: heddle permissions, or --allowed-tools`;
}
