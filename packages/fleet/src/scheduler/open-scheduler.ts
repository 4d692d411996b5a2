/** The scheduler of a fleet. All workers and clients of one database use the same one, so its name is stored there. */
import type { Database } from '../database.ts';
import { createQueue } from './queue.ts';
import type { Scheduler, SchedulerSetup } from './scheduler.ts';

export const SCHEDULERS = ['queue', 'dbos'] as const;
export type SchedulerName = (typeof SCHEDULERS)[number];

export async function openScheduler(database: Database, setup: SchedulerSetup): Promise<Scheduler> {
  switch (await readScheduler(database)) {
    case 'queue':
      return createQueue(database, setup);
    case 'dbos': {
      const { createDbosScheduler } = await import('./dbos.ts');
      return createDbosScheduler(database, setup);
    }
  }
}

async function readScheduler({ pool }: Database): Promise<SchedulerName> {
  const { rows } = await pool.query<{ value: string }>(
    `select value from heddle.setting where name = 'scheduler'`,
  );
  return SCHEDULERS.find((name) => name === rows[0]?.value) ?? 'queue';
}

/** Chooses the scheduler. Open turns are known to the old one only, so there must be none. */
export async function chooseScheduler(database: Database, name: SchedulerName): Promise<void> {
  if ((await readScheduler(database)) === name) return;
  const open = await database.pool.query(`select 1 from heddle.turn where state <> 'done' limit 1`);
  const workers = await database.pool.query('select 1 from heddle.worker limit 1');
  if (open.rows.length > 0 || workers.rows.length > 0)
    throw new Error('The scheduler can be changed only when no turn is open and no worker is running.');
  if (name === 'dbos') {
    const { migrateDbos } = await import('./dbos.ts');
    await migrateDbos(database);
  }
  await database.pool.query(
    `insert into heddle.setting (name, value) values ('scheduler', $1)
     on conflict (name) do update set value = $1`,
    [name],
  );
}
