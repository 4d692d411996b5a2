/** Sessions on many machines: the log in PostgreSQL, workers that take over from each other, and a client. */
export {
  Fleet,
  type FleetHealth,
  type SessionRow,
  type Seen,
  type SubmitChoice,
  type TenantLimits,
  type TurnState,
} from './client.ts';
export { openDatabase } from './database.ts';
export { findPrograms, startEmbedded, type EmbeddedServer } from './postgres/embedded.ts';
export type { OpenQuestion } from './questions.ts';
export { migrate } from './schema.ts';
export { resultText } from './turns.ts';
export { startWorker, type Worker, type WorkerAgent, type WorkerSetup, type WorkerTurn } from './worker.ts';
