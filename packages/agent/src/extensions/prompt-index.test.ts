/** The index of prompt files: it is used only if nothing has changed, and never decides anything by itself. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discoverPromptFiles } from './discover.ts';
import { type FileLimits, GuardedFiles } from './guarded-files.ts';
import type { ExtensionRoot } from './prompt-file.ts';
import { PromptIndex } from './prompt-index.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-index-'));
  write('skills/review/SKILL.md', header('review', 'Reviews code.'));
  write('skills/empty/notes.txt', 'not a skill');
  write('commands/git/commit.md', header('commit', 'Commits.'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const cache = (): string => path.join(folder, 'cache');
const root = (): ExtensionRoot => ({ folder: path.join(folder, 'user'), scope: 'user' });
const header = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`;

function write(name: string, text: string): void {
  const file = path.join(folder, 'user', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** As if an hour had passed since the last change: a change of the last two seconds is never stored. */
const HOUR_MS = 3_600_000;

interface Start {
  readonly version?: string;
  readonly at?: ExtensionRoot;
  readonly isDenied?: (file: string) => boolean;
}

/** One start of the program: reads the files and stores the index. Returns names and descriptions. */
async function start({ version = '1', at = root(), isDenied }: Start = {}): Promise<readonly string[]> {
  const index = new PromptIndex(cache(), version, () => Date.now() + HOUR_MS);
  const { promptFiles } = await discoverPromptFiles([at], { index, isDenied });
  index.save();
  return promptFiles.map(({ name, description }) => `${name}: ${description}`);
}

const FOUND = ['review: Reviews code.', 'commit: Commits.'];
const indexFiles = (): readonly string[] => readdirSync(cache()).map((name) => path.join(cache(), name));
const isRead = (version = '1', at = root(), limits: FileLimits = {}): boolean =>
  new PromptIndex(cache(), version).read(at, new GuardedFiles(limits)) !== undefined;

describe('the index of prompt files', () => {
  it('gives the next start the same files, with every field', async () => {
    const direct = await discoverPromptFiles([root()]);
    expect(await start()).toEqual(FOUND);
    expect(isRead()).toBe(true);
    const index = new PromptIndex(cache(), '1');
    const { promptFiles, problems } = await discoverPromptFiles([root()], { index });
    expect(JSON.parse(JSON.stringify({ promptFiles, problems }))).toEqual(JSON.parse(JSON.stringify(direct)));
  });

  const changes: readonly [change: string, apply: () => void, found: readonly string[]][] = [
    [
      'a header is edited',
      () => write('skills/review/SKILL.md', header('review', 'Reviews text.')),
      ['review: Reviews text.', 'commit: Commits.'],
    ],
    [
      'a header is edited and keeps its size and its time',
      () => {
        const file = path.join(folder, 'user/skills/review/SKILL.md');
        const { atime, mtime } = statSync(file);
        writeFileSync(file, header('review', 'Reviews CODE.'));
        utimesSync(file, atime, mtime);
      },
      ['review: Reviews CODE.', 'commit: Commits.'],
    ],
    [
      'a command is edited in place and keeps its size and its time',
      () => {
        const file = path.join(folder, 'user/commands/git/commit.md');
        const { atime, mtime } = statSync(file);
        writeFileSync(file, header('commit', 'Rebases.'));
        utimesSync(file, atime, mtime);
      },
      ['review: Reviews code.', 'commit: Rebases.'],
    ],
    [
      'a file is replaced by a link to another file of the same size',
      () => {
        const file = path.join(folder, 'user/skills/review/SKILL.md');
        write('other.md', header('review', 'Reviews LINK.'));
        rmSync(file);
        symlinkSync('../../other.md', file);
      },
      ['review: Reviews LINK.', 'commit: Commits.'],
    ],
    [
      'the folder of the commands is replaced by a link',
      () => {
        write('elsewhere/commit.md', header('commit', 'Links.'));
        rmSync(path.join(folder, 'user/commands'), { recursive: true });
        symlinkSync('elsewhere', path.join(folder, 'user/commands'));
      },
      ['review: Reviews code.', 'commit: Links.'],
    ],
    [
      'a skill is added',
      () => write('skills/test/SKILL.md', header('test', 'Tests.')),
      ['review: Reviews code.', 'test: Tests.', 'commit: Commits.'],
    ],
    [
      'a folder without a skill gets one',
      () => write('skills/empty/SKILL.md', header('empty', 'New.')),
      ['empty: New.', 'review: Reviews code.', 'commit: Commits.'],
    ],
    [
      'a command is added to a subfolder',
      () => write('commands/git/push.md', header('push', 'Pushes.')),
      [...FOUND, 'push: Pushes.'],
    ],
    [
      'a skill is removed',
      () => rmSync(path.join(folder, 'user/skills/review'), { recursive: true }),
      ['commit: Commits.'],
    ],
    [
      'all commands are removed',
      () => rmSync(path.join(folder, 'user/commands'), { recursive: true }),
      ['review: Reviews code.'],
    ],
  ];
  it.each(changes)('is not used when %s', async (_, apply, found) => {
    await start();
    expect(isRead()).toBe(true);
    apply();
    expect(isRead()).toBe(false);
    expect(await start()).toEqual(found);
  });

  const damages: readonly [damage: string, apply: (file: string) => void][] = [
    ['is cut off', (file) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, 300))],
    ['is empty', (file) => writeFileSync(file, '')],
    ['is not text', (file) => writeFileSync(file, Buffer.from([0xff, 0x00, 0x0a, 0xfe]))],
    ['is another value', (file) => writeFileSync(file, '[1, 2]')],
    [
      'has files without a name',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"name"', '"x"')),
    ],
    [
      'has a name that is not text',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"name":"review"', '"name":1')),
    ],
    [
      'has a model that is not text',
      (file) =>
        writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"isForked"', '"model":{},"isForked"')),
    ],
    [
      'has fewer states than paths',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace(/"states":\[[^,]*,/, '"states":[')),
    ],
    [
      'is a folder',
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ];
  it.each(damages)('is ignored if it %s', async (_, apply) => {
    await start();
    for (const file of indexFiles()) apply(file);
    expect(isRead()).toBe(false);
    expect(await start()).toEqual(FOUND);
  });

  it('of another version is ignored, so that two versions can be used in turn', async () => {
    expect(await start({ version: '1' })).toEqual(FOUND);
    expect(isRead('2')).toBe(false);
    expect(await start({ version: '2' })).toEqual(FOUND);
    expect(await start({ version: '1' })).toEqual(FOUND);
    expect(isRead('1')).toBe(true);
  });

  it('is not written to a folder that cannot be changed, and the start succeeds', async () => {
    writeFileSync(cache(), 'a file in its place');
    expect(await start()).toEqual(FOUND);
    rmSync(cache());
    mkdirSync(cache());
    chmodSync(cache(), 0o500);
    expect(await start()).toEqual(FOUND);
    chmodSync(cache(), 0o700);
  });

  it('is readable by the user alone', async () => {
    await start();
    expect(indexFiles().map((file) => statSync(file).mode & 0o777)).toEqual([0o600]);
  });

  it('is not written for files that changed a moment ago: the next change may have the same time stamp', async () => {
    const index = new PromptIndex(cache(), '1');
    await discoverPromptFiles([root()], { index });
    index.save();
    expect(isRead()).toBe(false);
  });

  it('of a project is used until a link in it leads to another place', async () => {
    const within = path.join(folder, 'user');
    const at: ExtensionRoot = { folder: within, scope: 'project', within };
    const link = path.join(folder, 'user/commands/docs');
    for (const name of ['a', 'b']) write(`${name}/show.md`, header('show', 'Shows.'));
    symlinkSync('../a', link);
    const found = ['review: Reviews code.', 'show: Shows.', 'commit: Commits.'];
    expect((await start({ at })).toSorted()).toEqual(found.toSorted());
    expect(isRead('1', at, { within })).toBe(true);
    rmSync(link);
    symlinkSync('../b', link);
    expect(isRead('1', at, { within })).toBe(false);
  });

  it('follows the rules of each start for the targets of links', async () => {
    mkdirSync(path.join(folder, 'dotfiles'));
    renameSync(path.join(folder, 'user/skills/review'), path.join(folder, 'dotfiles/review'));
    symlinkSync('../../dotfiles/review', path.join(folder, 'user/skills/review'));
    const denied = realpathSync(path.join(folder, 'dotfiles'));
    const isDenied = (file: string): boolean => file.startsWith(denied);
    expect(await start()).toEqual(FOUND);
    expect(isRead()).toBe(true);
    expect(await start({ isDenied })).toEqual(['commit: Commits.']);
    expect(isRead('1', root(), { isDenied })).toBe(true);
    expect(await start()).toEqual(FOUND);
  });

  it('keeps the 50 newest roots', async () => {
    mkdirSync(cache());
    for (let at = 0; at < 60; at++) {
      const file = path.join(cache(), `${at}.json`);
      writeFileSync(file, '');
      utimesSync(file, at, at);
    }
    await start();
    expect(indexFiles()).toHaveLength(50);
    expect(isRead()).toBe(true);
  });
});
