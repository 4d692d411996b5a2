/** Real commands in the real view, allowed to do anything: what they try must have no effect. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type FileLimits, omitUndefined, type ReadOnlyRun } from '@heddle/core';
import { contextOf } from '@heddle/testing';
import { createShellTools, TaskRegistry } from '@heddle/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReadOnlyView, type ReadOnlyView } from './view.ts';

const isHere = (await createReadOnlyView().readiness()).ready;
const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-viewed-')));
const project = path.join(folder, 'project');
mkdirSync(path.join(project, 'src'), { recursive: true });
writeFileSync(path.join(project, 'a.txt'), 'one\n');
const tasks = new TaskRegistry({ folder: path.join(folder, 'tasks') });
afterAll(() => tasks.dispose());

/** Returns the command lines of all processes on this machine. */
function commandLines(): string[] {
  return readdirSync('/proc').flatMap((entry) => {
    try {
      return /^\d+$/.test(entry)
        ? [readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()]
        : [];
    } catch {
      // The process ended between the two looks.
      return [];
    }
  });
}

async function run(
  command: string,
  view: ReadOnlyView = createReadOnlyView(),
  readOnlyRun: ReadOnlyRun = 'required',
  fileLimits?: FileLimits,
) {
  const [bash] = createShellTools({
    tasks,
    environment: () => ({ PATH: process.env['PATH'] ?? '' }),
    projectDirectory: project,
    view,
  });
  if (!bash) throw new Error('There is no Bash tool.');
  await bash.inputSchema();
  const context = contextOf({ workingDirectory: project });
  const signal = new AbortController().signal;
  const ran = await bash.call(
    { command },
    { ...context, signal, toolUseId: 'b1', readOnlyRun, ...omitUndefined({ fileLimits }) },
    () => undefined,
  );
  const { content, isError = false } = bash.toResult(ran.data);
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { text, isError, directory: (ran.newContext?.(context) ?? context).workingDirectory };
}

describe.runIf(isHere)('a command in the read-only view', () => {
  it('reads files, runs pipes and process substitutions, and keeps its exit code', async () => {
    expect(await run('cat a.txt | tr a-z A-Z; diff <(cat a.txt) <(echo two); exit 3')).toMatchObject({
      text: 'ONE\n1c1\n< one\n---\n> two\nExit code 3',
      isError: true,
    });
  });

  it('moves the working directory of later commands', async () => {
    expect(await run('cd src && ls')).toMatchObject({ directory: path.join(project, 'src') });
  });

  it.each([
    ['link/..', 'vendor'],
    ['src/../link/inner/../..', 'vendor'],
    ['link/inner', 'vendor/sub/inner'],
    ['missing', ''],
    ['missing/../src', ''],
    ['link/../missing', ''],
    ['a.txt/..', ''],
  ])('names the working directory without links, although it reports %s', async (reported, expected) => {
    mkdirSync(path.join(project, 'vendor/sub/inner'), { recursive: true });
    rmSync(path.join(project, 'link'), { force: true });
    symlinkSync('vendor/sub', path.join(project, 'link'));
    for (const end of ['trap - EXIT', 'kill -9 $$']) {
      const { directory } = await run(`echo '${project}/${reported}' > "$TMPDIR/report"; ${end}`);
      expect(directory).toBe(path.join(project, expected));
    }
  });

  it('keeps the working directory if it reports a relative one', async () => {
    expect((await run('echo packages > "$TMPDIR/report"; trap - EXIT')).directory).toBe(project);
  });

  it('has a folder for temporary files, which is gone afterwards', async () => {
    const { text } = await run('echo x > "$TMPDIR/t"; cat "$TMPDIR/t"; echo "$TMPDIR"');
    const [written, temporary = ''] = text.split('\n');
    expect(written).toBe('x');
    expect(temporary).toMatch(/heddle-view-/);
    expect(existsSync(temporary)).toBe(false);
  });

  it.each([
    'echo x > made',
    'echo x >> a.txt',
    'rm a.txt',
    'mv a.txt b.txt',
    'mkdir made',
    'ln -s a.txt made',
    'chmod 777 a.txt',
    'touch -d yesterday a.txt',
    'touch /tmp/heddle-made-by-test',
    'touch ~/heddle-made-by-test',
    'mkfifo made',
    'git init made',
    'mount -o remount,rw /',
    'unshare -r mount -o remount,rw,bind /',
    'echo 1 > /proc/sys/vm/compact_memory',
    'hostname other',
    'unshare --user true',
    'unshare --user --cgroup --mount true',
    'unshare --net true',
  ])('changes nothing: %s', async (command) => {
    const before = readdirSync(project);
    const { isError, text } = await run(command);
    expect(text).not.toBe('');
    expect(isError).toBe(true);
    expect(readdirSync(project)).toEqual(before);
    expect(readFileSync(path.join(project, 'a.txt'), 'utf8')).toBe('one\n');
    expect(existsSync('/tmp/heddle-made-by-test')).toBe(false);
  });

  it('sends no signal to a process outside, whether or not it sees that process', async () => {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    await run(`kill -9 ${child.pid}`);
    const command = `ps -p ${child.pid} -o args=; kill -9 ${child.pid}; kill -9 -1`;
    // A program without a proof sees no process of the host, whatever words its command contains.
    expect((await run(command)).text).not.toContain('sleep 600');
    const { text } = await run(command, createReadOnlyView(), 'preferred');
    expect(text).toContain('sleep 600');
    expect(child.exitCode).toBeNull();
    process.kill(child.pid ?? 0, 0);
    child.kill('SIGTERM');
    // Had it been killed before, it would have ended by the other signal.
    expect(await ended).toEqual([null, 'SIGTERM']);
  });

  // The pattern stays as it is if the test itself is not visible.
  const look = `(cd /; set -- p*c/${process.pid}; echo "found $1")`;

  it('reaches no files through the processes that it sees', async () => {
    const escaped = path.join(folder, 'escaped');
    const hidden = path.join(folder, 'hidden');
    writeFileSync(hidden, 'secret');
    const { text } = await run(
      `ps -A; for p in /proc/[0-9]*; do
         for q in "$p" "$p"/task/*; do
           { echo x > "$q/root${escaped}"; echo x > "$q/cwd/escaped"; cat "$q/root${hidden}"; } 2> /dev/null
         done
       done; exit 0`,
      createReadOnlyView(),
      'preferred',
      { writable: [], unwritable: [], hidden: [hidden] },
    );
    expect(text).toContain(`${process.pid} `);
    expect(text).not.toContain('secret');
    expect([existsSync(escaped), existsSync(path.join(project, 'escaped'))]).toEqual([false, false]);
  });

  it.runIf(process.getuid?.() === 0)(
    'sees no process of the host if root has no user namespaces',
    async () => {
      const programs = path.join(folder, 'programs');
      mkdirSync(programs);
      const refuses = 'for arg; do [ "$arg" != --unshare-user ] || exit 1; done';
      const real = `${process.env['PATH']?.split(':').find((place) => existsSync(path.join(place, 'bwrap')))}/bwrap`;
      writeFileSync(path.join(programs, 'bwrap'), `#!/bin/sh\n${refuses}\nexec ${real} "$@"\n`, {
        mode: 0o755,
      });
      const view = createReadOnlyView({ searchPath: programs });
      expect(await view.readiness()).toEqual({ ready: true, isComplete: true });
      const { text } = await run(`${look}\nps -A`, view, 'preferred');
      expect(text).toContain(`found p*c/${process.pid}`);
    },
  );

  it.each([
    'ps -A',
    'pgrep -f .',
    'echo a | cat; ps -A',
    'x=$(ps -A); echo "$x"',
    '/bin/ps -A',
    'command ps -A',
    'timeout 9 ps -A',
    'timeout -s KILL 9 ps -A',
    'stdbuf -o L ps -A',
    'env LC_ALL=C ps -A',
    'echo 1 | xargs -n 1 ps -p',
    'if true; then ps -A; fi',
    'ls -d /proc/[0-9]*',
    "ls '/proc'/",
    'for f in /proc/[0-9]*/stat; do cat $f; done; ls -d /proc/*',
  ])('sees the processes of the host if a program shows them: %s', async (command) => {
    const { text } = await run(`${look}\n${command}`, createReadOnlyView(), 'preferred');
    expect(text).toContain(`found proc/${process.pid}`);
  });

  it.each([
    'echo ps',
    '# ps',
    ': top',
    "grep ps a.txt; echo 'ip'",
    'cat ps a.txt',
    'ls lsof.txt',
    'printf "%s" "; ps"',
    "echo ';ps /proc'",
    'cat <<< "ps /proc"',
    'cat <<E\nps\n/proc\nE',
    'x=ps; echo $x',
    'cat /proc/meminfo',
    'cat /proc/self/status',
    'echo /proc/1',
  ])('sees only its own processes although the command contains such a word: %s', async (command) => {
    const { text } = await run(`${look}\n${command}`, createReadOnlyView(), 'preferred');
    expect(text).toContain(`found p*c/${process.pid}`);
  });

  it('reports to the model what the view lacks, and is not proven any more', async () => {
    const view = createReadOnlyView();
    expect(view.hasFailed('touch x')).toBe(false);
    const { text } = await run('touch x', view);
    expect(text).toContain('The command ran in a read-only view, in which nothing can be written.');
    expect(text).toContain('run the same command again: the user is asked then');
    expect(view.hasFailed('touch x')).toBe(true);
    expect(view.hasFailed('touch y')).toBe(false);
    const search = `echo 'a.c:1: if (error == EROFS) // Read-only file system, see x'`;
    expect((await run(search, view)).text).not.toContain('in which nothing can be written');
    expect(view.hasFailed(search)).toBe(false);
  });

  it.each([
    'echo "mkdir /x: read-only file system" >&2; false',
    'echo "socket: operation not permitted" >&2; false',
  ])('recognizes a refusal in other words: %s', async (command) => {
    const view = createReadOnlyView();
    await run(command, view);
    expect(view.hasFailed(command)).toBe(true);
  });

  it('starts nothing if its temporary files cannot be stored, and the command asks then', async () => {
    const view = createReadOnlyView();
    await view.readiness();
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = path.join(folder, 'missing');
    try {
      const { text, isError } = await run('cat a.txt', view, 'preferred');
      expect([isError, text]).toEqual([true, expect.stringContaining('The read-only view cannot start')]);
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
    expect(view.hasFailed('cat a.txt')).toBe(true);
  });

  it('leaves a proven client of a local server outside, because it has no sockets', async () => {
    const view = createReadOnlyView();
    const confine = (command: string, isProven: boolean) =>
      view.confine({ command, directory: project, isProven });
    for (const command of ['docker ps', 'docker images --format json'])
      expect(await confine(command, true)).toBeUndefined();
    const others = ['echo docker', 'docker ps; ps', 'docker ps | head', 'docker ps $x', 'docker ps < a'];
    const inside = [['docker ps', false] as const, ...others.map((command) => [command, true] as const)];
    for (const [command, isProven] of inside) {
      const confinement = await confine(command, isProven);
      expect(confinement).toBeDefined();
      await confinement?.ended({ failed: false, output: '' });
    }
  });

  // A number of this test run alone: another run may look at the same processes.
  const seconds = 10_000_000 + process.pid;
  it.each([
    ['sees its own processes', `sleep ${seconds}.1 & echo left`, `sleep ${seconds}.1`],
    ['sees the processes of the host', `sleep ${seconds}.2 & ps`, `sleep ${seconds}.2`],
  ])('ends what it leaves in the background if it %s', async (_, command, left) => {
    const { text } = await run(command, createReadOnlyView(), 'preferred');
    expect(text).toContain('Processes it left in the background were ended');
    // A killed process is visible until the system has removed it.
    await expect.poll(commandLines).not.toContain(left);
  });

  it('ends a process that left its session, also if it sees the processes of the host', async () => {
    await run(`setsid sleep ${seconds}.3 >/dev/null 2>&1 & ps`, createReadOnlyView(), 'preferred');
    await expect.poll(commandLines).not.toContain(`sleep ${seconds}.3`);
  });

  it('keeps temporary files off the disk', async () => {
    const { text } = await run('stat -f -c %T "$TMPDIR"; touch "$TMPDIR/t"');
    expect(text.split('\n')[0]).toBe('tmpfs');
  });
});

describe.runIf(isHere)('the network in the read-only view', () => {
  let server: Server;
  let connections = 0;
  const socket = path.join(folder, 'socket');
  const listen = async (where: number | string): Promise<Server> => {
    const made = createServer((connection) => {
      connections++;
      connection.end();
    });
    made.listen(typeof where === 'number' ? { port: where, host: '127.0.0.1' } : { path: where });
    await once(made, 'listening');
    return made;
  };
  let onDisk: Server;
  beforeAll(async () => {
    [server, onDisk] = await Promise.all([listen(0), listen(socket)]);
  });
  afterAll(() => {
    server.close();
    onDisk.close();
  });

  it.each(['', 'ps > /dev/null;'])('reaches neither hosts nor sockets on the disk %s', async (before) => {
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const connect = `require('net').connect(process.argv[1]).on('error', (e) => { console.log(e.code); process.exit(1); })`;
    const tried = await run(
      `${before} (echo > /dev/tcp/127.0.0.1/${port}); ${process.execPath} -e "${connect}" ${socket}; ${process.execPath} -e "${connect}" ${port}`,
      createReadOnlyView(),
      before === '' ? 'required' : 'preferred',
    );
    expect(tried).toMatchObject({ isError: true, text: expect.stringMatching(/EPERM/) });
    expect(connections).toBe(0);
  });

  it.each(['', 'ps > /dev/null;'])('has pairs of streams, but none of datagrams %s', async (before) => {
    const pair = (type: string): string =>
      `perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_${type}, 0) or die "${type} $!\\n"; print "${type} ok\\n"'`;
    const types = ['STREAM', 'SEQPACKET', 'DGRAM', 'RAW'];
    const tried = await run(
      `${before} ${types.map((type) => `${pair(type)} 2>&1`).join('; ')}`,
      createReadOnlyView(),
      before === '' ? 'required' : 'preferred',
    );
    expect(tried.text.split('\n').slice(0, 4)).toEqual([
      'STREAM ok',
      'SEQPACKET ok',
      'DGRAM Operation not permitted',
      'RAW Operation not permitted',
    ]);
  });
});

describe('without a read-only view', () => {
  const none = (): ReadOnlyView => createReadOnlyView({ searchPath: folder });

  it('says why', async () => {
    expect(await none().readiness()).toEqual({
      ready: false,
      reason:
        process.platform === 'linux'
          ? 'Commands cannot run in a read-only view: bubblewrap is not installed.'
          : expect.any(String),
    });
    expect(await createReadOnlyView({ platform: 'win32' }).readiness()).toMatchObject({ ready: false });
    expect(await createReadOnlyView({ platform: 'linux', arch: 'riscv64' }).readiness()).toMatchObject({
      ready: false,
    });
  });

  it('runs a command that was proven, and refuses one that was not', async () => {
    expect(await run('cat a.txt', none(), 'preferred')).toMatchObject({ text: 'one', isError: false });
    expect(await run('cat a.txt', none(), 'required')).toMatchObject({
      text: 'Nothing was run: It was permitted for a read-only view, which is not available.',
      isError: true,
    });
  });
});
