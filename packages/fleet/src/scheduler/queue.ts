/** A queue in PostgreSQL: the default scheduler. It needs no package, and notifications wake its workers. */
import { type Database, inTransaction, listen, notify, type TurnId } from '../database.ts';
import { LOG_VERSION } from '../schema.ts';
import { listOpenTurns, returnTurns, type Scheduler, type SchedulerSetup } from './scheduler.ts';

/** A lost notification delays a turn by this time at most. */
const POLL_MS = 500;
const SWEEP_MS = 5_000;
/** Claims run one after another, so that limits hold exactly. */
export const CLAIM_LOCK = 4_207_002;

/** A queue in PostgreSQL. The tenant with the fewest running turns comes first, then the oldest turn. */
export function createQueue(database: Database, { worker, concurrency }: SchedulerSetup): Scheduler {
  return {
    async enqueue(tx, { session, n }) {
      await tx.query(
        `update heddle.turn set state = 'queued', queued = now(), worker = null where session = $1 and n = $2`,
        [session, n],
      );
      await notify(tx, 'heddle_queue');
    },
    async run(handler) {
      const running = new Set<string>();
      let missing = new Set<string>();
      let isOver = false;
      let taking: Promise<void> | undefined;
      const take = (): Promise<void> => (taking ??= claimNext().finally(() => (taking = undefined)));
      const claimNext = async (): Promise<void> => {
        try {
          while (running.size < concurrency) {
            const turn = isOver ? undefined : await claim(database, worker);
            if (!turn) break;
            const key = keyOf(turn);
            running.add(key);
            void handler(turn).finally(() => {
              running.delete(key);
              void take();
            });
          }
        } catch {
          // The database is away. The next poll tries again.
        }
      };
      /** A claim whose reply was lost is stored, and its turn does not run. Seen twice, it returns to the queue. */
      const sweep = async (): Promise<void> => {
        const { rows } = await database.pool.query<TurnId>(
          `select session, n from heddle.turn where worker = $1 and state = 'running'`,
          [worker],
        );
        const lost = rows.filter((turn) => !running.has(keyOf(turn)));
        for (const turn of lost)
          if (missing.has(keyOf(turn)) && !isOver) await requeueLost(database, turn, worker);
        missing = new Set(lost.map(keyOf));
      };
      const listener = await listen(database.url, ['heddle_queue'], () => void take());
      const timer = setInterval(() => void take(), POLL_MS);
      const sweeper = setInterval(() => void sweep().catch(() => undefined), SWEEP_MS);
      void take();
      return {
        async stop() {
          isOver = true;
          clearInterval(timer);
          clearInterval(sweeper);
          await listener.end();
          // A claim under way would take a turn that is handed back meanwhile.
          await taking;
        },
        end: async () => undefined,
      };
    },
    async giveBack(tx, dead) {
      const turns = await returnTurns(tx, dead);
      await notify(tx, 'heddle_queue');
      return turns.length;
    },
    list: () => listOpenTurns(database),
    close: async () => undefined,
  };
}

function keyOf({ session, n }: TurnId): string {
  return `${session}:${n}`;
}

async function requeueLost({ pool }: Database, { session, n }: TurnId, worker: number): Promise<void> {
  await pool.query(
    `update heddle.turn set state = 'queued', worker = null
     where session = $1 and n = $2 and worker = $3 and state = 'running'`,
    [session, n, worker],
  );
  await notify(pool, 'heddle_queue');
}

/** Takes the next turn, within the limits of its tenant. */
function claim(database: Database, worker: number): Promise<TurnId | undefined> {
  return inTransaction(database, async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [CLAIM_LOCK]);
    const { rows } = await tx.query<TurnId>(
      `with running as (select tenant, count(*) as n from heddle.turn where state = 'running' group by tenant),
       next as (
         select t.session, t.n from heddle.turn t
         join heddle.tenant on tenant.id = t.tenant
         left join running on running.tenant = t.tenant
         where t.state = 'queued' and t.log_version <= $2
           and coalesce(running.n, 0) < tenant.max_running
           and (tenant.starts_per_minute is null or t.started is not null or tenant.starts_per_minute > (
             select count(*) from heddle.turn s where s.tenant = t.tenant and s.started > now() - interval '1 minute'))
         order by coalesce(running.n, 0), t.queued limit 1)
       update heddle.turn t set state = 'running', worker = $1, started = coalesce(started, now())
       from next where t.session = next.session and t.n = next.n
       returning t.session, t.n`,
      [worker, LOG_VERSION],
    );
    return rows[0];
  });
}
