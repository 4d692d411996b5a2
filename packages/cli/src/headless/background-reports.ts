/**
 * A prompt of which no other follows: its result waits for the subagents in the background and for the team, and includes
 * their reports.
 */
import type { Agent, Prompt, SdkMessage } from '@heddle/agent';
import { readMilliseconds } from '@heddle/models';
import type { Started } from '../start/start-agent.ts';
import { pluralize } from '../terminal/amounts.ts';
import { warn } from '../terminal/write-message.ts';

/** Subagents that still run then are ended with the program. The next run of the session reports them. */
const MAX_WAIT_MS = 10 * 60_000;

const ENDED = 'The agents in the background have ended. Read their reports, and finish your answer.';

/** Returns the lines of the prompt. Results before the last one are held back. */
export async function* submitAndWait(
  { agent, team }: Pick<Started, 'agent' | 'team'>,
  prompt: Prompt,
  ending: AbortSignal,
): AsyncGenerator<SdkMessage> {
  const waitMs = readMilliseconds(process.env, 'HEDDLE_BACKGROUND_WAIT_MS') ?? MAX_WAIT_MS;
  const deadline = AbortSignal.any([ending, AbortSignal.timeout(waitMs)]);
  let next = prompt;
  while (true) {
    let result: SdkMessage | undefined;
    for await (const line of agent.submit(next)) {
      if (line.type === 'result') result = line;
      else yield line;
    }
    const isFailed = result?.type !== 'result' || result.is_error;
    const content = isFailed ? undefined : await nextReport(agent, team, deadline);
    if (content === undefined) {
      if (deadline.aborted && !ending.aborted) reportUnfinished(agent);
      if (result) yield result;
      return;
    }
    next = { content, verbatim: true };
  }
}

/** The time is over, and the program ends. */
function reportUnfinished({ subagents, sessionId }: Agent): void {
  const running = (subagents?.list() ?? []).filter(({ isRunning }) => isRunning);
  if (running.length === 0) return;
  const names = running.map(({ record }) => record.description).join(', ');
  const agents = pluralize(running.length, 'agent');
  warn(
    `${agents} in the background did not finish in time: ${names}. To continue: heddle --resume ${sessionId}`,
  );
}

/** Undefined: nothing is left to wait for. */
async function nextReport(
  agent: Agent,
  team: Started['team'],
  deadline: AbortSignal,
): Promise<string | undefined> {
  if (agent.hasBackgroundSubagents) await agent.untilSubagentsEnd(deadline);
  if (deadline.aborted) return undefined;
  if (agent.hasBackgroundSubagents) return ENDED;
  return (await team.untilPrompt(deadline, { keepsWaiting: false })) ? team.takePrompt() : undefined;
}
