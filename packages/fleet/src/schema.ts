/** The tables of a fleet, in the schema `heddle`. Each migration runs once, in order. */
import { inTransaction, type Database } from './database.ts';

/** The version of the log lines. A worker runs only turns whose lines it can read. */
export const LOG_VERSION = 1;

const MIGRATIONS: readonly string[] = [
  `
  create table heddle.tenant (
    id text primary key,
    max_running int not null default 20,
    starts_per_minute int,
    budget_usd double precision,
    spent_usd double precision not null default 0
  );
  create table heddle.session (
    id text primary key,
    tenant text not null references heddle.tenant,
    -- Names of a profile and a workspace, never secrets.
    options json not null default '{}',
    next_turn int not null default 1,
    spent_usd double precision not null default 0,
    created timestamptz not null default now()
  );
  create table heddle.turn (
    session text not null references heddle.session on delete cascade,
    n int not null,
    tenant text not null references heddle.tenant,
    key text not null,
    -- json, not jsonb: jsonb rejects texts with a zero character or half of a surrogate pair.
    prompt json not null,
    message_uuid uuid not null,
    state text not null check (state in ('waiting', 'queued', 'running', 'parked', 'done')),
    part int not null default 1,
    cancel boolean not null default false,
    by text,
    worker int,
    log_version int not null,
    takeovers int not null default 0,
    idle_takeovers int not null default 0,
    last_seq int not null default 0,
    created timestamptz not null default now(),
    queued timestamptz,
    started timestamptz,
    ended timestamptz,
    result json,
    primary key (session, n),
    unique (session, key)
  );
  create index turn_open on heddle.turn (state, tenant, queued) where state in ('queued', 'running');
  create index turn_started on heddle.turn (tenant, started);
  create table heddle.entry (
    session text not null references heddle.session on delete cascade,
    seq int not null,
    turn int not null,
    kind text not null,
    line text not null,
    primary key (session, seq)
  );
  create index entry_start on heddle.entry (session, seq) where kind in ('boundary', 'session');
  create table heddle.question (
    session text not null,
    turn int not null,
    tool_use_id text not null,
    digest text not null,
    question json not null,
    answer json,
    answered_by text,
    asked timestamptz not null default now(),
    answered timestamptz,
    primary key (session, turn, tool_use_id, digest),
    foreign key (session, turn) references heddle.turn on delete cascade
  );
  create table heddle.worker (
    id int generated always as identity primary key,
    host text not null,
    pid int not null,
    started timestamptz not null default now(),
    heartbeat timestamptz not null default now()
  );
  `,
  `
  -- Tokens of the gateway. Only the hash of a secret is stored.
  create table heddle.token (
    id text primary key,
    tenant text not null references heddle.tenant,
    rights text[] not null,
    label text not null,
    hash bytea not null,
    created timestamptz not null default now(),
    expires timestamptz,
    revoked timestamptz
  );
  create index session_tenant on heddle.session (tenant, created);
  -- A worker that is asked to end waits this long for its turns.
  alter table heddle.worker add column drain_ms int;
  create table heddle.setting (name text primary key, value text not null);
  -- The last workflow of the turn, if DBOS is the scheduler.
  alter table heddle.turn add column workflow text;
  `,
  `
  -- The newest snapshot of the files of a session. The pack contains the objects that the commit \`base\` does not have.
  create table heddle.snapshot (
    session text primary key references heddle.session on delete cascade,
    seq int not null,
    base text not null,
    tip text not null,
    pack bytea not null,
    created timestamptz not null default now()
  );
  `,
  `
  -- The subagent that a line belongs to. Null: the line belongs to the session itself.
  alter table heddle.entry add column agent text;
  create index entry_agent on heddle.entry (session, agent, seq) where agent is not null;
  `,
  `
  -- The wait that received the answer. An answer applies once, also if the model repeats a call with its id.
  alter table heddle.question add column taken_by text;
  `,
  `
  -- The call that a question is about, and the decision. If the call is decided otherwise later, a new question replaces the open one.
  alter table heddle.question add column call text, add column basis text;
  `,
];

/** Any constant: workers that start at the same time migrate one after another. */
const MIGRATION_LOCK = 4_207_001;

/** Brings the tables up to date. Returns the number of migrations that ran. */
export async function migrate(database: Database): Promise<number> {
  return inTransaction(database, async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await tx.query('create schema if not exists heddle');
    await tx.query(
      'create table if not exists heddle.migration (n int primary key, at timestamptz default now())',
    );
    const { rows } = await tx.query<{ n: number }>(
      'select coalesce(max(n), 0)::int as n from heddle.migration',
    );
    const done = rows[0]?.n ?? 0;
    for (const [at, statements] of MIGRATIONS.entries()) {
      if (at < done) continue;
      await tx.query(statements);
      await tx.query('insert into heddle.migration (n) values ($1)', [at + 1]);
    }
    return MIGRATIONS.length - done;
  });
}
