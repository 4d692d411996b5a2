/** `heddle sessions delete` and `prune`: what goes is shown and asked about before it goes. */
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
import { writeMessage } from '../terminal/write-message.ts';
import { asJson } from './list.ts';
import { ownPlace, pick, notPicked } from './pick.ts';
import { oneLine } from './text/columns.ts';
import { agoText, sizeText } from './text/units.ts';
import type { SessionsCommand } from './parse-command.ts';

export async function remove({
  sessions: words,
  ...choice
}: Extract<SessionsCommand, { name: 'delete' }>): Promise<number> {
  const sessions = new Map<string, SessionSummary>();
  for (const word of words) {
    const picked = pick(word, ownPlace());
    // All or none: whoever mistyped one of them should look again.
    if (!picked.ok) return notPicked(`${picked.message}\nheddle: nothing was deleted`);
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
    for (const { id, title } of inUse) writeMessage(`kept, it is in use: ${id}  ${oneLine(title)}\n`);
  if (free.length > 0 && !dryRun) return removeAll(free, command);
  if (json) tellJson({ sessions: free, inUse, dryRun });
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
    for (const session of sessions) process.stderr.write(`${rowOf(session)}\n`);
    const asked = await agreed(`Delete ${countOf(sessions)} (${sizeText(totalOf(sessions))})? [y/N] `);
    if (asked === 'nobody to ask')
      return notPicked('nothing was deleted; say --yes where nobody can be asked');
    if (asked === 'no') return notPicked('nothing was deleted');
  }
  const removed = removeSessions(
    ownPlace().configDir,
    sessions.map(({ path }) => path),
  );
  const gone = sessions.filter(({ path }) => removed.some((one) => one.path === path && one.outcome.ok));
  for (const { outcome } of removed) if (!outcome.ok) notPicked(outcome.message);
  if (json) tellJson({ sessions: gone, dryRun: false });
  else writeMessage(`${countOf(gone)} deleted, ${sizeText(totalOf(gone))} freed\n`);
  return gone.length === sessions.length ? 0 : 1;
}

interface Removal {
  /** Those that went, or would go. */
  readonly sessions: readonly Weighed[];
  /** Those that would go, and stay because a process writes to them. */
  readonly inUse?: readonly Weighed[];
  readonly dryRun: boolean;
}

function tellJson({ sessions, inUse = [], dryRun }: Removal): void {
  const told = { dryRun, bytes: totalOf(sessions), sessions: sessions.map(asJson), inUse: inUse.map(asJson) };
  writeMessage(`${jsonText(told, 2)}\n`);
}

async function agreed(question: string): Promise<'yes' | 'no' | 'nobody to ask'> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return 'nobody to ask';
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // A terminal that is closed meanwhile has said no.
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
