/** Runs a member of a team: it claims tasks and reads its mail until the team ends, also if it waits for others in between. */
import type { Terminal } from '@heddle/core';
import type { Agent } from '../create-agent.ts';
import type { SdkMessage } from '../sdk/message.ts';
import { mailText } from './mailbox.ts';
import { hasWork, type TeamTask } from './task-list.ts';
import type { TeamSession } from './team-session.ts';
import { untilChange } from './until-change.ts';

export interface MemberRun {
  readonly team: TeamSession;
  readonly agent: Pick<Agent, 'submit' | 'messages'>;
  /** Ends the member when no task can be started any more. Otherwise it waits for new ones. */
  readonly untilDone: boolean;
  readonly signal: AbortSignal;
  readonly emit?: ((line: SdkMessage) => void) | undefined;
}

/**
 * - `done`: no task can be started.
 * - `lead_ended`: no task can be started, and the session that leads the team has ended.
 * - `team_ended`: the team was removed.
 * - `stopped`: the signal aborted.
 * - `failed`: several turns in a row failed.
 */
export type MemberEnd = 'done' | 'lead_ended' | 'team_ended' | 'stopped' | 'failed';

/** A model that cannot be reached must not take every task and hand it back. */
const MOST_FAILURES = 3;

/** Contract: the caller aborts the agent with the signal. Tasks of the member are handed back at the end. */
export async function runMember(run: MemberRun): Promise<MemberEnd> {
  const { team, agent, signal } = run;
  const { folder } = team;
  const mailbox = folder.mailbox(team.name);
  mailbox.settle(agent.messages);
  try {
    for (let failures = 0; failures < MOST_FAILURES; ) {
      if (signal.aborted) return 'stopped';
      if (!folder.exists) return 'team_ended';
      const mail = mailbox.waiting();
      const task = mail.length > 0 ? undefined : await team.claimNext();
      if (mail.length > 0 || task) {
        const prompt = task ? taskPrompt(task, folder.name) : mail.map(mailText).join('\n\n');
        const isGood = await runTurn(run, prompt);
        failures = isGood ? 0 : failures + 1;
      } else {
        const isIdle = !hasWork(folder.tasks(), (name) => folder.isMember(name));
        if (isIdle && run.untilDone) return 'done';
        if (isIdle && folder.hasLostLead) return 'lead_ended';
        await untilChange([folder.path, mailbox.path], signal);
      }
    }
    return 'failed';
  } finally {
    if (folder.exists) {
      await team.handBackAll();
      if (team.member) await folder.leave(team.member, Date.now());
    }
  }
}

/** Returns whether the turn ended with an answer. Tasks of another turn are handed back. */
async function runTurn({ team, agent, emit }: MemberRun, content: string): Promise<boolean> {
  const { folder, member } = team;
  if (member) await folder.markWorking(member, true);
  const lines = agent.submit({ content, verbatim: true });
  let next = await lines.next();
  for (; !next.done; next = await lines.next()) {
    // The prompt is stored before its first line.
    if (next.value.type === 'system') folder.mailbox(team.name).settle(agent.messages);
    emit?.(next.value);
  }
  const terminal: Terminal = next.value;
  if (folder.exists) {
    await team.handBackAll();
    if (member) await folder.markWorking(member, false);
  }
  return terminal.reason === 'completed';
}

function taskPrompt({ id, subject, description = '' }: TeamTask, team: string): string {
  return [
    `Task #${id} of the team ${team} is yours: ${subject}`,
    description,
    'Do only this task. It counts as completed when your turn ends. If you cannot do it, set its status to pending with TaskUpdate and send the reason to team-lead with SendMessage.',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
