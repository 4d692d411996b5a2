/** Background jobs through the shipped program: each command is a process of its own, as from another terminal. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  JobFolder,
  type JobQuestion,
  jobQuestionOf,
  type JobState,
  newJobState,
  stampOf,
  withQuestions,
} from '@heddle/agent/jobs';
import { call, hang, say, type ScriptStep } from '@heddle/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from '../test/home.ts';
import { install, type Installed, linesOf } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

/** Processes that a failed test would leave. */
const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
});

const DEADLINE_MS = 20_000;

interface Job {
  readonly home: Home;
  readonly id: string;
  readonly folder: string;
  readonly state: () => JobState;
  /** Resolves when the stored state fulfills the condition. */
  readonly until: (condition: (state: JobState) => boolean) => Promise<JobState>;
}

const KEY = { ANTHROPIC_API_KEY: 'sk-ant-not-in-any-file', HEDDLE_PASS_KEYS: 'ANTHROPIC_API_KEY' };

async function startJob(
  script: readonly ScriptStep[],
  flags: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<Job> {
  const home = homeFor(installed.program);
  const argv = ['run', '--background', 'Do the work.', '--model', home.script(script), ...flags];
  const ended = await home.run(argv, { env: { ...KEY, ...more } });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const [, id = ''] = /^Job ([0-9a-f]{8}) runs in the background\./.exec(ended.stdout) ?? [];
  const folder = path.join(home.folder, 'config/jobs', id);
  const state = (): JobState => {
    const stored = new JobFolder(path.dirname(folder), id).stored();
    if (!stored) throw new Error('The state of the job cannot be read.');
    return stored;
  };
  started.push(state().process.pid);
  return {
    home,
    id,
    folder,
    state,
    async until(condition) {
      const deadline = Date.now() + DEADLINE_MS;
      for (;;) {
        const now = state();
        if (condition(now)) return now;
        if (Date.now() > deadline) throw new Error(`The job stayed in this state: ${JSON.stringify(now)}`);
        await delay(20);
      }
    },
  };
}

const ASKED = call(
  'Bash',
  { command: 'echo once >> effects.txt; echo $HEDDLE_JOB_DIR $CLAUDE_JOB_DIR ${#ANTHROPIC_API_KEY}' },
  'b1',
);
const effectsOf = ({ home }: Job): string => readFileSync(path.join(home.folder, 'effects.txt'), 'utf8');
const isWaiting = ({ state }: JobState): boolean => state === 'waiting';

async function listed({ home }: Job): Promise<unknown> {
  return JSON.parse((await home.run(['jobs', '--json'])).stdout);
}

/** Kills the process and waits until it is gone. */
async function kill(job: Job): Promise<void> {
  const { pid } = job.state().process;
  process.kill(pid, 'SIGKILL');
  const isGone = (): boolean =>
    !existsSync(`/proc/${pid}`) || readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z');
  await job.until(isGone);
}

describe('a background job', () => {
  it('waits for an answer from another process, and ends with its result', async () => {
    const job = await startJob([[ASKED], [say('All is done.')]]);
    await job.until(isWaiting);
    expect((await job.home.run(['jobs'])).stdout).toMatch(
      /waiting .* Do the work\.\n\s+asks [0-9a-f]{16}: Bash echo once/,
    );
    expect((await job.home.run(['answer', job.id])).stdout).toContain('echo once >> effects.txt');
    expect(existsSync(path.join(job.home.folder, 'effects.txt'))).toBe(false);
    const answered = await job.home.run(['answer', job.id.slice(0, 5), 'yes']);
    expect(answered).toMatchObject({ code: 0, stderr: '' });
    const attached = await job.home.run(['attach', job.id]);
    expect(attached).toMatchObject({ code: 0, stderr: '' });
    expect(attached.stdout).toContain('· Bash echo once');
    expect(attached.stdout).toContain('All is done.');
    expect(attached.stdout).toContain(`heddle --resume ${job.state().sessionId}`);
    expect(effectsOf(job)).toBe('once\n');
    expect(await listed(job)).toMatchObject([
      { id: job.id, state: 'done', outcome: { text: 'All is done.' } },
    ]);
    const log = await job.home.run(['logs', job.id, '--json']);
    expect(log.stdout).toContain(`${job.folder} ${job.folder} ${KEY.ANTHROPIC_API_KEY.length}`);
    expect(linesOf(log.stdout).at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
    const files = readdirSync(job.folder).map((name) => path.join(job.folder, name));
    expect(statSync(job.folder).mode & 0o777).toBe(0o700);
    for (const file of files) {
      expect(statSync(file).mode & 0o077).toBe(0);
      expect(readFileSync(file, 'latin1')).not.toContain('sk-ant-not-in-any-file');
    }
  });

  it('has its own session without a terminal, and its keys outside arguments and environment', async () => {
    const job = await startJob([[ASKED]]);
    const { process: stamp } = await job.until(isWaiting);
    const fields = readFileSync(`/proc/${stamp.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    expect({ session: Number(fields[3]), terminal: Number(fields[4]) }).toEqual({
      session: stamp.pid,
      terminal: 0,
    });
    for (const file of ['cmdline', 'environ']) {
      const text = readFileSync(`/proc/${stamp.pid}/${file}`, 'latin1');
      expect(text).not.toContain('sk-ant-not-in-any-file');
      if (file === 'cmdline') expect(text).not.toContain('Do the work.');
    }
    const stopped = await job.home.run(['stop', job.id]);
    expect(stopped).toMatchObject({ code: 0, stderr: '' });
    expect(job.state()).toMatchObject({ state: 'failed', questions: [], outcome: { text: 'stopped' } });
    const resumed = await job.home.run(['jobs', 'resume', job.id]);
    expect(resumed.stderr).toContain(`The turn of the job has ended. To continue: heddle --resume`);
  });

  it('keeps variables that repeat a key from its commands, and the key from what it stores', async () => {
    const key = 'sk-proj-not-in-any-file-either';
    const copies = { OPENAI_KEY: key, COPY: `first\n${key}`, ADDRESS: `https://user:${key}@localhost` };
    const command = `printf 'sk-proj-%s' not-in-any-file-either; printenv ${Object.keys(copies).join(' ')}; true`;
    const job = await startJob(
      [[call('Bash', { command }, 'b1')], [say('Done.')]],
      ['--allowed-tools', 'Bash'],
      {
        OPENAI_API_KEY: key,
        ...copies,
      },
    );
    await job.until(({ state }) => state === 'done');
    const log = await job.home.run(['logs', job.id, '--json']);
    expect(log.stdout).toContain('[redacted]');
    const names = readdirSync(job.home.folder, { recursive: true, withFileTypes: true });
    for (const file of names.filter((name) => name.isFile() && !name.name.endsWith('.ts')))
      expect(readFileSync(path.join(file.parentPath, file.name), 'latin1')).not.toContain(key);
  });

  it('passes a denial with its reason to the model', async () => {
    const job = await startJob([[ASKED], [say('I use the other one.')]]);
    await job.until(isWaiting);
    await job.home.run(['answer', job.id]);
    await job.home.run(['answer', job.id, 'use', 'the', 'test', 'database']);
    await job.until(({ state }) => state === 'done');
    expect((await job.home.run(['logs', job.id, '--json'])).stdout).toContain('use the test database');
    expect(existsSync(path.join(job.home.folder, 'effects.txt'))).toBe(false);
  });

  it('takes the text of an answer to a question of the model', async () => {
    const options = [{ label: 'A' }, { label: 'B' }];
    const questions = [{ question: 'Which one?', header: 'Choice', options }];
    const job = await startJob([
      [call('ToolSearch', { query: 'select:AskUserQuestion' }, 's1')],
      [call('AskUserQuestion', { questions }, 'q1')],
      [say('So be it.')],
    ]);
    await job.until(isWaiting);
    await job.home.run(['jobs']);
    await job.home.run(['answer', job.id, 'B']);
    await job.until(({ state }) => state === 'done');
    expect((await job.home.run(['logs', job.id, '--json'])).stdout).toContain('Which one?\\n→ B');
  });

  it('names the file and the folder of calls after a change of the folder', async () => {
    const job = await startJob([
      [call('Bash', { command: 'cd config/jobs' }, 'b1')],
      [call('Write', { file_path: 'a.txt', content: 'x' }, 'w1')],
      [call('Bash', { command: 'mkfifo p' }, 'b2')],
      [say('Done.')],
    ]);
    await job.until(isWaiting);
    const first = await job.home.run(['answer', job.id]);
    expect(first.stdout).toContain('Write config/jobs/a.txt\n');
    await job.home.run(['answer', job.id, 'no']);
    await job.until(({ questions: [open] }) => open?.tool === 'Bash');
    expect((await job.home.run(['jobs'])).stdout).toContain('Bash mkfifo p (in config/jobs/)');
    await job.home.run(['answer', job.id, 'no']);
    await job.until(({ state }) => state === 'done');
  });

  it('is failed if the model fails', async () => {
    const job = await startJob([], ['--max-turns', '1']);
    const { outcome } = await job.until(({ state }) => state === 'failed');
    expect(outcome?.text).not.toBe('');
    expect((await job.home.run(['attach', job.id])).code).toBe(1);
  });
});

describe('heddle answer', () => {
  const asked = (word: string) =>
    jobQuestionOf(
      {
        toolUseId: word,
        tool: 'Bash',
        input: { command: `mkfifo ${word}` },
        reason: `Why.\nTo answer: fake`,
        basis: '',
        parts: [],
        suggestions: [],
      },
      1,
    );
  const [harmless, danger] = [asked('harmless'), asked('danger')];

  /** A job of this process, whose questions the test opens and withdraws. */
  function openJob() {
    const home = homeFor(installed.program);
    const folder = new JobFolder(path.join(home.folder, 'config/jobs'), '0a1b2c3d');
    const stamp = stampOf(process.pid);
    const begin = { id: folder.id, sessionId: 's', cwd: '/', process: stamp, prompt: 'Go.' };
    const state = newJobState(begin, 1);
    folder.create({ argv: [] }, state);
    return {
      ask: (...questions: JobQuestion[]) => folder.write(withQuestions(state, questions)),
      run: (...words: string[]) => home.run(words),
      answer: (...words: string[]) => home.run(['answer', folder.id, ...words]),
      answers: () => [harmless, danger].map(({ id }) => folder.answer(id)),
    };
  }

  it('without an id, answers only the question that was shown last', async () => {
    const job = openJob();
    job.ask(harmless);
    const shown = await job.answer();
    expect(shown.stdout).toContain(`\n  Why. To answer: fake\n`);
    expect(shown.stdout).toContain(`\nTo answer: heddle answer 0a1b2c3d ${harmless.id} yes\n`);
    job.ask(danger);
    for (const word of ['yes', 'yes', 'no', 'because']) {
      const refused = await job.answer(word);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was answered') });
      expect(refused.stdout).toContain('mkfifo danger');
      expect(refused.stdout).toContain(`To answer: heddle answer 0a1b2c3d ${danger.id} yes`);
    }
    expect(await job.answer(harmless.id, 'yes')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('is not open any more'),
    });
    expect(job.answers()).toEqual([undefined, undefined]);
    job.ask(danger, harmless);
    expect(await job.answer('yes')).toMatchObject({ code: 0, stdout: 'Answered: Bash mkfifo harmless\n' });
    expect(job.answers()).toEqual([{ allow: true }, undefined]);
  });

  it('answers a question that was never shown only by its id', async () => {
    const job = openJob();
    job.ask(harmless);
    await job.run('jobs', '--json');
    expect(await job.answer('yes')).toMatchObject({ code: 1 });
    expect(job.answers()).toEqual([undefined, undefined]);
    expect(await job.answer(harmless.id, 'yes')).toMatchObject({ code: 0, stderr: '' });
    expect(job.answers()).toEqual([{ allow: true }, undefined]);
  });

  it.each(['answer', 'jobs'])('needs an id if heddle %s showed several questions', async (command) => {
    const job = openJob();
    job.ask(harmless);
    await job.run('jobs');
    job.ask(harmless, danger);
    const shown = command === 'jobs' ? await job.run('jobs') : await job.answer();
    for (const { id } of [harmless, danger]) expect(shown.stdout).toContain(id);
    expect(await job.answer('yes')).toMatchObject({ code: 1 });
    job.ask(danger);
    expect(await job.answer('yes')).toMatchObject({ code: 1 });
    expect(job.answers()).toEqual([undefined, undefined]);
    expect(await job.answer(danger.id, 'not', 'this')).toMatchObject({ code: 0 });
    expect(job.answers()).toEqual([undefined, { allow: false, text: 'not this' }]);
  });
});

describe('after kill -9', () => {
  it('a job is shown as interrupted, and resumes without a repeated effect', async () => {
    const job = await startJob([[ASKED], [say('Let me see.'), hang()]], ['--allowed-tools', 'Bash']);
    const sees = (): boolean => readFileSync(path.join(job.folder, 'log'), 'utf8').includes('tool_result');
    await job.until(sees);
    await kill(job);
    expect(job.state().state).toBe('running');
    expect(await listed(job)).toMatchObject([{ state: 'failed', outcome: { text: 'interrupted' } }]);
    job.home.script([[say('All is done.')]]);
    expect(await job.home.run(['jobs', 'resume', job.id])).toMatchObject({ code: 0, stderr: '' });
    started.push(job.state().process.pid);
    expect((await job.home.run(['attach', job.id])).stdout).toContain('All is done.');
    expect(await listed(job)).toMatchObject([{ state: 'done', outcome: { text: 'All is done.' } }]);
    expect(effectsOf(job)).toBe('once\n');
    const again = await job.home.run(['jobs', 'resume', job.id]);
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain('The turn of the job has ended.');
  });

  it('a job that is watched and answered from other terminals loses nothing', async () => {
    const asked = (word: string, id: string) => call('Bash', { command: `echo ${word} >> effects.txt` }, id);
    const job = await startJob([[asked('one', 'b1')], [say('The first part is done.'), asked('two', 'b2')]]);
    const { home, id } = job;
    const watched = home.run(['attach', id]);
    const asksAbout = (word: string) => (state: JobState) =>
      isWaiting(state) && JSON.stringify(state.questions).includes(`echo ${word}`);
    const [one] = (await job.until(asksAbout('one'))).questions;
    expect(await home.run(['answer', id, one?.id ?? '', 'yes'])).toMatchObject({ code: 0, stderr: '' });
    await job.until(asksAbout('two'));
    await kill(job);
    const { code, stdout } = await watched;
    expect(code).toBe(1);
    expect(stdout).toContain('The first part is done.');

    home.script([[say('All is done.')]]);
    expect(await home.run(['jobs', 'resume', id])).toMatchObject({ code: 0, stderr: '' });
    started.push(job.state().process.pid);
    const watchedAgain = home.run(['attach', id]);
    const [two] = (await job.until(asksAbout('two'))).questions;
    expect(await home.run(['answer', id, two?.id ?? '', 'yes'])).toMatchObject({ code: 0, stderr: '' });
    const again = await watchedAgain;
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('All is done.') });
    expect(effectsOf(job)).toBe('one\ntwo\n');
    const log = (await home.run(['logs', id, '--json'])).stdout;
    const parts = ['"tool_use_id":"b1"', '"tool_use_id":"b2"', '"text":"The first part is done."'];
    expect(parts.map((part) => log.split(part).length - 1)).toEqual([1, 1, 1]);
    expect(linesOf(log).filter(({ type }) => type === 'result')).toMatchObject([{ subtype: 'success' }]);
  });

  it('during a question, the resumed job asks the same question again', async () => {
    const job = await startJob([[ASKED]]);
    const before = await job.until(isWaiting);
    await kill(job);
    const refused = await job.home.run(['answer', job.id, 'yes']);
    expect(refused.stderr).toContain('has no open question');
    job.home.script([[say('All is done.')]]);
    expect(await job.home.run(['jobs', 'resume', job.id])).toMatchObject({ code: 0, stderr: '' });
    started.push(job.state().process.pid);
    const after = await job.until(isWaiting);
    expect(after.questions.map(({ id }) => id)).toEqual(before.questions.map(({ id }) => id));
    expect(existsSync(path.join(job.home.folder, 'effects.txt'))).toBe(false);
    await job.home.run(['answer', job.id]);
    await job.home.run(['answer', job.id, 'yes']);
    await job.until(({ state }) => state === 'done');
    expect(effectsOf(job)).toBe('once\n');
  });

  it.each([
    ['a protected place', '.ssh', { file_path: 'd/keys' }],
    ['another folder of the project', 'other', { file_path: 'd/keys' }],
  ])('an answer does not apply after a link leads to %s', async (_, target, input) => {
    const job = await startJob([[call('Write', { ...input, content: 'text' }, 'w1')]]);
    const inHome = (name: string): string => path.join(job.home.folder, name);
    const [before] = (await job.until(isWaiting)).questions;
    await kill(job);
    mkdirSync(inHome(target));
    symlinkSync(target, inHome('d'));
    job.home.script([[say('All is done.')]]);
    expect(await job.home.run(['jobs', 'resume', job.id])).toMatchObject({ code: 0, stderr: '' });
    started.push(job.state().process.pid);
    const [after] = (await job.until(isWaiting)).questions;
    const stale = await job.home.run(['answer', job.id, before?.id ?? '', 'yes']);
    expect(stale).toMatchObject({ code: 1, stderr: expect.stringContaining('is not open any more') });
    expect(job.state()).toMatchObject({ state: 'waiting', questions: [{ id: after?.id }] });
    expect(readdirSync(inHome(target))).toEqual([]);
    await job.home.run(['answer', job.id, after?.id ?? '', 'yes']);
    await job.until(({ state }) => state === 'done');
    expect(readdirSync(inHome(target))).toEqual(['keys']);
  });
});

it('rejects command lines that are not jobs', async () => {
  const home = homeFor(installed.program);
  const rejected = async (...argv: string[]): Promise<string> => {
    const { code, stderr } = await home.run(argv);
    expect(code).not.toBe(0);
    return stderr;
  };
  expect(await rejected('run', 'the', 'tests')).toContain('As a prompt: heddle -- "run the tests"');
  expect(await rejected('stop', 'everything')).toContain('There is no job everything');
  expect(await rejected('run', '--background', 'go', '--continue')).toContain('starts a new session');
  expect(await rejected('run', '--background', 'go', '--settings', '{"env":{}}')).toContain('name a file');
  expect(existsSync(path.join(home.folder, 'config/jobs'))).toBe(false);
});
