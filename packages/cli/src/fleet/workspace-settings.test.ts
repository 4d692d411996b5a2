/** A turn in a workspace uses the settings of its repository, and nothing of the folder that the worker was started in. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { findPrograms } from '@heddle/fleet';
import { call, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { install, runProgram } from '../test/program.ts';

const isInstalled = (await findPrograms()) !== undefined;

function put(folder: string, name: string, content: unknown): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

function makeRepository(folder: string): string {
  put(folder, '.claude/settings.json', {
    permissions: { deny: ['Read(./secrets/**)', 'Bash(touch:*)'], allow: ['Bash(mknod:*)'] },
  });
  put(folder, 'secrets/k', 'KEY-OF-THE-REPOSITORY\n');
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'a'],
  ])
    execFileSync('git', [...who, ...args], { cwd: folder });
  return folder;
}

it.runIf(isInstalled)(
  'the rules of the repository apply, and the rules and hooks of the folder of the worker do not',
  async () => {
    const installed = await install();
    // Root runs the server as another user, who must be able to enter the folder.
    const folder = mkdtempSync(path.join(process.getuid?.() === 0 ? '/tmp' : os.tmpdir(), 'heddle-ws-'));
    chmodSync(folder, 0o755);
    const stops = path.join(folder, 'stops');
    put(folder, '.heddle/settings.json', {
      permissions: { allow: ['Bash(mkfifo:*)', 'Bash(mknod:*)'] },
      hooks: { Stop: [{ hooks: [{ type: 'command', command: `echo stop >> '${stops}'` }] }] },
    });
    const commands = ['cat secrets/k', 'touch touched', 'mkfifo fifo', 'mknod node p', 'mkdir made'];
    const steps = commands.map((command, at) => [call('Bash', { command, description: 'a' }, `b${at}`)]);
    const model = `scripted:${put(folder, 'script.json', [...steps, [say('All is done.')]])}`;
    const repository = makeRepository(path.join(folder, 'repository'));
    const run = (...argv: readonly string[]) => runProgram(installed.program, argv, { cwd: folder });
    expect((await run('permissions', 'trust')).code).toBe(0);
    // Trust covers subfolders, so the workspaces are elsewhere.
    const workspaces = mkdtempSync(path.join(os.tmpdir(), 'heddle-clones-'));
    const rules = ['--allowed-tools', 'Bash(touch:*),Bash(mkdir:*)', '--permission-mode', 'dontAsk'];
    const places = ['--data', path.join(folder, 'data'), '--workspaces', workspaces];
    const started = Promise.withResolvers<ChildProcess>();
    let up: ChildProcess | undefined;
    void runProgram(installed.program, ['fleet', 'up', ...places, '--', '--model', model, ...rules], {
      cwd: folder,
      onStart: (child) => {
        up = child;
      },
      onOutput: (text) => void (up && text.includes('takes turns') && started.resolve(up)),
    }).then(({ stderr }) => started.reject(new Error(stderr)));
    const worker = await started.promise;
    try {
      const turn = await run('fleet', 'submit', 's1', 'Do it.', '--repo', repository, '--watch', '--json');
      expect(turn.stdout).toContain('All is done.');
      expect(turn.stdout).not.toContain('KEY-OF-THE-REPOSITORY');
      const made = globSync(`${workspaces}/**/{touched,fifo,node,made}`).map((file) => path.basename(file));
      expect(made).toEqual(['made']);
      expect(existsSync(stops)).toBe(false);
    } finally {
      const over = once(worker, 'close');
      if (worker.kill('SIGTERM')) await over;
      installed.remove();
      for (const one of [folder, workspaces]) rmSync(one, { recursive: true, force: true });
    }
  },
  120_000,
);
