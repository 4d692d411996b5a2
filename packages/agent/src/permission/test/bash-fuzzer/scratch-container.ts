/** A project and a home that scripts may destroy, in a container without network; nothing of it outlives a batch. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { readOnlyGitEnvironment } from '@heddle/tools/shell';
import { WATCHED_PORT } from './payload.ts';

export interface Scratch {
  readonly project: string;
  readonly home: string;
  /**
   * The environment of decisions. Commands run with it, and with the additions of the Bash tool for a proven command.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** One entry per script; undefined: no effect. An effect ends the container, and the rest runs in a new one. */
  run(scripts: readonly string[]): Promise<(string | undefined)[]>;
  remove(): void;
}

const ENDED = 'the end of its container';
/** Scripts that run side by side, and are looked at together: a look costs more than most scripts. */
const GROUP = 8;
const BATCH_DEADLINE_MS = 10 * 60_000;
const DRIVER = path.join(import.meta.dirname, '..', 'run-scripts.ts');

export function createScratch(): Scratch {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-scratch-')));
  const [root, copies] = [path.join(folder, 'root'), path.join(folder, 'copies')];
  const [project, home] = [path.join(root, 'project'), path.join(root, 'home')];
  mkdirSync(copies);
  const environment = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  fill(project, home, environment);

  /** One entry per group. Only the last one can have an effect. */
  async function runGroups(scripts: readonly string[], size: number): Promise<(string | undefined)[]> {
    const copy = mkdtempSync(path.join(copies, 'c'));
    cpSync(root, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    const child = spawn(
      'bwrap',
      [
        ...containerArguments(copy, root),
        '--chdir',
        project,
        '--',
        process.execPath,
        '/driver/run-scripts.ts',
        String(WATCHED_PORT),
        String(size),
        root,
        '/tmp',
      ],
      {
        env: { ...environment, ...readOnlyGitEnvironment('git') },
        stdio: ['pipe', 'pipe', 'ignore'],
        timeout: BATCH_DEADLINE_MS,
        killSignal: 'SIGKILL',
      },
    );
    child.stdin.on('error', () => undefined);
    child.stdin.end(scripts.join('\0'));
    const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
    rmSync(copy, { recursive: true, force: true });
    const lines = output.split('\n').slice(0, -1);
    const results = lines.map((line) => (line === 'none' ? undefined : line));
    // A script that ends the one that runs it leaves no line.
    const isWhole = results.length === Math.ceil(scripts.length / size) || results.at(-1) !== undefined;
    return isWhole ? results : [...results, ENDED];
  }

  /** Finds out which script of a group had the effect. */
  async function runEach(group: readonly string[], effect: string): Promise<(string | undefined)[]> {
    const results: (string | undefined)[] = [];
    while (results.length < group.length) {
      results.push(...(await runGroups(group.slice(results.length), 1)));
      const at = results.length - 1;
      // A busy machine ends containers, too: the script must end a second one.
      if (results[at] === ENDED) [results[at]] = await runGroups(group.slice(at, at + 1), 1);
    }
    const isSeen = effect === ENDED || results.some((result) => result !== undefined);
    return isSeen ? results : [`${effect}, beside other scripts only`, ...results.slice(1)];
  }

  return {
    project,
    home,
    environment,
    async run(scripts) {
      const results: (string | undefined)[] = [];
      while (results.length < scripts.length) {
        const groups = await runGroups(scripts.slice(results.length), GROUP);
        const effect = groups.at(-1);
        const harmless = effect === undefined ? groups.length : groups.length - 1;
        const known = Math.min(results.length + harmless * GROUP, scripts.length);
        while (results.length < known) results.push(undefined);
        if (effect !== undefined)
          results.push(...(await runEach(scripts.slice(known, known + GROUP), effect)));
      }
      return results;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function containerArguments(copy: string, root: string): string[] {
  const system = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc'].flatMap((place) => [
    '--ro-bind-try',
    place,
    place,
  ]);
  return [
    '--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --die-with-parent --new-session --cap-drop ALL'.split(
      ' ',
    ),
    system,
    '--dev /dev --proc /proc --remount-ro /proc --tmpfs /tmp'.split(' '),
    [
      '--bind',
      copy,
      root,
      '--ro-bind',
      process.execPath,
      process.execPath,
      '--ro-bind',
      DRIVER,
      '/driver/run-scripts.ts',
    ],
  ].flat();
}

/** A repository with what scripts trip over: links that lead out, programs with the names of others, files like options. */
function fill(project: string, home: string, environment: Readonly<Record<string, string>>): void {
  mkdirSync(path.join(project, 'src'), { recursive: true });
  mkdirSync(path.join(project, 'docs'));
  mkdirSync(home);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, env: environment });
  const write = (file: string, content: string): void => writeFileSync(path.join(project, file), content);
  writeFileSync(path.join(home, 'out'), 'out\n');
  writeFileSync(
    path.join(home, '.gitconfig'),
    '[user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n',
  );
  git('init', '-q', '--template=');
  write('a', 'one\ntwo: 2\nfoo\n');
  write('b', 'one\nthree\n');
  write('src/x.ts', 'export const one = 1;\n');
  write('src/y.ts', 'export const two = 2;\n');
  write('docs/d', 'text\n');
  git('add', '-A');
  git('commit', '-qm', 'one');
  write('b', 'one\nfour\n');
  git('commit', '-qam', 'two');
  write('--output=MARK', '');
  write('-n', '');
  for (const program of ['evil', 'ls', 'src/evil', 'git']) {
    write(program, '#!/bin/sh\ntouch "$HOME/MARK-evil"\n');
    chmodSync(path.join(project, program), 0o755);
  }
  symlinkSync(path.join(home, 'out'), path.join(project, 'link'));
  // The word `y=~/x` becomes a path through it.
  symlinkSync('/', path.join(project, 'y='));
  git('config', 'remote.origin.url', `http://127.0.0.1:${WATCHED_PORT}/x.git`);
}
