/** The state of a background job, as its `state.json` stores it. Pure. */
import { isJsonObject, type JsonObject } from '@heddle/core';
import * as z from 'zod';

/** Identifies a process. A later process with the same number has another start time or boot. */
export const processStampSchema = z
  .object({ pid: z.number(), startTime: z.string(), boot: z.string() })
  .readonly();

const jobQuestion = z
  .object({
    /** Follows from the call and the decision about it, so an answer can never apply to another one. */
    id: z.string(),
    tool: z.string(),
    input: z.custom<JsonObject>(isJsonObject),
    reason: z.string(),
    workingDirectory: z.string().optional(),
    places: z
      .array(z.object({ path: z.string(), real: z.string() }).readonly())
      .readonly()
      .optional(),
    agentId: z.string().optional(),
    agentDescription: z.string().optional(),
    askedAt: z.number(),
  })
  .readonly();

const jobAnswer = z.object({ allow: z.boolean(), text: z.string().optional() }).readonly();

const jobOutcome = z
  .object({
    state: z.enum(['done', 'failed']),
    /** The answer of the model, or the reason of the failure. */
    text: z.string(),
    /** The process ended before the turn did. Only such a job can be resumed. */
    isInterrupted: z.boolean().optional(),
  })
  .readonly();

const jobState = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    cwd: z.string(),
    /** The beginning of the prompt. */
    title: z.string(),
    createdAt: z.number(),
    updatedAt: z.number(),
    state: z.enum(['running', 'waiting', 'done', 'failed']),
    process: processStampSchema,
    /** The open questions, oldest first. */
    questions: z.array(jobQuestion).readonly(),
    /** The result of the turn. It is stored before the process ends, so a kill after the turn loses nothing. */
    outcome: jobOutcome.optional(),
  })
  .readonly();

/** The command line of a job. It is written once, and a continued job uses it again. */
const jobRequest = z.object({ argv: z.array(z.string()).readonly() }).readonly();

export type ProcessStamp = z.infer<typeof processStampSchema>;
export type JobQuestion = z.infer<typeof jobQuestion>;
export type JobAnswer = z.infer<typeof jobAnswer>;
export type JobOutcome = z.infer<typeof jobOutcome>;
export type JobState = z.infer<typeof jobState>;
export type JobRequest = z.infer<typeof jobRequest>;

/** The question that the user saw last. Null if several were shown. */
const shownQuestion = z.object({ question: z.string().nullable() }).readonly();

export const JOB_SCHEMAS = {
  state: jobState,
  request: jobRequest,
  answer: jobAnswer,
  shown: shownQuestion,
} as const;

const TITLE_LENGTH = 200;

export function newJobState(
  begin: Pick<JobState, 'id' | 'sessionId' | 'cwd' | 'process'> & { readonly prompt: string },
  now: number,
): JobState {
  const { prompt, ...rest } = begin;
  const title = prompt.slice(0, TITLE_LENGTH);
  return { ...rest, title, createdAt: now, updatedAt: now, state: 'running', questions: [] };
}

export function isJobEnded({ state }: JobState): boolean {
  return state === 'done' || state === 'failed';
}

/** Returns the state as a reader should see it: a job without its process has ended, whatever the file contains. */
export function observedState(stored: JobState, isAlive: (process: ProcessStamp) => boolean): JobState {
  if (isJobEnded(stored) || isAlive(stored.process)) return stored;
  const outcome = stored.outcome ?? { state: 'failed' as const, text: 'interrupted', isInterrupted: true };
  return { ...stored, state: outcome.state, questions: [], outcome };
}

/** Adds a question or removes it. The job waits while one is open. */
export function withQuestions(state: JobState, questions: readonly JobQuestion[]): JobState {
  return { ...state, questions, state: questions.length > 0 ? 'waiting' : 'running' };
}

export function endedJob(state: JobState, outcome: JobOutcome): JobState {
  return { ...state, questions: [], state: outcome.state, outcome };
}
