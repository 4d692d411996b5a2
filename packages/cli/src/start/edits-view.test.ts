/** The program runs scripts of permitted edits in a view in which only the project can change. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createReadOnlyView } from '@heddle/agent/sandbox';
import { call, say, type ScriptStep } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install, type Installed, linesOf, runProgram } from '../test/program.ts';

const isHere = (await createReadOnlyView().readiness()).ready;
let installed: Installed;

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const bash = (command: string, id: string): ScriptStep => call('Bash', { command }, id);

interface Start {
  readonly flags?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A project in the home folder, with a separate folder for temporary files. */
function openProject() {
  const home = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-edits-')));
  const project = path.join(home, 'project');
  const temporary = path.join(home, 'temporary');
  for (const folder of [temporary, path.join(project, 'src')]) mkdirSync(folder, { recursive: true });
  const at = (name: string): string => path.join(project, name);
  const start = (argv: readonly string[], { cwd = project, env = {} }: Start = {}) => {
    const config = path.join(home, 'config');
    const own = { HOME: home, HEDDLE_CONFIG_DIR: config, TMPDIR: temporary, ...env };
    return runProgram(installed.program, argv, { cwd, env: own });
  };
  return {
    home,
    project,
    start,
    /** Stores the names of temporary folders. A view has one of them as long as its command runs. */
    where: `ls ${temporary} > where.txt`,
    isInView: (folder = project): boolean =>
      readFileSync(path.join(folder, 'where.txt'), 'utf8').includes('heddle-view-'),
    at,
    has: (name: string): boolean => existsSync(at(name)),
    read: (name: string): string => readFileSync(at(name), 'utf8'),
    write: (name: string, text = 'before\n'): void => {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), text);
    },
    /** Runs steps of a model in the mode acceptEdits. */
    play: async (steps: readonly ScriptStep[], started: Start = {}): Promise<string> => {
      const script = path.join(home, 'script.json');
      writeFileSync(script, JSON.stringify([...steps, say('Done.')]));
      const argv = [
        '-p',
        'go',
        '--output-format',
        'stream-json',
        '--verbose',
        '--model',
        `scripted:${script}`,
      ];
      const mode = ['--permission-mode', 'acceptEdits'];
      return (await start([...argv, ...mode, ...(started.flags ?? [])], started)).stdout;
    },
  };
}

const FAILED = '"is_error":true';

// Each test starts the program at least once.
describe.runIf(isHere)('a script of permitted edits', () => {
  it('runs in the view, and its files have the usual owner and mode outside', async () => {
    const { play, where, isInView, at, read, has, write, project } = openProject();
    execFileSync('git', ['init', '-q', project]);
    write('a.txt');
    const output = await play([
      bash(where, 'b1'),
      bash('touch made.txt; mkdir -p deep/er', 'b2'),
      bash("sed -i 's/before/after/' a.txt", 'b3'),
      bash('mv a.txt src/b.txt', 'b4'),
      bash('cp -r src copy', 'b5'),
      bash('rm -r deep', 'b6'),
    ]);
    expect(output).not.toContain(FAILED);
    expect(isInView()).toBe(true);
    expect([read('copy/b.txt'), has('a.txt'), has('deep')]).toEqual(['after\n', false, false]);
    const { mode, uid } = statSync(at('made.txt'));
    expect([mode & 0o777, uid]).toEqual([0o666 & ~process.umask(), process.getuid?.()]);
  });

  it('keeps its working directory, and runs in the view in the folder of a cd', async () => {
    const { play, where, isInView, has, at } = openProject();
    await play([bash(`cd src && ${where}`, 'b1'), bash('touch here.txt', 'b2')]);
    expect([isInView(at('src')), has('src/here.txt')]).toEqual([true, true]);
  });

  it('works in a linked worktree, and in a repository inside the project', async () => {
    const { play, where, isInView, home, project, write } = openProject();
    write('a.txt');
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-C', project, '-c', 'user.name=x', '-c', 'user.email=x@y', ...args]);
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    const linked = path.join(home, 'linked');
    git('worktree', 'add', '-q', linked);
    execFileSync('git', ['init', '-q', path.join(linked, 'nested')]);
    const output = await play([bash(where, 'b1'), bash('touch nested/made.txt', 'b2')], { cwd: linked });
    expect(output).not.toContain(FAILED);
    expect([isInView(linked), existsSync(path.join(linked, 'nested/made.txt'))]).toEqual([true, true]);
  });

  it('changes additional directories, also behind a link', async () => {
    const { play, where, isInView, home } = openProject();
    mkdirSync(path.join(home, 'real'));
    symlinkSync('real', path.join(home, 'other'));
    const flags = ['--add-dir', path.join(home, 'other')];
    const steps = [bash(where, 'b1'), bash(`touch ${home}/other/made.txt`, 'b2')];
    expect(await play(steps, { flags })).not.toContain(FAILED);
    expect([isInView(), existsSync(path.join(home, 'real/made.txt'))]).toEqual([true, true]);
  });

  it('runs in the view after a resume, and files of the Write tool can still be restored', async () => {
    const { play, start, where, isInView, has, at } = openProject();
    const written = call('Write', { file_path: at('note.txt'), content: 'x\n' }, 'w1');
    const output = await play([written, bash('cp note.txt copy.txt', 'b1')]);
    const session = String(linesOf(output).at(-1)?.['session_id']);
    await play([bash(where, 'b2')], { flags: ['--resume', session] });
    expect(isInView()).toBe(true);
    const [{ uuid }] = JSON.parse((await start(['rewind', session, '--json'])).stdout);
    expect((await start(['rewind', session, uuid])).code).toBe(0);
    expect([has('note.txt'), has('copy.txt')]).toEqual([false, true]);
  });

  it('sees no file that a rule forbids to read, and neither does a proven command', async () => {
    const { play, where, isInView, read, write } = openProject();
    write('secrets/key', 'TOKEN\n');
    const flags = ['--disallowedTools', 'Read(./secrets/**)'];
    // The decision allows a list of names, because it shows no contents.
    const output = await play([bash(where, 'b1'), bash('ls -R', 'b2'), bash('touch made.txt', 'b3')], {
      flags,
    });
    expect(isInView()).toBe(true);
    expect(output).not.toContain(FAILED);
    expect(output).toContain('secrets');
    expect(output).not.toContain('key');
    expect(read('secrets/key')).toBe('TOKEN\n');
  });

  it('has no effect where the view refuses it, and asks when the same script comes again', async () => {
    const { play, at, read, write } = openProject();
    write('e.txt');
    write('one/two/three/four/a.txt', 'after\n');
    symlinkSync('../../../../e.txt', at('one/two/three/four/.envrc'));
    // The decision does not look for links so deep. The view protects the target of the link.
    const script = 'cp one/two/three/four/a.txt e.txt';
    const output = await play([bash(script, 'b1'), bash(script, 'b2')]);
    expect(output).toContain('If it needs more, run the same command again: the user is asked then.');
    expect(output).toContain(
      'The script failed because it writes to a place that its permitted edits do not include.',
    );
    expect(read('e.txt')).toBe('before\n');
  });

  it.each([
    ['with the view', []],
    ['without it', ['--settings', JSON.stringify({ sandbox: { readOnlyView: 'off' } })]],
  ])('runs no start-up file of the project, like a proven command: %s', async (_, flags) => {
    const { play, has, read, write, at, home } = openProject();
    write('env.sh', `echo ran >> ${at('ran.log')}\n`);
    symlinkSync(at('env.sh'), path.join(home, 'env.sh'));
    for (const BASH_ENV of [at('env.sh'), path.join(home, 'env.sh')]) {
      const steps = [bash('touch made.txt', 'b1'), bash('ls', 'b2'), bash('echo "touch x" >> env.sh', 'b3')];
      const output = await play(steps, { flags, env: { BASH_ENV } });
      expect(output).toContain(`${at('env.sh')} is protected`);
      expect([has('made.txt'), has('ran.log'), read('env.sh').includes('touch')]).toEqual([
        true,
        false,
        false,
      ]);
    }
  });

  it.each([
    ['a Bash rule allows it', ['--allowedTools', 'Bash(ls:*)', 'Edit']],
    ['the mode bypassPermissions allows it', ['--dangerously-skip-permissions']],
    ['the setting is off', ['--settings', JSON.stringify({ sandbox: { readOnlyView: 'off' } })]],
  ])('runs without the view if %s', async (_, flags) => {
    const { play, where, isInView } = openProject();
    await play([bash(where, 'b1')], { flags });
    expect(isInView()).toBe(false);
  });

  it('runs without the view if bubblewrap is missing', async () => {
    const { play, where, isInView, home } = openProject();
    const programs = path.join(home, 'programs');
    mkdirSync(programs);
    for (const name of ['sh', 'bash', 'env', 'ls', 'touch', 'dirname', 'readlink', 'uname'])
      symlinkSync(`/usr/bin/${name}`, path.join(programs, name));
    symlinkSync(process.execPath, path.join(programs, 'node'));
    await play([bash(where, 'b1')], { env: { PATH: programs } });
    expect(isInView()).toBe(false);
  });
});
