/** The commands of `heddle fleet` about the fleet itself: tenants, tokens, workers, retention. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fleet, type Right, RIGHTS, SCHEDULERS } from '@heddle/fleet';
import { durationOf } from '../sessions/text/units.ts';
import { type ClientChoice, type ClientCommands, DEFAULT_TENANT, type Report } from './client-command.ts';

/** By name. A command returns its last report. */
export const ADMIN_COMMANDS: ClientCommands = {
  tenant: { words: 'NAME', run: tenant },
  token: { words: 'LABEL', run: createToken },
  tokens: { words: '', run: listTokens },
  revoke: { words: 'TOKEN', run: revokeToken },
  drain: { words: '', run: drain },
  migrate: { words: '', run: migrate },
  doctor: { words: '', run: doctor },
  prune: { words: '', run: prune },
};

async function tenant(fleet: Fleet, [name = '']: readonly string[], choice: ClientChoice): Promise<Report> {
  const { maxRunning, perMinute: startsPerMinute, budgetUsd } = choice;
  const limits = { maxRunning, startsPerMinute, budgetUsd };
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  await fleet.tenant(name, given);
  return { value: { tenant: name, ...given }, text: `${name}: ${JSON.stringify(given)}` };
}

/** The token is printed once. The database has only its hash. */
async function createToken(
  fleet: Fleet,
  [label = '']: readonly string[],
  choice: ClientChoice,
): Promise<Report> {
  const { tenant: owner = DEFAULT_TENANT, expires } = choice;
  const rights = rightsOf(choice.rights ?? '');
  const ms = expires === undefined ? undefined : durationOf(expires);
  if (expires !== undefined && ms === undefined) throw new Error('--expires takes a duration, such as 90d.');
  await fleet.tenant(owner);
  const until = ms === undefined ? undefined : new Date(Date.now() + ms);
  const { id, token } = await fleet.tokens.create({ tenant: owner, rights, label, expires: until });
  return { value: { id, token, tenant: owner, rights, label, expires: until ?? null }, text: token };
}

function rightsOf(text: string): Right[] {
  const named = text.split(',').map((word) => word.trim());
  const rights = RIGHTS.filter((right) => named.includes(right));
  if (rights.length === 0 || rights.length !== named.length)
    throw new Error(`A token needs --rights with some of ${RIGHTS.join(',')}.`);
  return rights;
}

async function listTokens(fleet: Fleet, _words: readonly string[], choice: ClientChoice): Promise<Report> {
  const rows = await fleet.tokens.list(choice.tenant);
  const lines = rows.map(({ id, tenant: owner, rights, label, expires, revoked }) => {
    const end = revoked ? '  revoked' : expires ? `  until ${expires.toISOString()}` : '';
    return `${id}  ${owner}  ${rights.join(',')}  ${label}${end}`;
  });
  return { value: rows, text: lines.join('\n') || 'There are no tokens.' };
}

async function revokeToken(fleet: Fleet, [id = '']: readonly string[]): Promise<Report> {
  const isRevoked = await fleet.tokens.revoke(id);
  const text = isRevoked ? `${id}: revoked` : `${id}: there is no such valid token`;
  return { value: { token: id, revoked: isRevoked }, text, code: isRevoked ? 0 : 1 };
}

/** A worker that hangs does not answer. Others take its turns over. */
const DRAIN_GRACE_MS = 60_000;
const DRAIN_LOOK_MS = 100;

/** Asks workers to stop, and waits until they have. Their turns end, or return to the queue. */
async function drain(fleet: Fleet, _words: readonly string[], choice: ClientChoice): Promise<Report> {
  const waitMs = choice.waitSeconds * 1_000;
  const asked = await fleet.drain(waitMs, choice.worker);
  const until = Date.now() + waitMs + DRAIN_GRACE_MS;
  let left: readonly number[] = asked;
  while (left.length > 0 && Date.now() < until) {
    await sleep(DRAIN_LOOK_MS);
    const present = new Set((await fleet.health()).workers.map(({ id }) => id));
    left = left.filter((id) => present.has(id));
  }
  const stopped = asked.length - left.length;
  const text = left.length === 0 ? `${stopped} workers stopped` : `workers ${left.join(', ')} do not answer`;
  return { value: { asked, left }, text, code: left.length === 0 ? 0 : 1 };
}

/** The connection has brought the tables up to date. */
async function migrate(
  fleet: Fleet,
  _words: readonly string[],
  { scheduler }: ClientChoice,
): Promise<Report> {
  const name = SCHEDULERS.find((known) => known === scheduler);
  if (scheduler !== undefined && name === undefined)
    throw new Error(`--scheduler takes ${SCHEDULERS.join(' or ')}.`);
  if (name !== undefined) await fleet.chooseScheduler(name);
  return { value: { ok: true, scheduler: name }, text: 'The tables are up to date.' };
}

async function doctor(fleet: Fleet): Promise<Report> {
  const health = await fleet.health();
  const workers = health.workers.map(
    ({ id, host, pid, running, idleSeconds }) =>
      `worker ${id} on ${host} (process ${pid}): ${running} turns, heartbeat ${idleSeconds.toFixed(0)} s ago`,
  );
  const turns = Object.entries(health.turns).map(([state, n]) => `${n} turns are ${state}`);
  const unreadable = health.unreadable.map((session) => `${session} was written by a newer version`);
  const text = [...(workers.length > 0 ? workers : ['No worker is running.']), ...turns, ...unreadable].join(
    '\n',
  );
  return { value: health, text, code: workers.length > 0 ? 0 : 1 };
}

async function prune(fleet: Fleet, _words: readonly string[], { olderThan }: ClientChoice): Promise<Report> {
  const ms = olderThan === undefined ? undefined : durationOf(olderThan);
  if (ms === undefined) throw new Error('prune needs --older-than with a duration, such as 30d.');
  const removed = await fleet.prune(new Date(Date.now() - ms));
  return { value: { removed }, text: `${removed} sessions removed` };
}
