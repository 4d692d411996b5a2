import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOf } from '../files/content.ts';
import type { KeptContent } from '../files/deps.ts';
import { Scratch, temporaryFolder } from '../files/test/scratch.ts';
import { CheckpointStore, type Rewound } from './store.ts';

interface Kept {
  readonly toolUseId: string;
  readonly path: string;
  readonly hash: string | null;
}

class Session {
  readonly folder = path.join(temporaryFolder(), 'file-history', 's1');
  readonly kept: Kept[] = [];
  readonly store = this.resumed();
  readonly files: Scratch;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.files = new Scratch(files, { deps: { checkpoints: this.store } });
  }

  /** Another process on the same folder. */
  resumed(): CheckpointStore {
    return new CheckpointStore({ folder: this.folder, onCheckpoint: (kept) => this.kept.push(kept) });
  }

  async edit(name: string, content: string): Promise<void> {
    if (existsSync(this.files.path(name))) await this.files.read(name);
    await this.files.write(name, content);
  }

  async rewind(
    messageId: string,
    options: { dryRun?: boolean; spareOthers?: boolean } = {},
  ): Promise<Extract<Rewound, { canRewind: true }>> {
    const rewound = await this.store.rewind(messageId, options);
    if (!rewound.canRewind) throw new Error(rewound.error);
    return rewound;
  }

  tree(): Record<string, string> {
    const names = readdirSync(this.files.folder, { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => statSync(this.files.path(name)).isFile()).sort();
    return Object.fromEntries(files.map((name) => [name, this.files.text(name)]));
  }
}

/** Two messages: the first changes `a` and creates `new/b`, the second changes both. */
async function twoTurns(): Promise<Session> {
  const session = new Session({ a: 'a0\nsame\n', untouched: 'u' });
  await session.store.begin('m1');
  await session.edit('a', 'a1\nsame\n');
  await session.edit('new/b', 'b1\n');
  await session.store.begin('m2');
  await session.edit('a', 'a2\nsame\n');
  await session.edit('a', 'a3\nsame\n');
  await session.edit('new/b', 'b2\n');
  return session;
}

describe('Rewinding files', () => {
  it('restores them to their state when a message came', async () => {
    const session = await twoTurns();
    expect(await session.rewind('m2')).toMatchObject({
      filesChanged: [session.files.path('a'), session.files.path('new/b')],
      insertions: 2,
      deletions: 2,
      skippedLinks: [],
      failed: [],
    });
    expect(session.tree()).toEqual({ a: 'a1\nsame\n', 'new/b': 'b1\n', untouched: 'u' });
  });

  it('removes files that did not exist then', async () => {
    const session = await twoTurns();
    expect(await session.rewind('m1')).toMatchObject({ insertions: 1, deletions: 2 });
    expect(session.tree()).toEqual({ a: 'a0\nsame\n', untouched: 'u' });
  });

  it('only reports in a dry run', async () => {
    const session = await twoTurns();
    const before = session.tree();
    const dry = await session.rewind('m1', { dryRun: true });
    expect(dry).toMatchObject({ insertions: 1, deletions: 2 });
    expect(dry.undoId).toBeUndefined();
    expect(session.tree()).toEqual(before);
    const { undoId: _, ...wet } = await session.rewind('m1');
    expect(wet).toEqual(dry);
  });

  it('can be undone, and the undo too', async () => {
    const session = await twoTurns();
    const late = session.tree();
    const first = await session.rewind('m1');
    const early = session.tree();
    const second = await session.rewind(first.undoId ?? '');
    expect(session.tree()).toEqual(late);
    await session.rewind(second.undoId ?? '');
    expect(session.tree()).toEqual(early);
  });

  it('detects files that another program changed since, and keeps them if asked to', async () => {
    const session = new Session({ a: 'a0\n', b: 'b0\n' });
    await session.store.begin('m1');
    await session.edit('a', 'a1\n');
    await session.edit('b', 'b1\n');
    appendFileSync(session.files.path('a'), 'mine\n');
    const [a, b] = [session.files.path('a'), session.files.path('b')];
    expect(await session.rewind('m1', { spareOthers: true })).toMatchObject({
      filesChanged: [b],
      changedByOthers: [a],
    });
    expect(session.tree()).toEqual({ a: 'a1\nmine\n', b: 'b0\n' });
    const { undoId = '', ...whole } = await session.rewind('m1');
    expect(whole).toMatchObject({ filesChanged: [a], changedByOthers: [a] });
    expect(session.tree()).toEqual({ a: 'a0\n', b: 'b0\n' });
    // Changes of a rewind do not count as changes by others.
    expect(await session.rewind(undoId, { spareOthers: true })).toMatchObject({ changedByOthers: [] });
    expect(session.tree()).toEqual({ a: 'a1\nmine\n', b: 'b0\n' });
  });

  it('finds a message by the beginning of its id', async () => {
    const session = new Session();
    for (const id of ['abc1', 'abd2', 'ab']) await session.store.begin(id);
    expect(await session.resumed().idsLike('abc')).toEqual(['abc1']);
    expect(await session.store.idsLike('ab')).toEqual(['ab']);
    expect(await session.store.idsLike('a')).toHaveLength(3);
  });

  it('changes nothing where nothing changed', async () => {
    const session = await twoTurns();
    await session.store.begin('m3');
    expect(await session.rewind('m3')).toEqual({
      canRewind: true,
      filesChanged: [],
      insertions: 0,
      deletions: 0,
      skippedLinks: [],
      changedByOthers: [],
      failed: [],
    });
  });

  it('rejects an unknown message', async () => {
    const session = await twoTurns();
    expect(await session.store.rewind('m9')).toEqual({
      canRewind: false,
      error: 'No files were kept under the message m9.',
    });
  });

  it('restores a deleted file, with its folder and its mode', async () => {
    const session = new Session({ 'dir/run.sh': 'one' });
    chmodSync(session.files.path('dir/run.sh'), 0o750);
    await session.store.begin('m1');
    await session.edit('dir/run.sh', 'two');
    rmSync(session.files.path('dir'), { recursive: true });
    await session.rewind('m1');
    expect(session.tree()).toEqual({ 'dir/run.sh': 'one' });
    expect(statSync(session.files.path('dir/run.sh')).mode & 0o777).toBe(0o750);
  });

  it('works in a resumed session, also after a crash truncated the last line', async () => {
    const session = await twoTurns();
    appendFileSync(path.join(session.folder, 'index.jsonl'), '{"type":"file","path":"/x');
    const resumed = session.resumed();
    await resumed.begin('m3');
    expect(await resumed.rewind('m1')).toMatchObject({ canRewind: true, insertions: 1 });
    expect(await session.resumed().rewind('m3')).toMatchObject({ canRewind: true, deletions: 1 });
  });

  it('ignores symbolic links and reports them', async () => {
    const session = await twoTurns();
    const { files } = session;
    files.put('elsewhere/target', 't');
    files.put('elsewhere/b', 'theirs');
    rmSync(files.path('a'));
    symlinkSync('elsewhere/target', files.path('a'));
    rmSync(files.path('new'), { recursive: true });
    symlinkSync('elsewhere', files.path('new'));
    const rewound = await session.rewind('m2');
    expect(rewound).toMatchObject({ filesChanged: [], skippedLinks: [files.path('a'), files.path('new/b')] });
    expect(files.text('elsewhere/target')).toBe('t');
    expect(files.text('elsewhere/b')).toBe('theirs');
  });

  it('reports files that it cannot restore, and restores the rest', async () => {
    const session = await twoTurns();
    rmSync(session.files.path('a'));
    mkdirSync(session.files.path('a'));
    const { failed, filesChanged } = await session.rewind('m2');
    expect(failed).toEqual([{ path: session.files.path('a'), why: expect.stringMatching(/is a directory/) }]);
    expect(filesChanged).toEqual([session.files.path('new/b')]);
  });

  it('runs beside unfinished changes of the same files', async () => {
    const session = await twoTurns();
    const resumed = session.resumed();
    const beside = new Scratch({}, { deps: { checkpoints: resumed } });
    await resumed.begin('m3');
    for (const name of ['a', 'new/b']) {
      await beside.call('Read', { file_path: session.files.path(name) });
      const change = { file_path: session.files.path(name), content: 'late' };
      const writing = beside.callUnchecked('Write', change).catch((thrown: unknown) => thrown);
      const [, rewound] = await Promise.all([writing, resumed.rewind('m1')]);
      expect(rewound.canRewind).toBe(true);
      await resumed.rewind('m3');
    }
  });

  it('reports a version that is damaged', async () => {
    const session = await twoTurns();
    const blobs = path.join(session.folder, 'blobs');
    for (const name of readdirSync(blobs)) appendFileSync(path.join(blobs, name), 'x');
    expect((await session.rewind('m2')).failed).toEqual([
      { path: session.files.path('a'), why: expect.stringMatching(/damaged/) },
      { path: session.files.path('new/b'), why: expect.stringMatching(/damaged/) },
    ]);
    expect(session.tree()).toMatchObject({ a: 'a3\nsame\n' });
  });

  it('reports a version that is gone', async () => {
    const session = await twoTurns();
    rmSync(path.join(session.folder, 'blobs'), { recursive: true });
    const { failed } = await session.rewind('m2');
    expect(failed).toHaveLength(2);
    expect(session.tree()).toMatchObject({ a: 'a3\nsame\n' });
  });

  it('never writes into .git, even if it was changed there with permission', async () => {
    const session = new Session({ '.git/config': 'one', a: 'one' });
    const before = readdirSync(session.files.path('.git'));
    await session.store.begin('m1');
    await session.edit('.git/config', 'two');
    await session.edit('a', 'two');
    const { failed, filesChanged } = await session.rewind('m1');
    expect(filesChanged).toEqual([session.files.path('a')]);
    expect(failed).toEqual([{ path: session.files.path('.git/config'), why: 'it lies inside .git' }]);
    expect(readdirSync(session.files.path('.git'))).toEqual(before);
  });

  it('does not follow a moved project: paths are those that were changed', async () => {
    const session = await twoTurns();
    renameSync(session.files.path('new'), session.files.path('moved'));
    await session.rewind('m1');
    expect(session.tree()).toEqual({ a: 'a0\nsame\n', 'moved/b': 'b2\n', untouched: 'u' });
  });
});

describe('Checkpoints', () => {
  it('are reported with the call that made them, once per message and file', async () => {
    const session = await twoTurns();
    expect(session.kept.map(({ path: file, hash }) => [path.basename(file), hash === null])).toEqual([
      ['a', false],
      ['b', true],
      ['a', false],
      ['b', false],
    ]);
    expect(session.kept.every(({ toolUseId }) => toolUseId.startsWith('call-'))).toBe(true);
  });

  it('store the same content once, readable only by the owner', async () => {
    const session = new Session({ a: 'same', b: 'same' });
    await session.store.begin('m1');
    await session.edit('a', 'x');
    await session.edit('b', 'y');
    expect(readdirSync(path.join(session.folder, 'blobs'))).toHaveLength(1);
    expect(statSync(session.folder).mode & 0o077).toBe(0);
    expect(statSync(path.join(session.folder, 'index.jsonl')).mode & 0o077).toBe(0);
  });

  it('store nothing before the first message', () => {
    expect(existsSync(new Session().folder)).toBe(false);
  });

  it('reject the change if they cannot be written', async () => {
    const session = new Session({ a: 'one' });
    await session.store.begin('m1');
    await session.files.read('a');
    rmSync(session.folder, { recursive: true });
    writeFileSync(session.folder, 'in the way');
    await expect(session.files.write('a', 'two')).rejects.toThrow(/old content could not be kept/);
    expect(session.files.text('a')).toBe('one');
  });

  it('work again after the obstacle is gone', async () => {
    const session = new Session({ a: 'one' });
    mkdirSync(path.join(session.folder, 'index.jsonl'), { recursive: true });
    await expect(session.store.begin('m1')).rejects.toThrow(/EISDIR/);
    rmSync(session.folder, { recursive: true });
    await session.store.begin('m1');
    await session.files.read('a');
    await session.files.write('a', 'two');
    expect(await session.store.rewind('m1')).toMatchObject({ canRewind: true });
    expect(session.files.text('a')).toBe('one');
  });

  it('reject a pipe in place of the index', async () => {
    const session = new Session();
    await session.store.begin('m1');
    const index = path.join(session.folder, 'index.jsonl');
    rmSync(index);
    execFileSync('mkfifo', [index]);
    await expect(session.store.begin('m2')).rejects.toThrow(/ENXIO/);
  });

  it('restore any earlier moment, regardless of changes and rewinds in between', async () => {
    const names = ['a', 'b', 'c/d'];
    const step = fc.oneof(
      fc.record({ do: fc.constant('message' as const) }),
      fc.record({
        do: fc.constant('write' as const),
        name: fc.constantFrom(...names),
        content: fc.string({ maxLength: 5 }),
      }),
      fc.record({ do: fc.constant('rewind' as const), to: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const folder = temporaryFolder();
        const store = new CheckpointStore({ folder: path.join(folder, 'history') });
        const files = path.join(folder, 'files');
        mkdirSync(files);
        const look = (): string =>
          JSON.stringify(
            names.map((name) =>
              existsSync(path.join(files, name)) ? readFileSync(path.join(files, name), 'utf8') : null,
            ),
          );
        const moments = new Map<string, string>();
        const begin = async (): Promise<void> => {
          const id = `m${moments.size}`;
          moments.set(id, look());
          await store.begin(id);
        };
        await begin();
        for (const each of steps) {
          if (each.do === 'message') await begin();
          else if (each.do === 'write') {
            const file = path.join(files, each.name);
            await store.before(file, 't', hashOf(Buffer.from(each.content)), currentOf(file));
            mkdirSync(path.dirname(file), { recursive: true });
            writeFileSync(file, each.content);
          } else {
            const ids = [...moments.keys()];
            const to = ids[each.to % ids.length] ?? 'm0';
            const now = look();
            const rewound = await store.rewind(to);
            expect(look()).toBe(moments.get(to));
            if (rewound.canRewind && rewound.undoId !== undefined) moments.set(rewound.undoId, now);
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});

function currentOf(file: string): KeptContent | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  return { bytes, hash: hashOf(bytes), mode: statSync(file).mode };
}
