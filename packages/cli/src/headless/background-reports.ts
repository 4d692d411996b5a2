/** A prompt of which no other follows: its result waits for the subagents in the background, and includes their reports. */
import type { Agent, Prompt, SdkMessage } from '@heddle/agent';

/** Subagents that still run then are ended with the program. The next run of the session reports them. */
const MAX_WAIT_MS = 10 * 60_000;

const ENDED = 'The agents in the background have ended. Read their reports, and finish your answer.';

/** Returns the lines of the prompt. Results before the last one are held back. */
export async function* submitAndWait(
  agent: Agent,
  prompt: Prompt,
  ending: AbortSignal,
): AsyncGenerator<SdkMessage> {
  const deadline = AbortSignal.any([ending, AbortSignal.timeout(MAX_WAIT_MS)]);
  let next = prompt;
  while (true) {
    let result: SdkMessage | undefined;
    for await (const line of agent.submit(next)) {
      if (line.type === 'result') result = line;
      else yield line;
    }
    const isFailed = result?.type !== 'result' || result.is_error;
    if (!isFailed && agent.hasBackgroundSubagents) await agent.untilSubagentsEnd(deadline);
    if (isFailed || deadline.aborted || !agent.hasBackgroundSubagents) {
      if (result) yield result;
      return;
    }
    next = { content: ENDED, verbatim: true };
  }
}
