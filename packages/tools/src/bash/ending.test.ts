/** The end of a command that does not end by itself. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ABORT_DEADLINE_MS, contextOf } from '@heddle/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { membersOf } from '../tasks/process-table.ts';
import { readRecords } from '../tasks/record.ts';
import { runInForeground } from './run.ts';
import { scratch, shellIn } from './test/shell.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Runs a command, aborts it at its first output, and looks for remaining processes. */
async function abortAtFirstOutput(command: string) {
  const shell = shellIn(scratch());
  const controller = new AbortController();
  let abortedAt = 0;
  const ran = await shell.run(command, {
    signal: controller.signal,
    onProgress: () => {
      abortedAt ||= performance.now();
      controller.abort();
    },
  });
  const tookMs = performance.now() - abortedAt;
  return { ...ran, tookMs };
}

describe('an aborted command', () => {
  it('ends at once, and its output is kept', async () => {
    const { content, isError, tookMs } = await abortAtFirstOutput('echo begun; sleep 600');
    expect({ content, isError }).toEqual({
      content: 'begun\nInterrupted; what is shown above is all it wrote',
      isError: true,
    });
    expect(tookMs).toBeLessThan(ABORT_DEADLINE_MS);
  });

  it.each([
    ['children in the background', 'sleep 600 & sleep 600 & echo $!; wait'],
    ['a command that does not listen', `trap '' TERM; echo deaf; while :; do sleep 0.1; done`],
    ['children that left its group', 'setsid sleep 600 & echo left; wait'],
    ['children that left its group, session and parents', '(setsid sleep 600 &) ; echo orphaned; sleep 600'],
    ['a shell in a shell', `bash -c 'bash -c "sleep 600 & sleep 600" & echo deep; wait'`],
    ['one that restarts what is ended', 'echo again; while :; do sleep 600; done'],
    ['a flood', 'yes'],
  ])('ends with %s, and no process is left', async (_, command) => {
    const shell = shellIn(scratch());
    const controller = new AbortController();
    const started = Promise.withResolvers<void>();
    const running = shell.run(command, { signal: controller.signal, onProgress: () => started.resolve() });
    await started.promise;
    const [label = ''] = labelsOf(shell.tasks.folder);
    expect(membersOf(undefined, label).length).toBeGreaterThan(0);
    const from = performance.now();
    controller.abort();
    const { isError } = await running;
    expect(performance.now() - from).toBeLessThan(ABORT_DEADLINE_MS);
    expect(isError).toBe(true);
    expect(membersOf(undefined, label)).toEqual([]);
  });

  it('ends also when the abort came during its start', async () => {
    const { tasks } = shellIn(scratch());
    const controller = new AbortController();
    const spec = {
      command: 'sleep 600',
      directory: scratch(),
      environment: { PATH: process.env['PATH'] ?? '' },
    };
    const limits = { timeoutMs: 600_000, promptQuietMs: 5_000, endsAtLimit: false };
    const running = runInForeground(tasks, {
      spec,
      signal: controller.signal,
      ...limits,
      onOutput: () => undefined,
    });
    controller.abort();
    const { how, task } = await running;
    expect(how).toEqual({ kind: 'stopped', why: 'interrupted' });
    expect(membersOf(undefined, task.label)).toEqual([]);
  });

  it('never starts when it was aborted before', async () => {
    const { content, isError } = await shellIn(scratch()).run('echo ran', { signal: AbortSignal.abort() });
    expect({ content, isError }).toEqual({
      content: 'Interrupted; it had written nothing',
      isError: true,
    });
  });
});

describe('a command that ends by itself', () => {
  it('ends the processes left in its group, and reports it', async () => {
    const shell = shellIn(scratch());
    const { content } = await shell.run('sleep 600 & echo started');
    expect(content).toMatch(/^started\nProcesses it left in the background were ended/);
  });
});

describe('a command at its time limit', () => {
  it('continues in the background, with output to read and a way to stop it', async () => {
    const shell = shellIn(scratch());
    // The limit is over when the first output has arrived, however long the start of the command takes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { content, isError, data } = await shell.run('echo begun; sleep 600', {
      timeout: 150,
      onProgress: () => {
        vi.advanceTimersByTime(150);
        vi.useRealTimers();
      },
    });
    expect(isError).toBe(false);
    expect(content).toMatch(/^begun\nStill running after its time limit of 150 ms/);
    const id = 'id' in data.exit ? data.exit.id : '';
    expect(content).toContain(id);
    const [label = ''] = labelsOf(shell.tasks.folder);
    expect(membersOf(undefined, label)).not.toEqual([]);
    const context = { ...contextOf(), toolUseId: 't1' };
    const { data: seen } = await shell.output.call({ task_id: id, block: false }, context, () => undefined);
    expect(shell.output.toResult(seen).content).toMatch(/^begun\nTask \w+ is still running/);
    const { data: stopped } = await shell.stop.call({ task_id: id }, context, () => undefined);
    expect(shell.stop.toResult(stopped).content).toBe(`Task ${id} was ended: stopped on request.`);
    expect(membersOf(undefined, label)).toEqual([]);
  });

  it('is ended if its edits were permitted by the mode, so that no later call runs beside them', async () => {
    const folder = scratch();
    const shell = shellIn(folder);
    const { content } = await shell.run('sleep 600; touch late', { timeout: 100, readOnlyRun: 'edits' });
    expect(content).toMatch(/^Ended because it did not end in time/);
    const [label = ''] = labelsOf(shell.tasks.folder);
    expect(membersOf(undefined, label)).toEqual([]);
    expect(existsSync(path.join(folder, 'late'))).toBe(false);
  });

  it('is not longer than the maximum', async () => {
    const shell = shellIn(scratch(), { limits: { maxTimeoutMs: 100 } });
    const { content } = await shell.run('sleep 600', { timeout: 600_000 });
    expect(content).toMatch(/time limit of 100 ms/);
    await shell.tasks.dispose();
  });
});

describe('a command that waits for input', () => {
  it.each(['Password: ', 'Proceed? [y/N] ', 'Are you sure you want to continue connecting (yes/no)? '])(
    'is noticed while it waits after %j',
    async (question) => {
      const shell = shellIn(scratch(), { limits: { promptQuietMs: 50 } });
      const { content, isError } = await shell.run(`printf '%s' '${question}'; sleep 600`);
      expect(isError).toBe(false);
      expect(content).toContain(`seems to wait for an answer to "${question.trim()}"`);
      await shell.tasks.dispose();
    },
  );

  it('is explained when it failed for lack of input', async () => {
    const { content } = await shellIn(scratch()).run(`printf 'Overwrite? [y/N] '; read answer || exit 1`);
    expect(content).toMatch(/asked for input/);
    const python = await shellIn(scratch()).run('echo "EOFError: EOF when reading a line" >&2; exit 1');
    expect(python.content).toMatch(/asked for input/);
  });

  it('is not assumed if a command is only slow', async () => {
    const shell = shellIn(scratch(), { limits: { promptQuietMs: 20 } });
    const { content } = await shell.run(`printf 'Compiling... '; sleep 0.2; echo done`);
    expect(content).toBe('Compiling... done');
  });
});

/** The labels of the running commands. */
function labelsOf(folder: string): string[] {
  return readRecords(folder).map(({ label }) => label);
}

describe('temporary files of a command that only reads', () => {
  const LARGE = 'seq 200000 | sort -S 100k | tail -n 1';

  it.each([
    ['seq 3 | tac', '3\n2\n1\n'],
    [LARGE, '99999\n'],
    [`${LARGE} | tac`, '99999\n'],
    ['seq 200000 | sort --buffer-size=100k | head -n 1', '1\n'],
  ])('are not stored in the TMPDIR of the user: %s', async (command, expected) => {
    const project = scratch();
    const shell = shellIn(project, {
      environment: () => ({ PATH: process.env['PATH'] ?? '', TMPDIR: path.join(project, 'missing') }),
    });
    const { data } = await shell.run(command);
    expect(data).toMatchObject({ output: expected, exit: { kind: 'exited', code: 0 } });
    expect(readdirSync(project)).toEqual([]);
  });

  it.each(['printenv TMPDIR TMP TEMP', 'printenv TMPDIR TMP TEMP; head -c 1 /no/such/file'])(
    'are removed when it ends: %s',
    async (command) => {
      const shell = shellIn(scratch());
      const { data } = await shell.run(command);
      const folders = data.output.split('\n').slice(0, 3);
      expect(new Set(folders).size).toBe(1);
      expect(folders[0]).toMatch(/\.tmp$/);
      expect(existsSync(folders[0] ?? '')).toBe(false);
      expect(readdirSync(shell.tasks.folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    },
  );

  it('are removed when it is aborted', async () => {
    const shell = shellIn(scratch());
    const controller = new AbortController();
    const { data } = await shell.run('printenv TMPDIR; sleep 600', {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    expect(existsSync(data.output.split('\n')[0] ?? '')).toBe(false);
  });

  it('stay in the usual place for other commands', async () => {
    const environment = { PATH: process.env['PATH'] ?? '', TMPDIR: '/usual' };
    const { data } = await shellIn(scratch(), { environment: () => environment }).run(
      'eval "printenv TMPDIR"',
    );
    expect(data.output).toBe('/usual\n');
  });
});
