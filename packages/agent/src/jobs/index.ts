/** Background jobs: their state, their folders, and the questions that wait there. */
export * from './job-folder.ts';
export {
  endedJob,
  isJobEnded,
  type JobAnswer,
  type JobOutcome,
  type JobQuestion,
  type JobRequest,
  type JobState,
  newJobState,
  withQuestions,
} from './job-state.ts';
