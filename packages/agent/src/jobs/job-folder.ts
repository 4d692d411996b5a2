/**
 * The folder of a job: `request.json`, `state.json`, `shown.json`, `log`, and a file for each question and answer. Only the user can
 * read it.
 * Every file is replaced as a whole. The process of the job holds the lock of the folder and is the only writer of the state.
 */
import { createHash } from 'node:crypto';
import { linkSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode, omitUndefined } from '@heddle/core';
import { bootId, startTimeOf } from '@heddle/tools';
import type { PermissionQuestion } from '../permission/question.ts';
import { makeFolder, takeLock } from '../session/files/lock.ts';
import { readJson, writeJson } from '../settings/json-file.ts';
import {
  JOB_SCHEMAS,
  type JobAnswer,
  type JobQuestion,
  type JobRequest,
  type JobState,
  observedState,
  type ProcessStamp,
} from './job-state.ts';
import { newUuid } from '../session/uuid.ts';

const PRIVATE_FILE = 0o600;
const JOB_ID = /^[0-9a-f]{8}$/;

export class JobFolder {
  readonly id: string;
  readonly path: string;

  constructor(jobs: string, id: string) {
    this.id = id;
    this.path = path.join(jobs, id);
  }

  get log(): string {
    return path.join(this.path, 'log');
  }

  /** Throws if the folder cannot be written. */
  create(request: JobRequest, state: JobState): void {
    makeFolder(this.path);
    writeJson(this.#file('request'), request, PRIVATE_FILE);
    this.write(state);
  }

  request(): JobRequest | undefined {
    return readJson(this.#file('request'), JOB_SCHEMAS.request);
  }

  /** Returns the stored state. See `observedState`. */
  stored(): JobState | undefined {
    return readJson(this.#file('state'), JOB_SCHEMAS.state);
  }

  /** Returns undefined if there is no such job, or if its state cannot be read. */
  state(): JobState | undefined {
    const stored = this.stored();
    if (!stored || isAlive(stored.process)) return stored;
    // It may have written its end just before it ended, after the first look.
    const last = this.stored();
    return last && observedState(last, isAlive);
  }

  write(state: JobState): void {
    writeJson(this.#file('state'), { ...state, updatedAt: Date.now() }, PRIVATE_FILE);
  }

  writeQuestion(question: JobQuestion): void {
    writeJson(this.#file(`question-${question.id}`), question, PRIVATE_FILE);
  }

  /** Returns false if the question already has an answer. The first answer counts. */
  writeAnswer(id: string, answer: JobAnswer): boolean {
    const draft = path.join(this.path, `${newUuid()}.tmp`);
    try {
      writeFileSync(draft, JSON.stringify(answer), { mode: PRIVATE_FILE });
      // A link appears at once and complete, and never replaces a file.
      linkSync(draft, this.#file(`answer-${id}`));
      return true;
    } catch (thrown) {
      if (errorCode(thrown) === 'EEXIST') return false;
      throw thrown;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  answer(id: string): JobAnswer | undefined {
    return readJson(this.#file(`answer-${id}`), JOB_SCHEMAS.answer);
  }

  unanswered({ questions }: JobState): readonly JobQuestion[] {
    return questions.filter(({ id }) => this.answer(id) === undefined);
  }

  /** Stores which question the user saw. Of several, none is meant by an answer without an id. */
  markShown(questions: readonly JobQuestion[]): void {
    const [question, ...others] = questions;
    if (!question) return;
    const shown = { question: others.length === 0 ? question.id : null };
    try {
      if (shown.question !== this.#shown()) writeJson(this.#file('shown'), shown, PRIVATE_FILE);
    } catch {
      // The disk may be full. An answer then has to name its question.
    }
  }

  wasShown({ id }: JobQuestion): boolean {
    return this.#shown() === id;
  }

  #shown(): string | null | undefined {
    return readJson(this.#file('shown'), JOB_SCHEMAS.shown)?.question;
  }

  removeQuestion(id: string): void {
    rmSync(this.#file(`question-${id}`), { force: true });
    rmSync(this.#file(`answer-${id}`), { force: true });
  }

  /** Allows one process per job. The lock ends with the process. */
  takeLock(): ReturnType<typeof takeLock> {
    return takeLock(this.path);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  #file(name: string): string {
    return path.join(this.path, `${name}.json`);
  }
}

/** Returns the jobs with a readable state, newest first. */
export function listJobs(jobs: string): readonly JobState[] {
  return jobIds(jobs)
    .flatMap((id) => new JobFolder(jobs, id).state() ?? [])
    .sort((a, b) => b.createdAt - a.createdAt);
}

/** Returns the jobs whose id begins with the word. */
export function findJobs(jobs: string, word: string): readonly JobFolder[] {
  if (!/^[0-9a-f]+$/.test(word)) return [];
  return jobIds(jobs)
    .filter((id) => id.startsWith(word))
    .map((id) => new JobFolder(jobs, id));
}

export function newJobId(): string {
  return newUuid().slice(0, 8);
}

function jobIds(jobs: string): readonly string[] {
  try {
    return readdirSync(jobs).filter((name) => JOB_ID.test(name));
  } catch {
    return [];
  }
}

/**
 * The same call has the same id after a crash, so an answer that was not read before it still applies. If the call is decided for
 * another reason by then, or leads to another place, it has another id.
 */
export function jobQuestionOf(
  {
    toolUseId,
    tool,
    input,
    reason,
    basis,
    workingDirectory,
    places,
    agentId,
    agentDescription,
  }: PermissionQuestion,
  askedAt: number,
): JobQuestion {
  const call = JSON.stringify([toolUseId, tool, input, basis]);
  const id = createHash('sha256').update(call).digest('hex').slice(0, 16);
  const more = omitUndefined({ workingDirectory, places, agentId, agentDescription });
  return { id, tool, input, reason, ...more, askedAt };
}

export function stampOf(pid: number): ProcessStamp {
  return { pid, startTime: startTimeOf(pid) ?? '', boot: bootId() };
}

/** Returns false for a later process with the same number. */
export function isAlive({ pid, startTime, boot }: ProcessStamp): boolean {
  return startTime !== '' && boot === bootId() && startTimeOf(pid) === startTime;
}
