/** Scripts that no decision would allow, with the limits of one that is allowed. They must change only the project. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FileLimits, PermissionMode } from '@heddle/core';
import { contextOf } from '@heddle/testing';
import { createShellTools, TaskRegistry } from '@heddle/tools';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { authorize } from '../../permission/authorize.ts';
import { observeWorld } from '../../permission/observe-world.ts';
import { createReadOnlyView } from './view.ts';

const isHere = (await createReadOnlyView().readiness()).ready;
const tasks = new TaskRegistry({ folder: mkdtempSync(path.join(os.tmpdir(), 'heddle-edit-tasks-')) });
afterAll(() => tasks.dispose());

let home: string;
let project: string;
const at = (name: string): string => path.join(project, name);
const read = (name: string): string => readFileSync(at(name), 'utf8');

function write(name: string, text = 'before\n'): void {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
}

beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-edited-')));
  project = path.join(home, 'project');
  mkdirSync(at('src'), { recursive: true });
  execFileSync('git', ['init', '-q', project]);
  write('a.txt');
});

interface Setting {
  readonly deny?: readonly string[];
  readonly allow?: readonly string[];
  readonly mode?: PermissionMode;
  readonly directories?: readonly string[];
  readonly cwd?: string;
}

/** Decides about a command in the real project. */
function decide(command: string, setting: Setting = {}) {
  const { deny = [], allow = [], mode = 'acceptEdits', directories = [], cwd = project } = setting;
  const rules = (texts: readonly string[]) => texts.map((text) => ({ text, source: 'user' as const }));
  return authorize(
    { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined },
    { deny: rules(deny), ask: [], allow: rules(allow) },
    mode,
    observeWorld({
      root: project,
      cwd,
      directories,
      home,
      configDirs: [path.join(home, 'config')],
      environment: { PATH: process.env['PATH'] },
      readOnlyView: true,
    }),
  );
}

/** Runs a command with the limits of another one that was allowed. */
async function run(
  command: string,
  fileLimits: FileLimits | undefined,
  view = createReadOnlyView(),
  run_in_background = false,
) {
  const [bash] = createShellTools({
    tasks,
    environment: () => ({ PATH: process.env['PATH'] ?? '', HOME: home }),
    projectDirectory: project,
    view,
  });
  if (!bash || !fileLimits) throw new Error('There is no Bash tool, or no limit.');
  await bash.inputSchema();
  const context = contextOf({ workingDirectory: project });
  const { signal } = new AbortController();
  const own = { ...context, signal, toolUseId: 'b1', readOnlyRun: 'edits' as const, fileLimits };
  const ran = await bash.call({ command, run_in_background }, own, () => undefined);
  const { content, isError = false } = bash.toResult(ran.data);
  return { text: typeof content === 'string' ? content : JSON.stringify(content), isError };
}

const limitsOf = (command: string, setting?: Setting): FileLimits | undefined =>
  decide(command, setting).fileLimits;

describe.runIf(isHere)('a script in the view for edits', () => {
  it('changes files of the project, with their usual owner and mode', async () => {
    chmodSync(at('a.txt'), 0o640);
    const script = 'sed -i s/before/after/ a.txt; touch made; mkdir folder; cp -p a.txt b.txt; rm -r folder';
    expect(await run(script, limitsOf('touch made'))).toMatchObject({ isError: false });
    expect([read('a.txt'), read('b.txt'), existsSync(at('folder'))]).toEqual(['after\n', 'after\n', false]);
    expect([statSync(at('a.txt')).mode & 0o777, statSync(at('b.txt')).mode & 0o777]).toEqual([0o640, 0o640]);
    expect(statSync(at('made'))).toMatchObject({ uid: process.getuid?.(), gid: process.getgid?.() });
  });

  it('changes nothing outside the project', async () => {
    const outside = path.join(home, 'outside.txt');
    writeFileSync(outside, 'before\n');
    symlinkSync(outside, at('link'));
    symlinkSync(home, at('up'));
    const limits = limitsOf('touch made');
    for (const script of [
      `echo x > ${outside}`,
      'echo x > link',
      'echo x > up/new.txt',
      `rm -f ${outside}`,
      `mv a.txt ${home}/`,
      'touch ../made',
      'mkdir ~/folder',
      `ln -f ${outside} hard && echo x > hard`,
      'chmod 777 up/outside.txt',
    ])
      expect([script, await run(script, limits)]).toMatchObject([script, { isError: true }]);
    expect(readFileSync(outside, 'utf8')).toBe('before\n');
    expect(readdirSync(home).toSorted()).toEqual(['outside.txt', 'project']);
    expect(read('a.txt')).toBe('before\n');
  });

  it('changes no protected place of the project', async () => {
    const kept = [
      '.claude/settings.json',
      '.mcp.json',
      '.vscode/tasks.json',
      'src/.envrc',
      'nested/.git/config',
      'nested/.git/modules/m/config',
      'node_modules/.bin/tool',
      'hooks/pre-commit',
      'bare.git/HEAD',
      'linked/settings.json',
    ];
    for (const name of kept) write(name);
    for (const name of ['bare.git/objects', 'bare.git/refs']) mkdirSync(at(name));
    symlinkSync('linked', at('.cursor'));
    write('.git/config', '[core]\n\thooksPath = hooks\n');
    const limits = limitsOf('touch made');
    const writes = kept.map((name) => `echo x > ${name}; rm -f ${name}; touch ${path.dirname(name)}/new`);
    await run([...writes, 'rm -rf .git nested hooks bare.git', 'mv .claude elsewhere'].join('\n'), limits);
    expect(kept.map((name) => [name, read(name)])).toEqual(kept.map((name) => [name, 'before\n']));
    expect(read('.git/config')).toContain('hooksPath');
    expect(existsSync(at('elsewhere'))).toBe(false);
    expect(existsSync(at('hooks/new'))).toBe(false);
  });

  it('reaches no network, and ends with all of its processes', async () => {
    const { text } = await run(
      '(echo > /dev/tcp/192.0.2.1/9) 2>&1; sleep 76546 & echo left',
      limitsOf('touch a'),
    );
    expect(text).toMatch(/Network is unreachable/);
    expect(text).toContain('Processes it left in the background were ended');
  });

  it('reports a refused write to the model, and asks about the same script the next time', async () => {
    const view = createReadOnlyView();
    const { text } = await run('touch ../made', limitsOf('touch made'), view);
    expect(text).toContain('in which only the folder of its edits can be written');
    expect(view.hasFailed('touch ../made')).toBe(true);
  });

  it('changes additional directories, and a place outside for which a rule permits an edit', async () => {
    const other = path.join(home, 'other');
    const ruled = path.join(home, 'ruled');
    for (const folder of [other, ruled]) mkdirSync(folder);
    const added = limitsOf('touch made ../other/made', { directories: [other] });
    expect(await run('touch ../other/made && mv a.txt ../other/', added)).toMatchObject({ isError: false });
    expect(existsSync(path.join(other, 'a.txt'))).toBe(true);
    expect(await run('touch ../ruled/made', added)).toMatchObject({ isError: true });
    const permitted = 'echo x > ../ruled/made';
    const limits = limitsOf(permitted, { mode: 'default', allow: [`Edit(/${ruled}/**)`] });
    expect(await run(permitted, limits)).toMatchObject({ isError: false });
    expect(readFileSync(path.join(ruled, 'made'), 'utf8')).toBe('x\n');
    // The file exists now, and a redirection needs no more than that.
    expect(limitsOf(permitted, { mode: 'default', allow: [`Edit(/${ruled}/**)`] })?.writable).toEqual([
      path.join(ruled, 'made'),
    ]);
    expect(await run('touch ../other/more', limits)).toMatchObject({ isError: true });
  });

  it('changes only the folder that contains all of its edits', async () => {
    mkdirSync(at('src/deep'));
    symlinkSync('../a.txt', at('src/link'));
    const limits = limitsOf('touch src/deep/one src/two');
    expect(limits?.writable).toEqual([at('src')]);
    expect(await run('touch src/deep/one && mv src/deep/one src/two', limits)).toMatchObject({
      isError: false,
    });
    await run('touch made; echo x > src/link', limits);
    expect([read('a.txt'), existsSync(at('made'))]).toEqual(['before\n', false]);
    expect(limitsOf('rm src/link')?.writable).toEqual([project]);
    expect(limitsOf('rm src/*.o')?.writable).toEqual([at('src')]);
    expect(limitsOf('mkdir -p new/folder')?.writable).toEqual([project]);
  });

  it('does not write through a folder that became a link after the decision', async () => {
    const outside = path.join(home, 'outside');
    mkdirSync(outside);
    const limits = limitsOf('touch src/made');
    renameSync(at('src'), at('moved'));
    symlinkSync(outside, at('src'));
    expect(await run('touch src/made', limits)).toMatchObject({ isError: true });
    expect(readdirSync(outside)).toEqual([]);
  });

  it('sees only its own processes, also if a file has the name of a program that shows others', async () => {
    const { text } = await run('touch ip top; ls -d /proc/[0-9]* | wc -l', limitsOf('touch ip top'));
    expect(Number(text)).toBeLessThan(10);
    expect(existsSync(at('ip'))).toBe(true);
    const shown = await run(
      'ps -A > all.txt',
      limitsOf('ps -A > all.txt', { mode: 'default', allow: ['Edit(./**)'] }),
    );
    expect(shown).toMatchObject({ isError: false });
    expect(read('all.txt').split('\n').length).toBeGreaterThan(10);
  });

  it('runs in the background', async () => {
    const background = await run('touch made ../made', limitsOf('touch made'), undefined, true);
    expect(background.isError).toBe(false);
    await Promise.all(tasks.list().map(({ ended }) => ended));
    expect([existsSync(at('made')), existsSync(path.join(home, 'made'))]).toEqual([true, false]);
  });

  it('changes the checkout of a subagent below the folder of the agent', async () => {
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-C', project, '-c', 'user.name=x', '-c', 'user.email=x@y', ...args]);
    git('commit', '-q', '--allow-empty', '-m', 'one');
    git('worktree', 'add', '-q', '.claude/worktrees/one');
    const pointer = read('.claude/worktrees/one/.git');
    const script = 'touch .claude/worktrees/one/made';
    const limits = limitsOf(script);
    expect(await run(script, limits)).toMatchObject({ isError: false });
    await run('echo x > .claude/worktrees/one/.git; touch .claude/settings.json', limits);
    expect(read('.claude/worktrees/one/.git')).toBe(pointer);
    expect(existsSync(at('.claude/settings.json'))).toBe(false);
  });

  it('removes node_modules, whose programs are protected otherwise', async () => {
    write('node_modules/.bin/tool');
    expect(await run('rm -rf node_modules', limitsOf('rm -rf node_modules'))).toMatchObject({
      isError: false,
    });
    expect(existsSync(at('node_modules'))).toBe(false);
  });
});

describe('the limits of a script of edits', () => {
  it('ask if the project has more protected places than can be guarded', () => {
    for (let index = 0; index < 101; index++) write(`p${index}/.envrc`);
    const { decision, reason } = decide('touch made');
    expect([decision, reason]).toEqual(['ask', expect.stringContaining('more protected places')]);
    expect(decide('touch made', { mode: 'dontAsk', allow: ['Edit'] }).decision).toBe('deny');
  });

  it('are absent if a rule or a mode allows any effect', () => {
    expect(limitsOf('touch made', { allow: ['Bash(touch:*)'], mode: 'default' })).toBeUndefined();
    expect(limitsOf('> a.txt', { mode: 'bypassPermissions' })).toBeUndefined();
  });
});

describe.runIf(isHere)('a file that a rule forbids to read', () => {
  const deny = ['Read(**/.env)', 'Read(./secrets/**)', 'Read(~/.keys)'];

  beforeEach(() => {
    for (const name of ['.env', 'src/.env', 'secrets/deep/key', '../.keys']) write(name, 'TOKEN\n');
  });

  it.each([
    ['ls', 'default'],
    ['touch made', 'acceptEdits'],
  ] as const)('is empty in the view of %s', async (command, mode) => {
    const limits = limitsOf(command, { deny, mode });
    const { text } = await run('cat .env src/.env ../.keys; grep -r TOKEN . ; ls -a; cat a.txt', limits);
    expect(text).not.toContain('TOKEN');
    expect(text).toContain('before');
    expect(text).toContain('secrets');
    await run('rm -rf .env secrets; echo x > src/.env', limits);
    expect([read('.env'), read('src/.env'), read('secrets/deep/key')]).toEqual([
      'TOKEN\n',
      'TOKEN\n',
      'TOKEN\n',
    ]);
  });

  it('stays as it is for git if git tracks it, and in the working directory', () => {
    execFileSync('git', ['-C', project, 'add', '-f', 'src/.env']);
    expect(limitsOf('git status', { deny })?.hidden.toSorted()).toEqual([
      path.join(home, '.keys'),
      at('.env'),
      at('secrets'),
    ]);
    expect(limitsOf('ls', { deny, cwd: at('secrets/deep') })?.hidden).not.toContain(at('secrets'));
  });

  it('never hides the system or the project', () => {
    for (const rule of ['Read(//**)', 'Read(//usr/**)', 'Read(~/**)'])
      expect(limitsOf('pwd', { deny: [rule] })?.hidden ?? []).not.toContainEqual(
        expect.stringMatching(/^\/(usr.*)?$/),
      );
    expect(limitsOf('pwd', { deny: ['Read(~/**)'] })?.hidden ?? []).not.toContain(home);
  });
});
