/** `heddle team member`: runs members of a team in this process. Each has its own session, which a restarted member continues. */
import { runMember, type TeamFolder, type TeamMember } from '@heddle/agent/teams';
import { randomUUID } from 'node:crypto';
import { type PrintCommand, readArguments } from '../arguments/arguments.ts';
import { sessionPlace } from '../config-dir.ts';
import { meantSession } from '../sessions/pick.ts';
import { agentOptions } from '../start/agent-options.ts';
import { closeInOrder } from '../start/close-in-order.ts';
import { startAgent } from '../start/start-agent.ts';
import { fail, misuse, writeMessage } from '../terminal/write-message.ts';

interface MemberChoice {
  /** Flags of `heddle -p`, such as `--model` and `--allowed-tools`. */
  readonly flags: readonly string[];
  readonly untilDone: boolean;
}

export async function runMembers(
  folder: TeamFolder,
  names: readonly string[],
  { flags, untilDone }: MemberChoice,
): Promise<number> {
  const command = readMemberFlags(flags);
  if (typeof command === 'string') return misuse(command);
  if (names.length === 0) return misuse('usage: heddle team member TEAM MEMBER… [-- FLAGS]');
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  const codes = await Promise.all(
    names.map((name) => runOne(folder, name, { command, untilDone, signal: stop.signal })),
  );
  return Math.max(...codes);
}

function readMemberFlags(flags: readonly string[]): PrintCommand | string {
  const parsed = readArguments(['-p', ...flags]);
  if (!parsed.ok) return parsed.message;
  const { command } = parsed;
  if (command.name !== 'print' || command.prompt !== undefined)
    return 'after -- a member takes flags only, such as --model and --allowed-tools';
  return command;
}

interface OneMember {
  readonly command: PrintCommand;
  readonly untilDone: boolean;
  readonly signal: AbortSignal;
}

async function runOne(
  folder: TeamFolder,
  name: string,
  { command, untilDone, signal }: OneMember,
): Promise<number> {
  const earlier = folder.sessionOf(name);
  const isStored =
    earlier !== undefined && meantSession(earlier, sessionPlace(process.env, process.cwd())).ok;
  const id = isStored ? earlier : randomUUID();
  const member = await folder.join(name, id, Date.now());
  if (!member) return fail(`${name}: the name is not allowed, or the member is running`);
  try {
    return await work({ folder, member }, isStored, { command, untilDone, signal });
  } finally {
    await folder.leave(member, Date.now());
  }
}

async function work(
  place: { readonly folder: TeamFolder; readonly member: TeamMember },
  isStored: boolean,
  { command, untilDone, signal }: OneMember,
): Promise<number> {
  const { name, sessionId } = place.member;
  const from = isStored ? ({ kind: 'resume', id: sessionId } as const) : command.session.from;
  const choice = { ...command.session, from, id: isStored ? undefined : sessionId };
  const options = await agentOptions(command);
  if (!options.ok) return misuse(options.message);
  const starting = await startAgent(options.command, options.options, { choice, team: place });
  if (!starting.ok) return fail(starting.message);
  const { agent, team, close } = starting.started;
  const onAbort = (): void => agent.abort('cancel');
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (!team.session) return fail(`The team ${place.folder.name} was removed.`);
    const end = await runMember({ team: team.session, agent, untilDone, signal });
    writeMessage(`${name}: ${end}\n`);
    return end === 'failed' ? 1 : 0;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await closeInOrder([close, () => options.options.mcp?.close()]);
  }
}
