/** `heddle sessions delete` and `prune`: list the sessions and ask before they delete them. */
import { createInterface } from 'node:readline/promises';
import {
  isInUse,
  listSessions,
  removeSessions,
  type SessionSummary,
  sizeOfSession,
  toPrune,
  type Weighed,
} from '@heddle/agent/sessions';
import { jsonText } from '../terminal/escape-controls.ts';
import { fail, warn, writeMessage, writeToStandardError } from '../terminal/write-message.ts';
import { asJson } from './list.ts';
import { ownPlace, pick } from './pick.ts';
import { oneLine } from '../terminal/width.ts';
import { agoText, sizeText } from './text/units.ts';
import type { SessionsCommand } from './parse-command.ts';

export async function remove({
  sessions: words,
  ...choice
}: Extract<SessionsCommand, { name: 'delete' }>): Promise<number> {
  const sessions = new Map<string, SessionSummary>();
  for (const word of words) {
    const picked = pick(word, ownPlace());
    // Deletes all or none, so that the user can correct a mistyped id first.
    if (!picked.ok) return fail(`${picked.message}\nheddle: Nothing was deleted.`);
    sessions.set(picked.session.path, picked.session);
  }
  return removeAll([...sessions.values()].map(weighed), choice);
}

export async function prune(command: Extract<SessionsCommand, { name: 'prune' }>): Promise<number> {
  const { configDir, cwd } = ownPlace();
  const sessions = listSessions({ configDir, cwd: command.all ? undefined : cwd }).map(weighed);
  const going = toPrune(sessions, command, Date.now());
  const inUse = going.filter(({ path }) => isInUse(path));
  const free = going.filter((session) => !inUse.includes(session));
  const { dryRun, json } = command;
  if (!json)
    for (const { id, title } of inUse) writeMessage(`kept, because it is in use: ${id}  ${oneLine(title)}\n`);
  if (free.length > 0 && !dryRun) return removeAll(free, command);
  if (json) printJson({ sessions: free, inUse, dryRun });
  else if (free.length === 0) writeMessage('There is nothing to prune.\n');
  else {
    for (const session of free) writeMessage(`${rowOf(session)}\n`);
    writeMessage(`${countOf(free)} would be deleted, ${sizeText(totalOf(free))}\n`);
  }
  return 0;
}

async function removeAll(
  sessions: readonly Weighed[],
  { yes, json }: { readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  if (!yes) {
    for (const session of sessions) writeToStandardError(`${rowOf(session)}\n`);
    const asked = await confirm(`Delete ${countOf(sessions)} (${sizeText(totalOf(sessions))})? [y/N] `);
    if (asked === 'not a terminal')
      return fail('Nothing was deleted. To delete without a question, use --yes.');
    if (asked === 'no') return fail('Nothing was deleted.');
  }
  const removed = removeSessions(
    ownPlace().configDir,
    sessions.map(({ path }) => path),
  );
  const gone = sessions.filter(({ path }) => removed.some((one) => one.path === path && one.outcome.ok));
  for (const { outcome } of removed) if (!outcome.ok) warn(outcome.message);
  if (json) printJson({ sessions: gone, dryRun: false });
  else writeMessage(`${countOf(gone)} deleted, ${sizeText(totalOf(gone))} freed\n`);
  return gone.length === sessions.length ? 0 : 1;
}

interface Removal {
  /** The sessions that were deleted, or would be. */
  readonly sessions: readonly Weighed[];
  /** The sessions that are kept because a process writes to them. */
  readonly inUse?: readonly Weighed[];
  readonly dryRun: boolean;
}

function printJson({ sessions, inUse = [], dryRun }: Removal): void {
  const removal = {
    dryRun,
    bytes: totalOf(sessions),
    sessions: sessions.map(asJson),
    inUse: inUse.map(asJson),
  };
  writeMessage(`${jsonText(removal, 2)}\n`);
}

async function confirm(question: string): Promise<'yes' | 'no' | 'not a terminal'> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return 'not a terminal';
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Closing the terminal means no.
    const closed = new Promise<string>((resolve) => {
      asking.once('close', () => resolve(''));
    });
    const answer = await Promise.race([asking.question(question), closed]);
    return /^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no';
  } finally {
    asking.close();
  }
}

function weighed(session: SessionSummary): Weighed {
  return { ...session, totalBytes: sizeOfSession(ownPlace().configDir, session.path) };
}

function rowOf({ id, title, lastAt, totalBytes }: Weighed): string {
  return `${id}  ${agoText(lastAt, Date.now())}  ${sizeText(totalBytes)}  ${oneLine(title)}`;
}

function countOf(sessions: readonly Weighed[]): string {
  return sessions.length === 1 ? '1 session' : `${sessions.length} sessions`;
}

function totalOf(sessions: readonly Weighed[]): number {
  return sessions.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
}
