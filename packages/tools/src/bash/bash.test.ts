import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { contextOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { scratch, shellIn } from './test/shell.ts';

describe('Bash', () => {
  it('shows the output of a command, both streams in their order, and reports it while it runs', async () => {
    const { content, isError, progress } = await shellIn(scratch()).run('echo out; echo err >&2; echo more');
    expect({ content, isError }).toEqual({ content: 'out\nerr\nmore', isError: false });
    expect(progress[0]?.output).toMatch(/^out\n/);
  });

  it('lets a command open its own streams by name', async () => {
    const { content } = await shellIn(scratch()).run(
      'echo one; echo two > /dev/stderr; echo three | tee /dev/stderr',
    );
    expect(content).toBe('one\ntwo\nthree\nthree');
  });

  it('rejects input that a shell cannot accept', async () => {
    const { bash } = shellIn(scratch());
    expect(await bash.validateInput?.({ command: 'echo a\0b' }, contextOf())).toMatchObject({ ok: false });
    expect(await bash.validateInput?.({ command: 'echo ab' }, contextOf())).toEqual({ ok: true });
  });

  it('reports that nothing was written', async () => {
    expect((await shellIn(scratch()).run('true')).content).toBe('(no output)');
  });

  it('reports a failure with its exit code, and a signal', async () => {
    const shell = shellIn(scratch());
    expect(await shell.run('echo no; exit 3')).toMatchObject({ content: 'no\nExit code 3', isError: true });
    expect(await shell.run('kill -9 $$')).toMatchObject({ content: 'Ended by SIGKILL', isError: true });
  });

  it.each([
    ['grep nothing /dev/null', 'Exit code 1 (no match)'],
    ['cat /dev/null | grep x', 'Exit code 1 (no match)'],
    ['test -f nothing', 'Exit code 1 (false)'],
    ['echo a > a; echo b > b; cmp -s a b', 'Exit code 1 (the files differ)'],
  ])('treats exit code 1 of %j as an answer', async (command, content) => {
    expect(await shellIn(scratch()).run(command)).toMatchObject({ content, isError: false });
  });

  it('names the line of a syntax error in the command', async () => {
    const { content, isError } = await shellIn(scratch()).run('echo "open');
    expect(isError).toBe(true);
    expect(content).toMatch(/line 1: unexpected EOF/);
  });

  it('gives a command no parameters, and passes it unchanged', async () => {
    const { content } = await shellIn(scratch()).run(`echo "$#" 'it''s' "a'b" \\$x $'\\n'`);
    expect(content).toBe("0 its a'b $x");
  });

  it('removes colors, and shows only the last state of an overwritten line', async () => {
    const { content } = await shellIn(scratch()).run(
      String.raw`printf '\033[31mred\033[0m\n10%%\r50%%\r100%%\r\ndone'`,
    );
    expect(content).toBe('red\n100%\ndone');
  });

  it('keeps characters whole that arrive in pieces', async () => {
    const { content } = await shellIn(scratch()).run(String.raw`printf '\xc3'; sleep 0.05; printf '\xa9\n'`);
    expect(content).toBe('é');
  });

  it('shows bytes that are not text as such', async () => {
    expect((await shellIn(scratch()).run(String.raw`printf 'a\xffb'`)).content).toBe('a\ufffdb');
  });

  it('gives a command an empty standard input', async () => {
    expect((await shellIn(scratch()).run('cat; echo end')).content).toBe('end');
  });

  it('reads none of the files that shells read when they start', async () => {
    const home = scratch();
    for (const name of ['.bashrc', '.bash_profile', '.profile'])
      writeFileSync(path.join(home, name), 'echo from a start-up file\n');
    expect((await shellIn(home).run('echo done')).content).toBe('done');
  });

  it('starts the shell with its default options', async () => {
    const project = scratch();
    for (const name of ['zz', 'b']) writeFileSync(path.join(project, name), '');
    const elsewhere = scratch();
    mkdirSync(path.join(elsewhere, 'sub'));
    const options = {
      BASHOPTS: 'nocaseglob:nullglob',
      SHELLOPTS: 'noglob:braceexpand',
      GLOBIGNORE: 'b',
      CDPATH: elsewhere,
      POSIXLY_CORRECT: '1',
    };
    const shell = shellIn(project, { environment: () => ({ PATH: process.env['PATH'] ?? '', ...options }) });
    const { content } = await shell.run(
      'echo Z* [zb]*; cd sub 2>/dev/null || echo "${POSIXLY_CORRECT-unset}"',
    );
    expect(content).toBe('Z* b zz\nunset');
  });

  it.each([
    ['BASH_ENV', './start', 'done'],
    ['BASH_ENV', 'start', 'done'],
    ['BASH_ENV', '$PWD/start', 'done'],
    ['BASH_ENV', 'OUTSIDE/start', 'started\ndone'],
    ['BASH_ENV', 'PROJECT/start', 'done', 'started\ndone'],
    ['BASH_ENV', 'OUTSIDE/link', 'done', 'started\ndone'],
    ['BASH_ENV', 'OUTSIDE/missing/../start', 'started\ndone'],
    ['BASH_ENV', 'OUTSIDE$NOTHING/start', 'done', 'started\ndone'],
  ])(
    'runs a start-up file only with an absolute path, and with a proven command only outside the project: %s=%s',
    async (name, file, proven, other = proven) => {
      const [project, outside] = [scratch(), scratch()];
      for (const folder of [project, outside]) writeFileSync(path.join(folder, 'start'), 'echo started\n');
      mkdirSync(path.join(outside, 'missing'));
      symlinkSync(path.join(project, 'start'), path.join(outside, 'link'));
      const value = file.replace('PROJECT', project).replace('OUTSIDE', outside);
      const shell = shellIn(project, {
        environment: () => ({ PATH: process.env['PATH'] ?? '', [name]: value }),
      });
      expect((await shell.run('echo done')).content).toBe(proven);
      expect((await shell.run('touch x; echo done')).content).toBe(other);
      expect((await shell.run('touch x; echo done', { readOnlyRun: 'edits' })).content).toBe(proven);
    },
  );

  it('runs a proven command without libraries of the project', async () => {
    const project = scratch();
    const given = {
      LD_LIBRARY_PATH: `:/opt/lib:./lib:${project}/lib`,

      PYTHONPATH: `src:/opt/python`,
    };
    const shell = shellIn(project, { environment: () => ({ PATH: process.env['PATH'] ?? '', ...given }) });
    const show = 'echo "$LD_LIBRARY_PATH $PYTHONPATH"';
    expect((await shell.run(show)).content).toBe('/opt/lib /opt/python');
    expect((await shell.run(`touch x; ${show}`)).content).toBe(
      `${given.LD_LIBRARY_PATH} ${given.PYTHONPATH}`,
    );
  });

  it('gives a command only the environment it was given', async () => {
    const shell = shellIn(scratch(), {
      environment: () => ({ PATH: process.env['PATH'] ?? '', GIVEN: 'yes' }),
    });
    const { content } = await shell.run('echo "$GIVEN"; env | cut -d= -f1 | sort | tr "\\n" " "');
    expect(content).toMatch(/^yes\nGIVEN HEDDLE_TASKS PATH PWD SHLVL TEMP TMP TMPDIR _ ?$/);
  });
});

describe('the working directory', () => {
  it('stays in the folder that a command changed to', async () => {
    const project = scratch();
    mkdirSync(path.join(project, 'src'));
    const shell = shellIn(project);
    const { context, content } = await shell.run('cd src');
    expect(content).toBe(`The working directory is now ${project}/src`);
    expect((await shell.run('pwd', { context })).content).toBe(`${project}/src`);
  });

  it('stays there also when the command failed or exited early', async () => {
    const project = scratch();
    mkdirSync(path.join(project, 'src'));
    for (const command of ['cd src; false', 'cd src && exit 4', 'cd src; set -e; false; true']) {
      const { context, isError } = await shellIn(project).run(command);
      expect({ isError, at: context.workingDirectory }).toEqual({ isError: true, at: `${project}/src` });
    }
  });

  it('returns to the project if a command ends outside the folders of the session', async () => {
    const [project, other, outside] = [scratch(), scratch(), scratch()];
    mkdirSync(path.join(project, 'src'));
    symlinkSync(outside, path.join(project, 'link'));
    const shell = shellIn(project);
    const workingFolders = () => [project, other];
    const context = contextOf({ workingDirectory: path.join(project, 'src'), workingFolders });
    for (const command of [
      `cd ${outside}`,
      'cd ../link',
      'cd ../..',
      'cd /',
      `pushd ${outside}`,
      `cd ${outside} && false`,
      `builtin cd ${outside}`,
      `cd ${project}x || cd ${outside}`,
      `eval "cd ${outside}"`,
      `f() { cd ${outside}; }; f`,
    ]) {
      const ran = await shell.run(command, { context });
      expect([command, ran.context.workingDirectory]).toEqual([command, project]);
      expect(ran.content).toContain(`The working directory is ${project} again: `);
    }
    const inside = await shell.run(`cd ${other}`, { context });
    expect(inside.context.workingDirectory).toBe(other);
    const part = await shell.run(`(cd ${outside})`, { context });
    expect(part.context.workingDirectory).toBe(path.join(project, 'src'));
  });

  it('is not changed by a subshell, nor by a background command', async () => {
    const project = scratch();
    mkdirSync(path.join(project, 'src'));
    const shell = shellIn(project);
    for (const command of ['(cd src; pwd)', 'cd src | cat', 'bash -c "cd src"']) {
      expect((await shell.run(command)).context.workingDirectory).toBe(project);
    }
    const { context, data } = await shell.run('cd src', { background: true });
    expect(context.workingDirectory).toBe(project);
    await taskOf(shell, data).ended;
  });

  it('keeps the name of a link', async () => {
    const project = scratch();
    mkdirSync(path.join(project, 'real'));
    symlinkSync('real', path.join(project, 'link'));
    const context = contextOf({ workingDirectory: path.join(project, 'link') });
    const ran = await shellIn(project).run('pwd', { context });
    expect(ran.context.workingDirectory).toBe(path.join(project, 'link'));
  });

  it('is the project folder again when it is gone, and the model is told', async () => {
    const project = scratch();
    mkdirSync(path.join(project, 'src'));
    const shell = shellIn(project);
    const { context } = await shell.run('cd src');
    rmSync(path.join(project, 'src'), { recursive: true });
    const lost = await shell.run('echo ran', { context });
    expect(lost).toMatchObject({
      isError: true,
      content: expect.stringMatching(/no longer exists, so nothing was run/),
    });
    expect(lost.context.workingDirectory).toBe(project);
    expect((await shell.run('pwd', { context: lost.context })).content).toBe(project);
  });

  it('may be removed by the command itself', async () => {
    const project = scratch();
    mkdirSync(path.join(project, 'src'));
    const shell = shellIn(project);
    const { context } = await shell.run('cd src');
    const removed = await shell.run('rmdir ../src; echo done', { context });
    expect(removed).toMatchObject({ content: 'done', isError: false });
  });
});

describe('a very large output', () => {
  it('is shown by its beginning and end in less than 5 kB, with the path of the whole', async () => {
    const { content, data, isError } = await shellIn(scratch()).run('seq 1 1000000');
    expect(isError).toBe(false);
    expect(content.length).toBeLessThan(5_000);
    expect(content).toMatch(/^1\n2\n/);
    expect(content).toMatch(/\n999999\n1000000$/);
    expect(content).toContain(
      `7 MB in all, the middle left out; the whole is in ${data.file}`.replace('7 MB', '6889 kB'),
    );
    const whole = readFileSync(data.file ?? '', 'utf8');
    expect(whole).toBe(`${Array.from({ length: 1_000_000 }, (_, index) => index + 1).join('\n')}\n`);
    expect(statSync(data.file ?? '').mode & 0o777).toBe(0o600);
  });

  it('is shown whole up to its limit, and then leaves no file', async () => {
    const shell = shellIn(scratch());
    const { content, data } = await shell.run('head -c 30000 /dev/zero | tr "\\0" x');
    expect(content).toBe('x'.repeat(30_000));
    expect(data.file).toBeUndefined();
    expect((await shell.run('head -c 30001 /dev/zero | tr "\\0" x')).content.length).toBeLessThan(5_000);
  });

  it.each([10_000, 100_000])(
    'is shown whole up to a limit of %i, and beyond it has a file',
    async (limit) => {
      const shell = shellIn(scratch(), { limits: { inlineOutput: limit } });
      const { content, data } = await shell.run(`head -c ${limit} /dev/zero | tr "\\0" x`);
      expect(content).toBe('x'.repeat(limit));
      expect(data.file).toBeUndefined();
      const more = await shell.run(`head -c ${limit + 1} /dev/zero | tr "\\0" x`);
      expect(more.content.length).toBeLessThan(5_000);
      expect(readFileSync(more.data.file ?? '', 'utf8')).toHaveLength(limit + 1);
    },
  );

  it('is reported at most ten times a second', async () => {
    const startedAt = performance.now();
    const { progress } = await shellIn(scratch()).run('seq 1 300000');
    const tenths = (performance.now() - startedAt) / 100;
    expect(progress.length).toBeLessThanOrEqual(tenths + 2);
    expect(progress.every(({ output }) => output.length <= 4_096)).toBe(true);
  });

  it('does not need its file to continue', async () => {
    const project = scratch();
    const shell = shellIn(project);
    // The folder of the tasks is gone when the output no longer fits into memory.
    const command = `rm -rf '${shell.tasks.folder}'; seq 1 100000`;
    const { content, isError } = await shell.run(command);
    expect(isError).toBe(false);
    expect(content).toMatch(/the whole could not be kept: ENOENT/);
    expect(content).toMatch(/\n100000$/);
  });
});

type Shell = ReturnType<typeof shellIn>;

function taskOf(shell: Shell, data: { exit: { kind: string; id?: string } }) {
  const task = shell.tasks.get(data.exit.id ?? '');
  if (!task) throw new Error('no task');
  return task;
}
