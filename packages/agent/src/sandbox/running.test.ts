/** Everything Bash does keeps working inside the sandbox. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { check, sandboxFixtures } from './test/sandbox-fixture.ts';

const open = sandboxFixtures();

const whichProgram = execFileSync('sh', ['-c', 'command -v which'], { encoding: 'utf8' }).trim();

/** A command that waits long, with a number that no other run of the tests has. */
const waiting = (seconds: number): string => `sleep ${seconds}.${String(process.pid).padStart(8, '0')}`;

/** Returns the processes whose command line contains a word that only the test uses. */
function living(word: string): string[] {
  const table = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  return table.split('\n').filter((line) => line.includes(word) && !line.includes('ps -eo'));
}

function taskIn(text: string): string {
  return /task (b\w+)/.exec(text)?.[1] ?? '';
}

describe.runIf(check.available)('inside the sandbox', () => {
  it('both streams keep their order, can be opened by name, and letters stay whole', async () => {
    const { run } = open();
    const ran = await run(
      String.raw`echo one; echo two >&2; echo three > /dev/stderr; printf '\xc3'; sleep 0.05; printf '\xa9\n'; exit 3`,
    );
    expect(ran).toMatchObject({ text: 'one\ntwo\nthree\né\nExit code 3', isError: true });
  });

  it('a command runs although the first lookup of the shell takes too long', async () => {
    const { run, project } = open();
    const programs = path.join(project, 'programs');
    mkdirSync(programs);
    const slowOnce = `#!/bin/sh\n[ "\${1##*/}" = bash ] && ! [ -e "$0.done" ] && touch "$0.done" && exec sleep 60\nexec ${whichProgram} "$@"\n`;
    writeFileSync(path.join(programs, 'which'), slowOnce, { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`);
    const ran = await run('echo ran');
    vi.unstubAllEnvs();
    expect(ran.text).toBe('ran');
    expect(existsSync(path.join(programs, 'which.done'))).toBe(true);
  });

  it('the working directory stays where a command went', async () => {
    const { run, project } = open({ files: { 'src/a': '' } });
    const moved = await run('cd src; false');
    expect(moved.context.workingDirectory).toBe(path.join(project, 'src'));
    expect((await run('pwd; ls', { context: moved.context })).text).toBe(`${project}/src\na`);
  });

  it('a command cannot make us wait for what it leaves in place of its report', async () => {
    const { run, project } = open();
    const ran = await run(
      'cd /; trap "rm -f $TMPDIR/*.end; mkfifo $TMPDIR/$(ls -t $HOME/.heddle/tasks | sed -n s/.task.json//p).end" EXIT',
    );
    expect(ran.context.workingDirectory).toBe(project);
  });

  it('what a command leaves behind ends with it, and the model is told', async () => {
    const { run } = open();
    const ran = await run(`${waiting(98765)} & echo left`);
    expect(ran.text).toContain('left\nProcesses it left in the background were ended');
    expect(living(waiting(98765))).toEqual([]);
  });

  it('a command goes to the background at its time limit, and is read and stopped there', async () => {
    const fixture = open();
    const ran = await fixture.run(`echo begun; ${waiting(98764)}`, { input: { timeout: 500 } });
    expect(ran.text).toContain('it continues in the background');
    const id = taskIn(ran.text);
    await expect.poll(() => living(waiting(98764)).length).toBeGreaterThan(0);
    await expect
      .poll(async () => (await fixture.output({ task_id: id, block: false })).text)
      .toContain('begun');
    expect((await fixture.stop({ task_id: id })).text).toContain('stopped on request');
    expect(living(waiting(98764))).toEqual([]);
  });

  it('a background command is as confined as any other, and says at its end what was refused', async () => {
    const fixture = open();
    const ran = await fixture.run('echo out > ../outside', { input: { run_in_background: true } });
    const seen = await fixture.output({ task_id: taskIn(ran.text) });
    expect(seen.text).toContain('has ended with exit code 1');
    expect(seen.text).toContain(`The sandbox refused: writing ${fixture.base}/outside`);
    expect(existsSync(path.join(fixture.base, 'outside'))).toBe(false);
  });

  it('a file that another program replaces meanwhile is reported at its end', async () => {
    const fixture = open({ files: { '.mcp.json': '{}' } });
    const ran = await fixture.run('touch started; until [ -e go ]; do sleep 0.02; done', {
      input: { run_in_background: true },
    });
    await expect.poll(() => existsSync(path.join(fixture.project, 'started'))).toBe(true);
    writeFileSync(path.join(fixture.project, 'new'), '{}');
    renameSync(path.join(fixture.project, 'new'), path.join(fixture.project, '.mcp.json'));
    writeFileSync(path.join(fixture.project, 'go'), '');
    const seen = await fixture.output({ task_id: taskIn(ran.text) });
    expect(seen.text).toContain(
      `was able to read and change them: ${fixture.project}/.mcp.json. Tell the user to check them.`,
    );
  });

  it('an abort ends everything within a second, also what does not listen', async () => {
    const fixture = open();
    const abort = new AbortController();
    const run = fixture.run(
      `trap '' TERM INT; (setsid ${waiting(98763)} &) ; echo up; while :; do ${waiting(98763)}; done`,
      {
        signal: abort.signal,
        onOutput: () => abort.abort(),
      },
    );
    const ran = await run;
    expect(ran.text).toContain('Interrupted');
    expect(living(waiting(98763))).toEqual([]);
  });

  it('the end of the session ends what runs in the background', async () => {
    const fixture = open();
    await fixture.run(waiting(98762), { input: { run_in_background: true } });
    await fixture.close();
    expect(living(waiting(98762))).toEqual([]);
  });

  it('a flood of output is kept whole in a file and shown by its ends', async () => {
    const { run } = open();
    const ran = await run('head -c 50000000 /dev/zero | tr "\\0" x');
    expect(ran.text.length).toBeLessThan(5_000);
    const file = /the whole is in (\S+)/.exec(ran.text)?.[1] ?? '';
    expect(statSync(file).size).toBe(50_000_000);
    // And can be read inside, though not changed.
    expect((await run(`tail -c 3 ${file}; echo more >> ${file}`)).text).toMatch(
      /^xxx.*Read-only file system/,
    );
  });

  it('several commands run at once, and nothing of the sandbox is left on the disk', async () => {
    const { run, project } = open({ files: { a: '1' } });
    const all = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => run(`echo ${name} > ${name}.txt; cat ${name}.txt; sleep 0.1`)),
    );
    expect(all.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd']);
    expect(execFileSync('ls', ['-A', project], { encoding: 'utf8' })).toBe('a\na.txt\nb.txt\nc.txt\nd.txt\n');
  });

  it('a folder that was added since may be written', async () => {
    const { run, live, base } = open();
    const added = path.join(base, 'added');
    mkdirSync(added);
    expect((await run(`echo x > ${added}/file`)).isError).toBe(true);
    live.apply([{ type: 'addDirectories', directories: [added], destination: 'session' }]);
    expect((await run(`echo x > ${added}/file`)).isError).toBe(false);
  });
});
