import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive, JobFolder, jobQuestionOf, listJobs, stampOf } from './job-folder.ts';
import { endedJob, type JobState, newJobState, observedState, withQuestions } from './job-state.ts';

const self = stampOf(process.pid);
const begin = { id: '0a1b2c3d', sessionId: 's', cwd: '/', process: self, prompt: 'Do it.' };
const running = newJobState(begin, 1);
const asked = jobQuestionOf(
  {
    toolUseId: 'b1',
    tool: 'Bash',
    input: { command: 'ls' },
    reason: 'why',
    basis: 'why',
    parts: [],
    suggestions: [],
  },
  2,
);

describe('the observed state of a job', () => {
  const done = { state: 'done', text: 'It is done.' } as const;
  it.each<readonly [string, JobState, boolean, object]>([
    [
      'is the stored one while the process lives',
      withQuestions(running, [asked]),
      true,
      { state: 'waiting' },
    ],
    [
      'is interrupted without a process',
      running,
      false,
      { state: 'failed', outcome: { text: 'interrupted' } },
    ],
    ['has no questions without a process', withQuestions(running, [asked]), false, { questions: [] }],
    ['is the result of a turn that had ended', { ...running, outcome: done }, false, { state: 'done' }],
  ])('%s', (_title, stored, lives, expected) => {
    expect(observedState(stored, () => lives)).toMatchObject(expected);
  });
});

it('does not take a later process with the same number for the job', () => {
  expect(isAlive(self)).toBe(true);
  expect(isAlive({ ...self, startTime: '1' })).toBe(false);
  expect(isAlive({ ...self, boot: 'another' })).toBe(false);
});

describe('a job folder', () => {
  function create(): { readonly jobs: string; readonly folder: JobFolder } {
    const jobs = path.join(mkdtempSync(path.join(os.tmpdir(), 'heddle-jobs-')), 'jobs');
    const folder = new JobFolder(jobs, running.id);
    folder.create({ argv: ['Do it.'] }, running);
    return { jobs, folder };
  }

  it('shows the end that its process wrote between two looks', () => {
    const gone = { ...running, process: { ...self, startTime: '1' } };
    const ended = endedJob(gone, { state: 'done', text: 'It is done.' });
    const { jobs } = create();
    class ChangingFolder extends JobFolder {
      readonly #looks = [gone];
      override stored(): JobState {
        return this.#looks.pop() ?? ended;
      }
    }
    expect(new ChangingFolder(jobs, running.id).state()).toMatchObject({ state: 'done' });
  });

  it('keeps the first answer to a question', () => {
    const { folder } = create();
    expect(folder.writeAnswer(asked.id, { allow: false })).toBe(true);
    expect(folder.writeAnswer(asked.id, { allow: true })).toBe(false);
    expect(folder.answer(asked.id)).toEqual({ allow: false });
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('is left out of the list if its state cannot be read', () => {
    const { jobs, folder } = create();
    expect(listJobs(jobs)).toMatchObject([{ id: running.id, state: 'running' }]);
    writeFileSync(path.join(folder.path, 'state.json'), '{"state":"running"}');
    expect(listJobs(jobs)).toEqual([]);
  });

  it('distinguishes calls by their input, and the same call by the decision about it', () => {
    const same = { toolUseId: 'b1', tool: 'Bash', input: { command: 'ls' }, reason: 'why', basis: 'why' };
    const idOf = (more: object): string =>
      jobQuestionOf({ ...same, parts: [], suggestions: [], ...more }, 3).id;
    expect(idOf({})).toBe(asked.id);
    expect(idOf({ input: { command: 'rm x' } })).not.toBe(asked.id);
    expect(idOf({ basis: 'another place' })).not.toBe(asked.id);
  });
});
