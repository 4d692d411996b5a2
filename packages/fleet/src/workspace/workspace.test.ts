/** Two workers with different roots, as on two machines: files move with a session, and the model is told what is missing. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { answer, call, fakeTool, say, scriptedModel } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet } from '../client.ts';
import { type Database, openDatabase } from '../database.ts';
import { findPrograms } from '../postgres/embedded.ts';
import { createDatabase } from '../test/shared-server.ts';
import { startWorker, type Worker } from '../worker.ts';
import { openWorkspace, withoutPassword } from './git-workspace.ts';
import { openFiles } from './session-files.ts';

const isInstalled = (await findPrograms()) !== undefined;

describe.runIf(isInstalled)('the files of a session', () => {
  let home: string;
  let repo: string;
  let url: string;
  let fleet: Fleet;
  let database: Database;
  /** The requests of the model, as text. */
  const requests: string[] = [];

  const git = (...argv: readonly string[]): string =>
    execFileSync('git', ['-C', repo, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...argv], {
      encoding: 'utf8',
    });

  beforeAll(async () => {
    home = mkdtempSync(path.join(os.tmpdir(), 'heddle-workspaces-'));
    repo = path.join(home, 'repo');
    mkdirSync(repo);
    execFileSync('git', ['init', '--quiet', '--initial-branch=main', repo]);
    writeFileSync(path.join(repo, 'kept.txt'), 'kept\n');
    writeFileSync(path.join(repo, 'removed.txt'), 'removed\n');
    writeFileSync(path.join(repo, '.gitignore'), 'ignored.txt\n');
    git('add', '-A');
    git('commit', '-qm', 'first');
    url = await createDatabase();
    fleet = await Fleet.connect(url);
    database = openDatabase(url, 3);
    await fleet.tenant('acme');
  });
  afterAll(async () => {
    await database.end();
    await fleet.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** Each turn changes files in the folder of the agent. */
  const startAt = (root: string): Promise<Worker> =>
    startWorker({
      url,
      workspaces: path.join(home, root),
      agent: ({ n, folder: cwd = '' }) => ({
        options: {
          model: scriptedModel((request) => {
            const conversation = JSON.stringify([...request.messages]);
            requests.push(conversation);
            if (conversation.includes(`"tool_use_id":"change_${n}"`)) return answer(say('Done.'));
            return answer(call('Change', { n }, `change_${n}`));
          }),
          modelName: 'scripted',
          tools: [
            fakeTool({
              name: 'Change',
              readOnly: false,
              run: () => {
                writeFileSync(path.join(cwd, `made-${n}.txt`), `by turn ${n}\n`);
                writeFileSync(path.join(cwd, 'ignored.txt'), 'stays here\n');
                rmSync(path.join(cwd, 'removed.txt'), { force: true });
                // A model may write what it likes into the workspace. It must not run in the worker.
                writeFileSync(path.join(cwd, '.git/config'), `[core]\n\tfsmonitor = touch ${home}/ran\n`);
                writeFileSync(path.join(cwd, '.gitattributes'), `* filter=evil\n`);
                return 'changed';
              },
            }),
          ],
          cwd: '/',
          permissionMode: 'bypassPermissions',
        },
      }),
    });

  async function run(session: string): Promise<void> {
    const turn = await fleet.submit(session, 'Do it.');
    for await (const _line of fleet.watch(session, { untilTurn: turn }));
    expect(JSON.stringify((await fleet.turn(session, turn))?.result)).toContain('Done.');
  }

  it('moves files to another machine and back, and says so', async () => {
    await fleet.create('moved', 'acme', { workspace: { repo, ref: 'main' } });
    const first = await startAt('one');
    await run('moved');
    await first.stop();
    // The branch moves on. The snapshot still belongs to the first commit.
    writeFileSync(path.join(repo, 'kept.txt'), 'changed upstream\n');
    git('commit', '-qam', 'second');
    const second = await startAt('two');
    await run('moved');
    await second.stop();
    const folder = path.join(home, 'two/moved');
    expect(readFileSync(path.join(folder, 'made-1.txt'), 'utf8')).toBe('by turn 1\n');
    expect(readFileSync(path.join(folder, 'kept.txt'), 'utf8')).toBe('kept\n');
    expect(existsSync(path.join(folder, 'removed.txt'))).toBe(false);
    expect(requests.join()).toMatch(
      /moved to another machine\. Its files are as stored at entry \d+\. No later call/,
    );
    const third = await startAt('one');
    await run('moved');
    await third.stop();
    for (const n of [1, 2, 3]) expect(existsSync(path.join(home, `one/moved/made-${n}.txt`))).toBe(true);
    expect(existsSync(path.join(home, 'ran'))).toBe(false);
  });

  it('accepts no address with credentials, and stores none', async () => {
    for (const address of [
      'https://t0ken@git.example/a',
      'https://me:t0ken@git.example/a',
      'ssh://git:t0ken@git.example/a',
    ])
      await expect(fleet.create('leak', 'acme', { workspace: { repo: address } })).rejects.toThrow(
        'must not contain a user name or a password',
      );
    expect(await fleet.list('acme', ['leak'])).toEqual([]);
    await fleet.create('open', 'acme', { workspace: { repo: 'ssh://git@git.example/a' } });
  });

  it('names the calls whose files are missing after a crash', async () => {
    await fleet.create('lost', 'acme', { workspace: { repo } });
    const first = await startAt('one');
    await run('lost');
    await first.stop();
    // A worker died after this call, before the next snapshot.
    await database.pool.query(
      `insert into heddle.entry (session, seq, turn, kind, line)
       select 'lost', max(seq) + 1, 1, 'intent', $1 from heddle.entry where session = 'lost'`,
      [JSON.stringify({ type: 'intent', toolUseId: 'c9', tool: 'Bash', input: {}, effect: 'writing' })],
    );
    const setup = {
      database,
      worker: 0,
      turn: { session: 'lost', n: 1 },
      root: path.join(home, 'two'),
      repo,
    };
    const { note } = await openWorkspace(setup);
    expect(note).toContain('The effects of these later calls are missing: Bash (c9).');
    expect((await openWorkspace(setup)).note).toBeUndefined();
  });

  it('stores nothing for a worker that has lost the turn, and clones no address that runs a command', async () => {
    const turn = { session: 'lost', n: 1 };
    const stale = await openWorkspace({ database, worker: 77, turn, root: path.join(home, 'two'), repo });
    writeFileSync(path.join(home, 'two/lost/late.txt'), 'late');
    await stale.save(10_000);
    const { rows } = await database.pool.query<{ seq: number }>(
      `select seq from heddle.snapshot where session = 'lost'`,
    );
    expect(rows[0]?.seq).toBeLessThan(10_000);
    const evil = { database, worker: 1, turn: { session: 'evil', n: 1 }, root: path.join(home, 'two') };
    await expect(openWorkspace({ ...evil, repo: `ext::touch ${home}/ran` })).rejects.toThrow('not allowed');
    expect(existsSync(path.join(home, 'ran'))).toBe(false);
    // A clone that failed leaves nothing that the next try would take for a workspace.
    expect(existsSync(path.join(home, 'two/evil'))).toBe(false);
    expect(readdirSync(path.join(home, 'two/.snapshots')).filter((name) => name.startsWith('new-'))).toEqual(
      [],
    );
  });

  it('reports files that cannot be stored, once for each reason', async () => {
    const notices: string[] = [];
    const place = { database, worker: 1, turn: { session: 'large', n: 1 }, root: path.join(home, 'three') };
    const files = await openFiles(
      { ...place, maxPackBytes: 1_000 },
      () => 1,
      (text) => notices.push(text),
    );
    writeFileSync(path.join(files.folder, 'large.bin'), randomBytes(10_000));
    await files.save();
    await files.save();
    // Git cannot open a name that it cannot read.
    rmSync(path.join(files.folder, 'large.bin'));
    writeFileSync(path.join(place.root, '.snapshots/large.git/index'), 'broken');
    await files.save();
    expect(notices).toEqual([
      'the files of large were not stored: The files are larger than 1000 bytes in git.',
      expect.stringMatching(/^the files of large were not stored: git ended with code \d+: .*index/s),
    ]);
  });

  it('moves the files of repositories inside of the workspace', async () => {
    await fleet.create('nested', 'acme', { workspace: { repo } });
    const place = { database, worker: 0, turn: { session: 'nested', n: 1 }, repo };
    await fleet.submit('nested', 'Do it.');
    await database.pool.query(
      `update heddle.turn set state = 'running', worker = 0 where session = 'nested'`,
    );
    const first = await openWorkspace({ ...place, root: path.join(home, 'one') });
    const inside = (name: string): string => path.join(first.folder, name);
    for (const name of ['empty', 'with-commit', 'with-commit/deep', 'outer/inner']) {
      mkdirSync(inside(name), { recursive: true });
      execFileSync('git', ['init', '--quiet', inside(name)]);
    }
    for (const name of ['with-commit/a.txt', 'with-commit/deep/b.txt', 'outer/inner/c.txt'])
      writeFileSync(inside(name), name);
    execFileSync('git', [
      '-C',
      inside('with-commit'),
      '-c',
      'user.name=t',
      '-c',
      'user.email=t@t',
      'commit',
      '-qm',
      'x',
      '--allow-empty',
    ]);
    await first.save(1);
    writeFileSync(inside('with-commit/later.txt'), 'later');
    rmSync(inside('outer/inner/c.txt'));
    await first.save(2);
    const second = await openWorkspace({ ...place, root: path.join(home, 'two') });
    const names = globSync(['with-commit/**', 'outer/**', 'empty/**'], {
      cwd: second.folder,
      withFileTypes: true,
    });
    expect(
      names
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['a.txt', 'b.txt', 'later.txt']);
  });
});

it('passes the password of a repository to git only, and for its server only', () => {
  const { address, env } = withoutPassword('https://me:p%40ss@git.example:8443/a/b.git');
  expect(address).toBe('https://git.example:8443/a/b.git');
  const ask = (host: string): string =>
    execFileSync('git', ['credential', 'fill'], {
      input: `protocol=https\nhost=${host}\n\n`,
      env: {
        ...process.env,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        GIT_ASKPASS: 'false',
        ...env,
      },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  expect(ask('git.example:8443')).toContain('username=me\npassword=p@ss\n');
  expect(() => ask('other.example')).toThrow('Command failed');
  const token = withoutPassword('https://t0ken@git.example/a');
  expect(token).toMatchObject({ address: 'https://git.example/a', env: { CLONE_USER: 't0ken' } });
  for (const same of [
    'git@git.example:a/b.git',
    'ssh://git@git.example/a',
    '/srv/a',
    'https://git.example/a',
  ])
    expect(withoutPassword(same)).toEqual({ address: same, env: {} });
});
