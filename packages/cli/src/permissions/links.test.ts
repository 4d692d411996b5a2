/** Paths through links, in the real program. Each decision is about the file that a path resolves to. */
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
import os from 'node:os';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { setUpScenes } from '../conversation/test/scene.ts';
import { ENTER } from '../conversation/test/terminal.ts';

const { scene, home } = setUpScenes();
const SECRET = 'the text that stays inside';

function temporary(): string {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-links-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Ways to name `NAME/key`, where NAME is a folder in or beside the project. */
function spellings(project: string, target: string): string[] {
  const link = (name: string, to: string): void => symlinkSync(to, path.join(project, name));
  const relative = path.relative(project, target);
  link('file-link', `${relative}/key`);
  link('folder-link', target);
  link('parent-link', path.dirname(target));
  link('chain-1', 'chain-2');
  link('chain-2', path.join(project, 'chain-3'));
  link('chain-3', `${relative}/key`);
  mkdirSync(path.join(project, 'sub/deep'), { recursive: true });
  link('sub/up', path.relative(path.join(project, 'sub'), target));
  link('to-deep', 'sub/deep');
  // Resolved from the folder of the link, not from the folder in the path.
  symlinkSync(
    path.relative(path.join(project, 'sub/deep'), `${target}/key`),
    path.join(project, 'sub/deep/away'),
  );
  const inProject = relative.startsWith('..') ? 'folder-link' : relative;
  return [
    'file-link',
    'folder-link/key',
    `parent-link/${path.basename(target)}/key`,
    'chain-1',
    `sub/../${inProject}/key`,
    `to-deep/../${inProject}/key`,
    'to-deep/away',
    'sub/up/key',
    `${inProject}/key/`,
    `.//${inProject}/.//key`,
    `~/${inProject}/key`,
    `${project}/file-link`,
    `/proc/self/cwd/${inProject}/key`,
    `/proc/self/root${target}/key`,
    `/proc/thread-self/cwd/${inProject}/key`,
    `/proc/self/task/../cwd/file-link`,
    `/dev/fd/../../proc/self/cwd/file-link`,
    target.replace(/^\//, '//') + '/key',
  ];
}

describe('a denied file', () => {
  it('is not shown under any name', async () => {
    const { folder, run, script } = home();
    const project = realpathSync(folder);
    const target = path.join(project, 'secret');
    mkdirSync(target);
    writeFileSync(path.join(target, 'key'), SECRET);
    writeFileSync(path.join(project, 'make-link.sh'), 'ln -s secret/key made-later\n');
    const names = spellings(project, target);
    const reads = names.map((name, index) => call('Read', { file_path: name }, `r${index}`));
    const greps = names.map((name, index) =>
      call('Grep', { pattern: 'text', path: name, output_mode: 'content' }, `g${index}`),
    );
    const made = [
      [call('Bash', { command: 'sh make-link.sh' }, 'b1')],
      [call('Read', { file_path: 'made-later' }, 'm1'), call('Read', { file_path: 'SECRET/KEY' }, 'm2')],
    ];
    const model = script([reads, greps, ...made, [say('Done.')]]);
    const { stdout } = await run([
      '-p',
      'go',
      '--output-format=stream-json',
      '--verbose',
      `--model=${model}`,
      '--allowed-tools=Bash(sh make-link.sh)',
      '--disallowed-tools=Read(./secret/**)',
    ]);
    expect(stdout).toContain('Done.');
    expect(stdout).not.toContain(SECRET);
    expect(existsSync(path.join(project, 'made-later'))).toBe(true);
    expect(stdout.match(/"is_error":true/g)?.length).toBeGreaterThanOrEqual(names.length + 2);
  });
});

describe('a file outside the project', () => {
  it('is not written under any name, and one inside is', async () => {
    const { folder, run, script } = home();
    const project = realpathSync(folder);
    const target = temporary();
    writeFileSync(path.join(target, 'key'), SECRET);
    const names = spellings(project, target);
    const calls = names.flatMap((name, index) => [
      call('Read', { file_path: name }, `r${index}`),
      call('Write', { file_path: name, content: 'overwritten' }, `w${index}`),
      call('Edit', { file_path: name, old_string: 'text', new_string: 'edited' }, `e${index}`),
      call('Write', { file_path: `${name}-new`, content: 'new' }, `n${index}`),
    ]);
    const inside = call('Write', { file_path: 'to-deep/../inside.txt', content: 'inside' }, 'i1');
    const model = script([calls, [inside], [say('Done.')]]);
    const { stdout } = await run([
      '-p',
      'go',
      '--output-format=json',
      `--model=${model}`,
      '--permission-mode=acceptEdits',
    ]);
    expect(stdout).toContain('Done.');
    expect(readFileSync(path.join(target, 'key'), 'utf8')).toBe(SECRET);
    expect(readdirSync(target)).toEqual(['key']);
    expect(readFileSync(path.join(project, 'inside.txt'), 'utf8')).toBe('inside');
  });
});

describe('a link that another process swaps all the time', () => {
  it('leads no call outside, in whatever way the call names it', async () => {
    const { folder, run, script } = home();
    const project = realpathSync(folder);
    const outside = temporary();
    const inside = path.join(project, 'inside');
    const notebook = JSON.stringify({ cells: [{ cell_type: 'code', id: 'c', source: 'x', outputs: [] }] });
    mkdirSync(inside);
    for (const [at, text] of [
      [inside, 'the text that may be read'],
      [outside, SECRET],
    ] as const) {
      writeFileSync(path.join(at, 'x'), text);
      writeFileSync(path.join(at, 'x.ipynb'), notebook);
    }
    symlinkSync(inside, path.join(project, 'd'));
    symlinkSync('d', path.join(project, 'chain'));
    const flips = path.resolve(import.meta.dirname, '../../../agent/src/engine/test/run-flips.ts');
    const names = [path.join(project, 'd'), inside, outside];
    const flipping = spawn(process.execPath, [flips, 'link', ...names], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(async () => {
      const ended = once(flipping, 'exit');
      flipping.kill('SIGKILL');
      await ended;
    });
    await once(flipping.stdout, 'data');
    const spelled = [
      'd',
      './d',
      'd/.',
      'd//',
      'chain',
      'inside/../d',
      `${project}/d`,
      `${project}//d`,
      'd/../d',
    ];
    const calls = [...spelled, '/proc/self/cwd/d'].map((at, index) => [
      call('Read', { file_path: `${at}/x` }, `r${index}`),
      call('Write', { file_path: `${at}/new${index}`, content: 'new' }, `w${index}`),
      call('Edit', { file_path: `${at}/x`, old_string: 'text', new_string: 'edit' }, `e${index}`),
      call('NotebookEdit', { notebook_path: `${at}/x.ipynb`, cell_id: 'c', new_source: 'y' }, `n${index}`),
      call('Grep', { pattern: 'text', path: at, output_mode: 'content' }, `g${index}`),
      call('Glob', { pattern: '*', path: at }, `l${index}`),
    ]);
    const flags = ['--permission-mode=acceptEdits', `--disallowed-tools=Read(/${outside}/**)`];
    const load = call('ToolSearch', { query: 'select:NotebookEdit' }, 's1');
    const model = script([load, ...calls, say('Done.')]);
    const { stdout } = await run([
      '-p',
      'go',
      '--output-format=stream-json',
      '--verbose',
      `--model=${model}`,
      ...flags,
    ]);
    expect(stdout).toContain('Done.');
    expect(stdout).toContain('the text that may be read');
    expect(stdout).not.toContain(SECRET);
    expect(readdirSync(outside)).toEqual(['x', 'x.ipynb']);
    expect(readFileSync(path.join(outside, 'x'), 'utf8')).toBe(SECRET);
    expect(readFileSync(path.join(outside, 'x.ipynb'), 'utf8')).toBe(notebook);
  });
});

describe('a link that is swapped while the question is open', () => {
  it('makes the call fail, and nothing is written anywhere', async () => {
    const { folder, sent, start } = await scene([
      [call('Write', { file_path: 'd/new.txt', content: 'new' }, 'w1')],
      [call('Write', { file_path: 'd/new.txt', content: 'new' }, 'w2')],
      [say('Done.')],
    ]);
    const project = realpathSync(folder);
    const outside = temporary();
    const inside = path.join(project, 'inside');
    const link = path.join(project, 'd');
    const pointTo = (target: string): void => {
      rmSync(link, { force: true });
      symlinkSync(target, link);
    };
    mkdirSync(inside);
    pointTo(inside);
    const terminal = start(['go']);
    await terminal.sees('allow?');
    pointTo(outside);
    terminal.type(`1${ENTER}`);
    await terminal.sees('when the call was permitted');
    expect([readdirSync(outside), readdirSync(inside)]).toEqual([[], []]);
    // The second question is about the current target of the link.
    await terminal.sees('lies outside the working directories');
    await terminal.sees('allow?');
    expect(sent(2)).toContain(`when the call was permitted, and leads to ${outside}/new.txt now`);
    pointTo(inside);
    terminal.type(`1${ENTER}`);
    await terminal.sees('Done.');
    expect([readdirSync(outside), readdirSync(inside)]).toEqual([[], []]);
  });
});

describe('a working directory that is a link of the project', () => {
  it('stays at its place if the link changes', async () => {
    const { folder, run, script } = home();
    const [before, after] = [temporary(), temporary()];
    const link = path.join(realpathSync(folder), 'ext');
    symlinkSync(before, link);
    writeFileSync(path.join(folder, 'switch.sh'), `ln -sfn ${after} ext\n`);
    const write = (file: string, id: string) => call('Write', { file_path: file, content: 'new' }, id);
    const model = script([
      [write('ext/one', 'w1')],
      [call('Bash', { command: 'sh switch.sh' }, 'b1')],
      [
        write('ext/two', 'w2'),
        write(path.join(after, 'three'), 'w3'),
        write(path.join(before, 'four'), 'w4'),
      ],
      [say('Done.')],
    ]);
    const { stdout } = await run([
      '-p',
      'go',
      '--output-format=json',
      `--model=${model}`,
      '--permission-mode=acceptEdits',
      '--allowed-tools=Bash(sh switch.sh)',
      '--add-dir=ext',
    ]);
    expect(stdout).toContain('Done.');
    expect(realpathSync(link)).toBe(after);
    expect([readdirSync(before), readdirSync(after)]).toEqual([['four', 'one'], []]);
  });
});
