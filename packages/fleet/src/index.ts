/** Sessions on many machines: the log in PostgreSQL, workers that take over from each other, and a client. */
export {
  type FileLine,
  Fleet,
  type Seen,
  type SubmitChoice,
  type TenantLimits,
  type TurnState,
} from './client.ts';
export { openDatabase } from './database.ts';
export type { FleetHealth, SessionRow } from './overview.ts';
export { findPrograms, startEmbedded, type EmbeddedServer } from './postgres/embedded.ts';
export { type OpenQuestion, questionId } from './questions.ts';
export { type SchedulerName, SCHEDULERS } from './scheduler/open-scheduler.ts';
export { migrate } from './schema.ts';
export { type Right, RIGHTS, type TokenRow } from './tokens.ts';
export { resultText } from './turns.ts';
export { startWorker, type Worker, type WorkerAgent, type WorkerSetup, type WorkerTurn } from './worker.ts';
