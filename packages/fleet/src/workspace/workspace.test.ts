/** Two workers with different roots, as on two machines: files move with a session, and the model is told what is missing. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { answer, call, fakeTool, say, scriptedModel } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet } from '../client.ts';
import { type Database, openDatabase } from '../database.ts';
import { findPrograms } from '../postgres/embedded.ts';
import { createDatabase } from '../test/shared-server.ts';
import { startWorker, type Worker } from '../worker.ts';
import { openWorkspace } from './git-workspace.ts';

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
  });
});
