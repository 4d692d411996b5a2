/** Sends an event to an HTTP hook. The response body is the hook's output. */
import { errorMessage } from '@heddle/core';
import type { HookHandler } from './definition.ts';
import type { HandlerResult } from './outcome.ts';

export interface HttpRun {
  readonly handler: Extract<HookHandler, { type: 'http' }>;
  readonly input: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
}

const MAX_BODY_CHARACTERS = 1_000_000;

/**
 * Never rejects. Status 200–299 with an object is the output; with another body it is plain text.
 * Any other status, a redirect or a network error is a failure of the hook.
 */
export async function runHttpHook(run: HttpRun): Promise<HandlerResult> {
  const { handler, input, environment, timeoutMs, signal } = run;
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const response = await run.fetch(handler.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...expandHeaders(handler, environment) },
      body: input,
      redirect: 'error',
      signal: AbortSignal.any([signal, deadline]),
    });
    const body = await response.text();
    const stdout = body.slice(0, MAX_BODY_CHARACTERS);
    if (response.ok)
      return { kind: 'exited', code: 0, stdout, stderr: '', isCut: stdout.length < body.length };
    return { kind: 'failed', failure: { kind: 'error', message: `HTTP status ${response.status}` } };
  } catch (thrown) {
    const message = errorMessage(thrown);
    if (signal.aborted) return { kind: 'failed', failure: { kind: 'aborted', message: 'It was withdrawn.' } };
    if (deadline.aborted)
      return {
        kind: 'failed',
        failure: { kind: 'timeout', message: `It gave no answer within ${timeoutMs / 1_000} s.` },
      };
    return { kind: 'failed', failure: { kind: 'unreachable', message } };
  }
}

/** `$NAME` and `${NAME}` in a header are variables only if the definition lists it. Other names become empty. */
function expandHeaders(
  { headers, allowedEnvVars }: HttpRun['handler'],
  environment: HttpRun['environment'],
): Record<string, string> {
  const expand = (text: string): string =>
    text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced: string | undefined, bare: string | undefined) => {
      const name = braced ?? bare ?? '';
      return allowedEnvVars.includes(name) ? (environment[name] ?? '') : '';
    });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, expand(value)]));
}
