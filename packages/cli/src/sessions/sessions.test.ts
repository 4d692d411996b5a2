/** `heddle sessions` in the real program. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { say } from '@heddle/testing';
import { spawn } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install, type Installed, linesOf } from '../test/program.ts';
import { assistant, call, DAY, EVIL, ID, placeFor, result, user } from './test/place.ts';

let installed: Installed;

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const place = () => placeFor(installed.program);

describe('sessions list', () => {
  it('prints a table as wide as the terminal, newest first, without control sequences', async () => {
    const { sessions, store } = place();
    store('11111111-old', [user('An old one')], Date.now() - 40 * DAY);
    store('22222222-new', [user(`${EVIL} ${'long '.repeat(60)}\nand more`), assistant('Yes.')]);
    const { stdout, stderr, code } = await sessions();
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const [head = '', first = '', second = ''] = stdout.split('\n');
    expect(head).toMatch(/^when +title +messages +size +id$/);
    expect(first).toMatch(/^just now {4}\\x1b\]0;owned.*… +2 +[\d.]+ K?B {2}22222222$/);
    expect(second).toMatch(/^\d{4}-\d\d-\d\d {2}An old one +1 +[\d.]+ K?B {2}11111111$/);
    expect([head, first, second].every((line) => line.length <= 100)).toBe(true);
    expect(stdout).not.toContain('\u001b');
  });

  it('prints JSON, and respects --limit', async () => {
    const { sessions, store, file } = place();
    for (const id of ['aaaa', 'bbbb', 'cccc']) store(id, [user(`prompt ${id}`), assistant('Yes.')], 1_000);
    const { stdout } = await sessions('list', '--json', '--limit', '2');
    expect(JSON.parse(stdout)).toHaveLength(2);
    expect((await sessions('list', '--all', '--limit', '2')).stdout).toContain(
      '1 more. To list all, use: heddle sessions list --all --limit 0\n',
    );
    expect(JSON.parse((await sessions('--json')).stdout)).toContainEqual(
      expect.objectContaining({
        id: 'aaaa',
        title: 'prompt aaaa',
        path: file('aaaa'),
        messages: 2,
        model: 'm',
        costUsd: null,
        lastAt: '1970-01-01T00:00:01.000Z',
      }),
    );
  });

  it('prints the same for several processes that build the index at once', async () => {
    const { sessions, store } = place();
    for (let session = 0; session < 20; session++)
      store(`s-${session}`, [user(`prompt ${session}`)], session);
    const lists = await Promise.all([1, 2, 3, 4].map(() => sessions('--json')));
    expect(new Set(lists.map(({ stdout }) => stdout)).size).toBe(1);
    expect(lists.map(({ code, stderr }) => `${code}${stderr}`)).toEqual(['0', '0', '0', '0']);
  });

  it('gives advice if there are no sessions, and reports wrong arguments', async () => {
    const { sessions } = place();
    expect(await sessions()).toMatchObject({ code: 0, stdout: /There are no sessions of this folder/ });
    expect(await sessions('lsit')).toMatchObject({
      code: 2,
      stderr: /sessions lsit is not a command\. Did you mean list\?/,
    });
    expect(await sessions('frobnicate')).toMatchObject({ code: 2, stderr: /Use one of list, show,/ });
    expect(await sessions('list', '--limit', 'x')).toMatchObject({ code: 2, stderr: /whole number/ });
    expect(await sessions('prune')).toMatchObject({ code: 2, stderr: /needs --older-than/ });
    expect(await sessions('help')).toMatchObject({ code: 0, stdout: /heddle sessions search WORDS/ });
  });
});

describe('sessions show', () => {
  it('finds a session by the beginning of its id or by its title, and shows its conversation', async () => {
    const { sessions, store } = place();
    const long = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');
    store('abcd-1', [user('Say it'), call({ command: 'seq 40' }), result(long), assistant(`Done. ${EVIL}`)]);
    const { stdout, code } = await sessions('show', 'abcd');
    expect(code).toBe(0);
    expect(stdout).toMatch(/title +Say it\n/);
    expect(stdout).toMatch(/=== user, .*\n\nSay it\n/);
    expect(stdout).toContain('> Bash\n    command: seq 40\n');
    expect(stdout).toContain('line 10\n    … 29 more lines; --full shows them\n');
    expect(stdout).toContain(String.raw`Done. \x1b]0;owned`);
    expect((await sessions('show', 'Say it', '--full')).stdout).toContain('line 39\n');
  });

  it('cuts long values, and shows them and the ids of messages with --full', async () => {
    const { sessions, store } = place();
    store('abcd-1', [user('Say it', 'message-1'), call({ todos: 'x'.repeat(4_000) })]);
    const { stdout } = await sessions('show', 'abcd');
    expect(stdout).toMatch(/todos: x+ … \d+ more characters; --full shows them\n/);
    expect(stdout).not.toContain('message-1');
    const full = (await sessions('show', 'abcd', '--full')).stdout;
    expect(full).toContain('x'.repeat(4_000));
    expect(full).toMatch(/^=== user, .*, message-1$/m);
    expect(JSON.parse((await sessions('show', 'abcd', '--json')).stdout)).toMatchObject({
      id: 'abcd-1',
      conversation: [{ kind: 'message', message: { uuid: 'message-1' } }, {}],
    });
  });

  it('shows the summary of a compaction with --full', async () => {
    const { sessions, store } = place();
    const report = { level: 'autocompact', tokensBefore: 2, tokensAfter: 1, rewrotePrefix: true } as const;
    const handoff = {
      type: 'user',
      uuid: 'h1',
      at: 0,
      content: 'The work so far.',
      isMeta: true,
    } as const;
    store('abcd-1', [user('Say it'), { type: 'context', report, messages: [handoff] }]);
    expect((await sessions('show', 'abcd')).stdout).toMatch(/compacted here.*\(--full shows it\)\n/);
    expect((await sessions('show', 'abcd', '--full')).stdout).toContain('    The work so far.\n');
  });

  it('lists the candidates of an ambiguous id', async () => {
    const { sessions, store } = place();
    for (const id of ['abcd-1', 'abcd-2']) store(id, [user(`prompt ${id}`)]);
    const { code, stderr } = await sessions('show', 'abcd');
    expect(code).toBe(1);
    expect(stderr).toMatch(/matches several sessions:\n {2}abcd-\d .*\n {2}abcd-\d /);
    expect(await sessions('show', 'nothing')).toMatchObject({
      code: 1,
      stderr: /There is no session nothing/,
    });
  });
});

describe('sessions search', () => {
  it('prints the hits, and exits with 1 if there are none', async () => {
    const { sessions, store } = place();
    store('abcd-1', [
      user('The kettle?'),
      result(`a\n${EVIL} kettle\nkettle`),
      assistant('In the cupboard.'),
    ]);
    const { stdout, code } = await sessions('search', 'kettle');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^The kettle\? {2}abcd-1\n.* user +The kettle\?\n.* tool +….* kettle {2}\(\+1\)\n$/,
    );
    expect(stdout).not.toContain('\u001b');
    const json = linesOf((await sessions('search', '--json', '--regex', 'in the c\\w+')).stdout);
    expect(json).toMatchObject([
      { sessionId: 'abcd-1', role: 'assistant', line: 'In the cupboard.', start: 0, end: 15 },
    ]);
    expect(await sessions('search', 'spoon')).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'heddle: Nothing was found in the sessions of this folder. To search all sessions, use --all.\n',
    });
    expect(await sessions('search', '--json', 'spoon')).toMatchObject({ code: 1, stdout: '', stderr: '' });
    expect(await sessions('search', '--regex', '(')).toMatchObject({
      code: 2,
      stderr: /no regular expression/,
    });
  });
});

describe('sessions rename', () => {
  it('sets a name by which the session can be resumed', async () => {
    const { sessions, run, script } = place();
    const model = script([say('One.'), say('Two.')]);
    await run(['-p', 'first', '--model', model, '--session-id', ID]);
    expect(await sessions('rename', ID.slice(0, 8), 'the', 'name')).toMatchObject({
      code: 0,
      stdout: `${ID} is called: the name\n`,
    });
    const resumed = await run([
      '-p',
      'second',
      '--model',
      model,
      '--resume=the name',
      '--output-format',
      'json',
    ]);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ session_id: ID });
    expect(JSON.parse((await sessions('--json')).stdout)).toMatchObject([
      { title: 'the name', isNamed: true, messages: 4 },
    ]);
  });

  it('fails while the session is in use', async () => {
    const { sessions, begin, file } = place();
    const { journal } = begin('abcd-1', [user('x')]);
    const before = readFileSync(file('abcd-1'), 'utf8');
    expect(await sessions('rename', 'abcd', 'y')).toMatchObject({
      code: 1,
      stderr: /in use by another process/,
    });
    expect(readFileSync(file('abcd-1'), 'utf8')).toBe(before);
    journal.close();
  });
});

describe('sessions export', () => {
  const bodies = [
    user(`Look ${EVIL}`),
    call({ command: '</pre><script>x</script>' }),
    result('a\n````\nb'),
    assistant('Seen.'),
  ];

  it('writes a page without scripts, with escaped texts and folded calls and results', async () => {
    const { sessions, store, folder } = place();
    store('abcd-1', bodies);
    expect(await sessions('export', 'abcd', '--format', 'html', '--output', 'page.html')).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect((await sessions('export', 'abcd', '--format', 'html', '-o', 'page.html')).stderr).toBe(
      'heddle: page.html was replaced\n',
    );
    const file = path.join(folder, 'page.html');
    expect(statSync(file).mode & 0o077).toBe(0);
    const page = readFileSync(file, 'utf8');
    expect(page).not.toMatch(/<script|javascript:|https?:/);
    expect(page).not.toContain('\u001b');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page.match(/<details/g)).toHaveLength(2);
    expect(page).toContain('color-scheme: light dark');
  });

  it.each(['out.md', 'docs/out.md'])(
    'does not write through a link of the folder to another place: %s',
    async (name) => {
      const { sessions, store, folder } = place();
      store('abcd-1', bodies);
      const outside = mkdtempSync(path.join(os.tmpdir(), 'heddle-outside-'));
      const [first = ''] = name.split('/');
      symlinkSync(name === first ? path.join(outside, name) : outside, path.join(folder, first));
      const { code, stderr } = await sessions('export', 'abcd', '--output', name);
      expect(code).toBe(1);
      expect(stderr).toContain(`${name} cannot be written: it is a link to ${outside}`);
      expect(readdirSync(outside)).toEqual([]);
      expect((await sessions('export', 'abcd', '--output', path.join(outside, 'out.md'))).code).toBe(0);
    },
  );

  it('writes Markdown with fences that the text cannot close, or JSON with the messages', async () => {
    const { sessions, store } = place();
    store('abcd-1', bodies);
    const { stdout } = await sessions('export', 'abcd');
    expect(stdout).toContain('`````\na\n````\nb\n`````');
    const json: unknown = JSON.parse((await sessions('export', 'abcd', '--format', 'json')).stdout);
    expect(json).toMatchObject({
      session: { id: 'abcd-1' },
      items: [{ kind: 'message', message: { type: 'user' } }, {}, {}, {}],
    });
    expect(await sessions('export', 'abcd', '--format', 'pdf')).toMatchObject({
      code: 2,
      stderr: /markdown, json, html/,
    });
    expect(await sessions('export', 'abcd', '--output', 'no/such/x')).toMatchObject({
      code: 1,
      stderr: /cannot be written/,
    });
  });
});

describe('sessions delete', () => {
  it('asks on a terminal, and deletes only after yes', async () => {
    const { store, file, folder, configDir } = place();
    store('abcd-1', [user('x')]);
    const atTerminal = (answer: string): Promise<number> =>
      new Promise((resolve) => {
        const env = { PATH: process.env['PATH'] ?? '', HOME: folder, HEDDLE_CONFIG_DIR: configDir };
        const terminal = spawn(installed.program, ['sessions', 'delete', 'abcd'], { cwd: folder, env });
        terminal.onData((text) => {
          if (text.includes('[y/N]')) terminal.write(`${answer}\r`);
        });
        terminal.onExit(({ exitCode }) => resolve(exitCode));
      });
    expect(await atTerminal('')).toBe(1);
    expect(existsSync(file('abcd-1'))).toBe(true);
    expect(await atTerminal('y')).toBe(0);
    expect(existsSync(file('abcd-1'))).toBe(false);
  });

  it('deletes all named sessions or none, and keeps a session that is in use', async () => {
    const { sessions, store, begin, file } = place();
    store('abcd-1', [user('x')]);
    const { journal } = begin('efgh-2', [user('y')]);
    expect(await sessions('delete', 'abcd')).toMatchObject({
      code: 1,
      stderr: /To delete without a question, use --yes/,
    });
    expect(await sessions('delete', 'abcd', 'nothing', '--yes')).toMatchObject({
      code: 1,
      stderr: /Nothing was deleted/,
    });
    expect(existsSync(file('abcd-1'))).toBe(true);
    const both = await sessions('delete', 'abcd', 'efgh', '--yes');
    expect(both).toMatchObject({ code: 1, stdout: /^1 session deleted/, stderr: /efgh-2 is in use/ });
    expect([existsSync(file('abcd-1')), existsSync(file('efgh-2'))]).toEqual([false, true]);
    journal.close();
  });
});

describe('sessions prune', () => {
  it('shows the sessions that it would delete, deletes them, and keeps sessions in use', async () => {
    const { sessions, store, begin, file } = place();
    const old = Date.now() - 40 * DAY;
    store('old1', [user('one')], old);
    store('new1', [user('two')]);
    const { journal } = begin('busy', [user('three')], old);
    const dry = await sessions('prune', '--older-than', '30d', '--dry-run');
    expect(dry).toMatchObject({
      code: 0,
      stdout: /kept, because it is in use: busy.*\nold1 .*\n1 session would be deleted, \d+ B\n/,
    });
    expect(existsSync(file('old1'))).toBe(true);
    expect(await sessions('prune', '--older-than', '30d', '--yes')).toMatchObject({
      code: 0,
      stdout: /1 session deleted, \d+ B freed/,
    });
    expect(['old1', 'new1', 'busy'].map((id) => existsSync(file(id)))).toEqual([false, true, true]);
    journal.close();
    expect(await sessions('prune', '--larger-than', '1GB', '--yes')).toMatchObject({
      code: 0,
      stdout: 'There is nothing to prune.\n',
    });
  });
});

describe('a run without session persistence', () => {
  it('continues an earlier conversation and leaves its file unchanged', async () => {
    const { run, script, configDir, file } = place();
    const model = script([say('One.'), say('Two.')]);
    await run(['-p', 'first', '--model', model, '--session-id', ID]);
    const before = readFileSync(file(ID), 'utf8');
    const names = readdirSync(configDir, { recursive: true });
    const flags = ['--no-session-persistence', '--resume', ID, '--output-format', 'json'];
    const resumed = await run(['-p', 'second', '--model', model, ...flags]);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ session_id: ID, is_error: false });
    expect(readFileSync(file(ID), 'utf8')).toBe(before);
    expect(readdirSync(configDir, { recursive: true })).toEqual(names);
  });
});
