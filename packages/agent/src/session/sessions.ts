/** Functions to view and manage sessions, for `heddle sessions`. Running a prompt needs none of them. */
export { decodedLines } from './codec/read-lines.ts';
export { type Decoded, decodeEntry } from './codec/decode.ts';
export { createBlobs } from './files/blobs.ts';
export { LineFile } from './files/lines.ts';
export { blobsBeside, folderBeside, sessionFilesOf } from './files/session-files.ts';
export { isInUse } from './manage/rename.ts';
export { type PruneChoice, toPrune, type Weighed } from './manage/remove.ts';
export { removeSessions, sizeOfSession } from './manage/remove.ts';
export { renameSession } from './manage/rename.ts';
export { findSession, findSessionFile, type FoundSession as Found } from './listing/list.ts';
export { listSessions, openSummaries } from './listing/list.ts';
export type { SessionSummary } from './listing/summary.ts';
export { textMatcherOf } from './search/matcher.ts';
export { type SessionHit as Hit, searchSessions } from './search/search.ts';
export {
  type TranscriptCall as CallPiece,
  type TranscriptPart as Piece,
  transcriptPartsOf,
  type Role,
} from './transcript/transcript.ts';
export { readTranscript, type Transcript, type TranscriptItem } from './transcript/transcript.ts';
export { childFile, childIdsBeside, childRecordFile, type SessionPlace } from './files/paths.ts';
export {
  findForeignSessions,
  FOREIGN_AGENTS,
  type ForeignAgent,
  type ForeignSession,
  readForeignSession,
} from './import/find.ts';
export { importedId, importSession } from './import/import-session.ts';
export {
  describeDecision,
  describeEvent,
  describeGuard,
  describeGuards,
  describeRecordedDecision,
  describeState,
  pluralizeCount,
} from './replay/describe.ts';
export {
  findSettings,
  hasDiverged,
  type ReplayedLog,
  replayLog,
  sessionName,
  type TracedRun,
} from './replay/replayed.ts';
