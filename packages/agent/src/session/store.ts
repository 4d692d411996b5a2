/** The parts of a journal, for stores other than files. */
export { encodeEntry, type EntryFrame } from './codec/encode.ts';
export { decodeLine } from './codec/read-lines.ts';
export { EntryChain, type Journal, JournalError, PowerPolicy } from './journal/journal.ts';
export { SessionReader } from './open/load.ts';
export type { ChildPlace, ChildStore, Session } from './open/open.ts';
export { StoredCosts } from '../cost/stored-costs.ts';
