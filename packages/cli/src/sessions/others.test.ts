/** Transcripts, exports, JSON output and resuming by name, through the real program. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install, type Installed, runProgram } from '../test/program.ts';
import { assistant, EVIL, ID, placeFor, user } from './test/place.ts';

let installed: Installed;

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const place = () => placeFor(installed.program);

describe('a result in sessions show', () => {
  it('names its call and marks errors, also if several calls ran at once', async () => {
    const { sessions, store } = place();
    const calls = [
      { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'npm test\nnpm run build' } },
      { type: 'tool_use', id: 'c2', name: 'Read', input: { file_path: `notes${EVIL}.txt`, offset: 3 } },
      { type: 'tool_use', id: 'c3', name: 'Todo', input: {} },
    ] as const;
    const results = [
      { type: 'tool_result', tool_use_id: 'c2', content: 'some notes' },
      { type: 'tool_result', tool_use_id: 'c1', content: 'no such script', is_error: true },
      { type: 'tool_result', tool_use_id: 'c3', content: 'done' },
      { type: 'tool_result', tool_use_id: 'c9', content: 'left over' },
    ] as const;
    store(ID, [
      user('Look'),
      {
        type: 'assistant',
        message: { type: 'assistant', uuid: 'a1', at: 0, responseId: 'm1', model: 'm', content: calls },
      },
      { type: 'user', message: { type: 'user', uuid: 'r1', at: 0, content: results } },
    ]);
    const { stdout } = await sessions('show', ID);
    expect(stdout).toContain('    < error of Bash: npm test\n    no such script\n');
    expect(stdout).toMatch(/ {4}< result of Read: notes\\x1b\]0;owned.*\n {4}some notes\n/);
    expect(stdout).toContain('    < result of Todo\n    done\n');
    expect(stdout).toContain('    < result of a missing call\n    left over\n');
    const markdown = (await sessions('export', ID)).stdout;
    expect(markdown).toContain('<summary>Error of Bash: npm test</summary>');
    expect(markdown).not.toContain('\u001b');
    const page = (await sessions('export', ID, '--format', 'html')).stdout;
    expect(page).toContain('<details class="error"><summary>Error of Bash: npm test</summary>');
  });
});

describe('an export', () => {
  it('does not run or load content of the conversation in any format, and keeps code unchanged', async () => {
    const { sessions, store } = place();
    const code = '```html\n<img src=x onerror=alert(1)>\n```';
    const inline = 'see `<b>` there';
    store(ID, [
      user('Look \u202e'),
      assistant(`<img src=x>\n![x](http://leak)\n${code}\n${inline} \u009b31m`),
    ]);
    const markdown = (await sessions('export', ID)).stdout;
    expect(markdown).toContain(`&lt;img src=x>\n!\\[x](http://leak)\n${code}\n${inline} \\x9b31m`);
    expect(markdown).toContain('Look \\u202e');
    expect((await sessions('export', ID, '--format', 'html')).stdout).toContain('Look \\u202e');
    const json = (await sessions('export', ID, '--format', 'json')).stdout;
    expect(json).not.toMatch(/[\u0080-\u009f\u202e]/);
    expect(JSON.stringify(JSON.parse(json))).toContain('\u009b31m');
  });
});

describe('--resume with a word', () => {
  it('lists the candidates of an ambiguous word, and suggests a session for an unknown word', async () => {
    const { run, store } = place();
    store('abcd1111', [user('first')]);
    store('abcd2222', [user('second')]);
    const resume = (word: string) => run(['-p', 'x', '--model', 'rehearsal', `--resume=${word}`]);
    expect(await resume('abcd')).toMatchObject({
      code: 1,
      stderr: /^heddle: abcd matches several sessions:\n {2}abcd\d{4} .*\n {2}abcd\d{4} .*\n$/,
    });
    expect(await resume('abdc2222')).toMatchObject({
      code: 1,
      stderr:
        /^heddle: No conversation found with session ID: abdc2222\. Did you mean abcd2222 \(second\)\? To list sessions, use: heddle sessions\n$/,
    });
    expect(await resume('SECOND')).toMatchObject({ code: 1, stderr: /Did you mean abcd2222/ });
    expect(await resume('nothing like it')).toMatchObject({
      code: 1,
      stderr: /nothing like it\. To list sessions, use: heddle sessions \(this folder\)/,
    });
  });

  it('names the folder of a session that belongs to another folder', async () => {
    const { run, store, folder } = place();
    store(ID, [user('first')]);
    const elsewhere = path.join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    const argv = [
      '-c',
      'cd elsewhere && exec "$0" "$@"',
      installed.program,
      '-p',
      'x',
      '--model',
      'rehearsal',
    ];
    const ended = await runProgram('sh', [...argv, '--resume', ID], { cwd: folder });
    expect(ended).toMatchObject({
      code: 1,
      stderr: new RegExp(`It belongs to ${folder}\\. Resume it in that folder\\.\n$`),
    });
    expect((await run(['-p', 'x', '--model', 'rehearsal', '--resume', ID])).code).toBe(0);
  });
});

describe('sessions with --json', () => {
  it('are pruned, deleted and renamed with JSON output', async () => {
    const { sessions, store, begin } = place();
    store('aaaa', [user('old')], 1_000);
    const { journal } = begin('bbbb', [user('open')], 2_000);
    const dry = JSON.parse((await sessions('prune', '--older-than', '1d', '--dry-run', '--json')).stdout);
    expect(dry).toMatchObject({ dryRun: true, sessions: [{ id: 'aaaa' }], inUse: [{ id: 'bbbb' }] });
    journal.close();
    const renamed = JSON.parse((await sessions('rename', 'aaaa', 'a name', '--json')).stdout);
    expect(renamed).toMatchObject({ id: 'aaaa', title: 'a name' });
    const gone = JSON.parse((await sessions('delete', 'aaaa', '--yes', '--json')).stdout);
    expect(gone).toMatchObject({ dryRun: false, sessions: [{ id: 'aaaa', title: 'a name' }] });
    expect(await sessions('prune', '--bogus')).toMatchObject({
      code: 2,
      stderr: /unknown flag --bogus\. See/,
    });
  });
});
