/** Sessions as things to look at and to tidy up: what `heddle sessions` is made of. None of it is needed to run a prompt. */
export { decodedLines } from './codec/read.ts';
export { isInUse } from './manage/change.ts';
export { type PruneChoice, toPrune, type Weighed } from './manage/prune.ts';
export { removeSessions, sizeOfSession } from './manage/remove.ts';
export { renameSession } from './manage/rename.ts';
export { findSession, type Found } from './listing/find.ts';
export { listSessions, openSummaries } from './listing/list.ts';
export type { SessionSummary } from './listing/summary.ts';
export { matcherOf } from './search/matcher.ts';
export { type Hit, searchSessions } from './search/search.ts';
export { type CallPiece, type Piece, piecesOf, type Role } from './transcript/pieces.ts';
export { readTranscript, type Transcript, type TranscriptItem } from './transcript/read.ts';
export type { SessionPlace } from './files/paths.ts';
