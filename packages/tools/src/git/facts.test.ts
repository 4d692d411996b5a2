import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitFactsFrom, readGitFacts } from './facts.ts';
import { readGitIndex } from './index-file.ts';

interface Repository {
  readonly folder: string;
  readonly environment: Record<string, string>;
  readonly git: (...args: string[]) => string;
  readonly write: (file: string, text: string) => void;
}

const CLEAN = { helpers: [], submodules: false, sources: expect.any(Array) };

function repository(...options: string[]): Repository {
  const home = mkdtempSync(path.join(os.tmpdir(), 'heddle-git-'));
  const folder = path.join(home, 'project');
  mkdirSync(folder);
  // Uses neither the settings of this machine nor those of its user.
  const environment = { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: folder, env: environment, encoding: 'utf8', stdio: 'pipe' });
  git('init', '-q', ...options);
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  return { folder, environment, git, write };
}

describe('the facts about a repository', () => {
  it('are clean in a new one, below it, and outside of any', () => {
    const { folder, environment, write } = repository();
    write('a/b/c', '');
    expect(readGitFacts(folder, environment)).toEqual(CLEAN);
    expect(readGitFacts(path.join(folder, 'a/b'), environment)).toEqual(CLEAN);
    expect(gitFactsFrom(folder, environment)('a')).toEqual(CLEAN);
    expect(readGitFacts(mkdtempSync(path.join(os.tmpdir(), 'heddle-nogit-')), environment)).toEqual(CLEAN);
  });

  it.each([
    ['diff.external', 'evil'],
    ['diff.x.textconv', 'evil'],
    ['diff.X.y.command', 'evil'],
    ['diff.submodule', 'log'],
    ['core.fsmonitor', 'evil'],
    ['core.fsmonitor', 'true'],
    ['core.worktree', '/'],
    ['core.alternateRefsCommand', 'evil'],
    ['core.virtualFilesystem', 'evil'],
    ['log.showSignature', 'true'],
    ['log.diffMerges', 'remerge'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.partialCloneFilter', 'blob:none'],
    ['extensions.partialClone', 'origin'],
    ['pretty.mine', '%h %GK'],
    ['format.pretty', '%GS'],
    ['branch.sort', 'signature:grade'],
    ['status.submoduleSummary', '5'],
    ['trace2.eventTarget', '/tmp/x'],
    ['uploadpack.packObjectsHook', 'evil'],
    ['protocol.ext.allow', 'always'],
    ['hook.x.command', 'evil'],
    ['unheard.of', 'x'],
  ])('include %s = %s', (key, value) => {
    const { folder, environment, git } = repository();
    git('config', '--file', '.git/config', key, value);
    const [first, last] = [key.slice(0, key.indexOf('.')), key.slice(key.lastIndexOf('.'))];
    const written = `${first.toLowerCase()}${key.slice(first.length, -last.length)}${last.toLowerCase()}`;
    expect(readGitFacts(folder, environment)?.helpers).toEqual([written]);
  });

  it('omit common settings of people and tools', () => {
    const { folder, environment, git, write } = repository();
    const everyday =
      'core.fsmonitor=false user.name=a user.signingkey=k alias.log=!evil core.pager=less core.editor=vim pretty.mine=%h ' +
      'remote.origin.url=git@example.com:a/b.git remote.origin.fetch=+refs/heads/*:refs/remotes/origin/* branch.main.merge=a ' +
      'branch.main.vscode-merge-base=origin/main commit.gpgsign=true gpg.format=ssh credential.helper=store pull.rebase=true ' +
      'push.autoSetupRemote=true init.defaultBranch=main color.ui=auto diff.algorithm=histogram diff.colorMoved=zebra ' +
      'merge.conflictStyle=zdiff3 rerere.enabled=true url.git@example.com:.insteadOf=https://example.com/ core.hooksPath=.husky ' +
      'fetch.prune=true log.date=iso status.short=true tag.sort=-version:refname core.excludesFile=~/.gitignore safe.directory=* ' +
      'submodule.lib.url=../lib merge.npm-merge-driver.driver=x interactive.diffFilter=delta filter.lfs.process=git-lfs ' +
      'filter.lfs.required=true lfs.repositoryformatversion=0 http.proxy=http://example.com maintenance.auto=false';
    for (const setting of everyday.split(' ')) {
      const at = setting.indexOf('=');
      git('config', setting.slice(0, at), setting.slice(at + 1));
    }
    expect(readGitFacts(folder, environment)?.helpers).toEqual(['filter.lfs.process', 'filter.lfs.required']);
    for (const name of ['process', 'required']) git('config', '--unset', `filter.lfs.${name}`);
    expect(readGitFacts(folder, environment)).toEqual(CLEAN);
    // A filter of the user matters only if a file uses it.
    git('config', '--global', 'filter.lfs.process', 'git-lfs');
    git('config', '--global', 'filter.lfs.required', 'true');
    expect(readGitFacts(folder, environment)).toEqual({ ...CLEAN, mayFilter: expect.any(Function) });
    write('deep/a.bin', '');
    git('add', '.');
    write('deep/.gitattributes', '*.bin filter=lfs\n');
    expect(readGitFacts(folder, environment)?.helpers).toEqual(['filter.lfs.process', 'filter.lfs.required']);
    // Git reads it from the index if it is missing.
    git('-c', 'filter.lfs.process=', '-c', 'filter.lfs.required=false', 'add', '.');
    rmSync(path.join(folder, 'deep/.gitattributes'));
    expect(readGitFacts(folder, environment)?.helpers).toEqual(['filter.lfs.process', 'filter.lfs.required']);
  });

  it('include the settings of the user, of included files, of worktrees, and hooks and variables', () => {
    const { folder, environment, git, write } = repository();
    const helpers = (more: Record<string, string> = {}): readonly string[] | undefined =>
      readGitFacts(folder, { ...environment, ...more })?.helpers;
    writeFileSync(path.join(environment['HOME'] ?? '', '.gitconfig'), '[trace2] eventTarget = /tmp/x\n');
    expect(helpers()).toEqual(['trace2.eventtarget']);
    rmSync(path.join(environment['HOME'] ?? '', '.gitconfig'));
    write('more', '[diff]\n\texternal = "a\\nb"\n');
    git('config', 'includeIf.gitdir:/elsewhere/.path', '../more');
    write('.git/hooks/post-index-change', '');
    expect(helpers({ GIT_EXTERNAL_DIFF: 'evil' })).toEqual([
      'GIT_EXTERNAL_DIFF',
      'diff.external',
      'hooks/post-index-change',
    ]);
    git('config', '--unset', 'includeIf.gitdir:/elsewhere/.path');
    rmSync(path.join(folder, '.git/hooks/post-index-change'));
    expect(helpers()).toEqual([]);
    write('.husky/post-index-change', '');
    git('config', 'core.hooksPath', '.husky');
    expect(helpers()).toEqual(['hooks/post-index-change']);
    git('config', '--unset', 'core.hooksPath');
    write('.git/config.worktree', '[core]\n\tfsmonitor\n');
    expect(helpers({ GIT_DIR: 'x' })).toEqual(['GIT_DIR', 'core.fsmonitor']);
  });

  it('include a filter of the user for each file that may use it', () => {
    const { folder, environment, git, write } = repository();
    git('config', '--global', 'filter.lfs.clean', 'git-lfs');
    write('a', '');
    write('un/b', '');
    git('add', 'a');
    const facts = readGitFacts(folder, environment);
    expect(facts?.helpers).toEqual([]);
    expect(['a', 'un/b', './un/../a', `${folder}/a`].filter((name) => facts?.mayFilter?.(name))).toEqual([]);
    expect(facts?.mayFilter?.('../other/a')).toBe(true);
    expect(facts?.mayFilter?.(':(top)a')).toBe(true);
    write('un/.gitattributes', '* filter=lfs\n');
    expect(readGitFacts(folder, environment)?.helpers).toEqual([]);
    expect(['un/b', 'un/deep/c', 'un'].filter((name) => !facts?.mayFilter?.(name))).toEqual([]);
    expect(readGitFacts(path.join(folder, 'un'), environment)?.mayFilter?.('b')).toBe(true);
    expect(readGitFacts(path.join(folder, 'un'), environment)?.mayFilter?.('../a')).toBe(false);
    // Git follows no link to an attributes file, and reads the one of the index.
    symlinkSync('a', path.join(folder, '.gitattributes'));
    expect(readGitFacts(folder, environment)?.helpers).toEqual(['filter.lfs.clean']);
  });

  it('include each filter of the repository itself', () => {
    const { folder, environment, git, write } = repository();
    write('.git/more', '[filter "x"]\n\tclean = evil\n');
    git('config', 'include.path', 'more');
    expect(readGitFacts(folder, environment)?.helpers).toEqual(['filter.x.clean']);
  });

  it('include both readings of a tab inside a value', () => {
    const { folder, environment, write } = repository();
    write('.git/config', '[include]\n\tpath = ev\til\n[alias]\n\tl = log \\\n\t\t--oneline\n');
    expect(readGitFacts(folder, environment)).toEqual(CLEAN);
    for (const name of ['ev il', 'ev\til']) {
      write(`.git/${name}`, '[diff]\n\texternal = evil\n');
      expect(readGitFacts(folder, environment)?.helpers).toEqual(['diff.external']);
      rmSync(path.join(folder, '.git', name));
    }
  });

  it('include a file with a blank at the end of its name', () => {
    const { folder, environment, write } = repository();
    write('.git/config', '[include]\n\tpath = evil \\\n\n');
    write('.git/evil ', '[diff]\n\texternal = evil\n');
    expect(readGitFacts(folder, environment)?.helpers).toEqual(['diff.external']);
  });

  it('ignore the format of a repository in other files', () => {
    const { folder, environment, git, write } = repository();
    write('a', '');
    git('add', 'a');
    write('.git/config.worktree', '[extensions]\n\tobjectformat = sha256\n');
    expect(readGitFacts(folder, environment)).toEqual(CLEAN);
  });

  it.skipIf(process.getuid?.() === 0)('are unknown if git cannot enter the repository', () => {
    const { folder, environment } = repository();
    chmodSync(path.join(folder, '.git/refs'), 0o600);
    expect(readGitFacts(folder, environment)).toBeUndefined();
  });

  it('include a working tree and hooks behind a link', () => {
    const { folder, environment, git, write } = repository();
    write('other/deep/x', '');
    symlinkSync('../other/deep', path.join(folder, '.git/lnk'));
    git('config', '--file', '.git/config', 'core.worktree', 'lnk/../..');
    expect(readGitFacts(folder, environment)?.helpers).toEqual(['core.worktree']);
    git('config', '--file', '.git/config', 'core.worktree', '..');
    expect(readGitFacts(folder, environment)).toEqual(CLEAN);
    symlinkSync('other/deep', path.join(folder, 'lnk'));
    git('config', 'core.hooksPath', 'lnk/../hooks');
    expect(readGitFacts(folder, environment)?.helpers).toEqual(['hooks/post-index-change']);
  });

  it('apply in a worktree, and detect submodules that are checked out', () => {
    const { folder, environment, git, write } = repository();
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
    git('worktree', 'add', '-q', '../other');
    expect(readGitFacts(path.join(folder, '../other'), environment)).toEqual(CLEAN);
    write('.git/commondir', '.\n');
    expect(readGitFacts(folder, environment)).toEqual(CLEAN);
    rmSync(path.join(folder, '.git/commondir'));
    git('config', 'diff.external', 'evil');
    expect(readGitFacts(path.join(folder, '../other'), environment)?.helpers).toEqual(['diff.external']);
    git('config', '--unset', 'diff.external');
    git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},inner`);
    expect(readGitFacts(folder, environment)).toEqual(CLEAN);
    write('inner/.git', 'gitdir: ../x\n');
    expect(readGitFacts(folder, environment)).toEqual({ ...CLEAN, submodules: true });
  });

  const broken: readonly (readonly [string, (made: Repository) => void])[] = [
    ['a configuration that git rejects', ({ write }) => write('.git/config', '[core\n')],
    [
      'a configuration that is not text',
      ({ folder }) => writeFileSync(path.join(folder, '.git/config'), Buffer.from([0xff, 0])),
    ],
    ['a pipe in place of the configuration', ({ folder }) => pipe(path.join(folder, '.git/config'))],
    ['a pipe in place of the index', ({ folder }) => pipe(path.join(folder, '.git/index'))],
    [
      'a HEAD that is a link',
      ({ folder }) => {
        renameSync(path.join(folder, '.git/HEAD'), path.join(folder, '.git/H2'));
        symlinkSync('H2', path.join(folder, '.git/HEAD'));
      },
    ],
    ['a HEAD with other blanks', ({ write }) => write('.git/HEAD', 'ref:\u00a0refs/heads/main\n')],
    ['a HEAD with many blanks', ({ write }) => write('.git/HEAD', `ref:${' '.repeat(300)}refs/heads/main\n`)],
    [
      'a format without a version',
      ({ write }) => write('.git/config', '[extensions]\n\tobjectformat = sha256\n'),
    ],
    [
      'two formats',
      ({ write }) =>
        write(
          '.git/config',
          '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n\tobjectformat = sha1\n',
        ),
    ],
    [
      'an index with a strange name',
      (made) => changeIndex(made, (bytes) => void bytes.write('a/../bbb', 74)),
    ],
    [
      'an index with a folder of git',
      (made) => changeIndex(made, (bytes) => void bytes.write('.git/bbb', 74)),
    ],
    [
      'an index with a strange mode, which hides a submodule',
      (made) => changeIndex(made, (bytes) => void bytes.writeUInt32BE(0x1_e000, 36)),
    ],
    [
      'an index with another length of a name',
      (made) => changeIndex(made, (bytes) => void bytes.writeUInt16BE(66, 72)),
    ],
    [
      'an index with an unknown extension',
      (made) =>
        changeIndex(made, (bytes) =>
          Buffer.concat([bytes.subarray(0, -20), Buffer.from('ZZZZ\0\0\0\u0004abcd'), bytes.subarray(-20)]),
        ),
    ],
    ['a device in place of HEAD', ({ folder }) => link('/dev/zero', path.join(folder, '.git/HEAD'))],
    [
      'a configuration that includes itself',
      ({ git }) => void git('config', '--file', '.git/config', 'include.path', 'config'),
    ],
    [
      'an include in another home',
      ({ git }) => void git('config', '--file', '.git/config', 'include.path', '~x/y'),
    ],
    ['a common folder elsewhere', ({ write }) => write('.git/commondir', '../elsewhere\n')],
    ['an index that is cut off', ({ write }) => write('.git/index', 'DIRC\0\0\0\u0002\0\0\0\u0001')],
    [
      'a file in place of .git',
      ({ folder, write }) => {
        renameSync(path.join(folder, '.git'), path.join(folder, 'g'));
        write('.git', 'x');
      },
    ],
    [
      'a link to nothing in place of .git',
      ({ folder }) => {
        renameSync(path.join(folder, '.git'), path.join(folder, 'g'));
        symlinkSync('none', path.join(folder, '.git'));
      },
    ],
    [
      'a repository without a working tree',
      ({ folder, git }) => {
        git('init', '-q', '--bare', 'inner');
        for (const name of ['inner/HEAD', 'inner/config', 'inner/objects', 'inner/refs']) {
          rmSync(path.join(folder, path.basename(name)), { recursive: true, force: true });
          renameSync(path.join(folder, name), path.join(folder, path.basename(name)));
        }
        rmSync(path.join(folder, '.git'), { recursive: true });
      },
    ],
    [
      'a split index',
      ({ git, write }) => {
        write('a', '');
        git('add', 'a');
        git('update-index', '--split-index');
      },
    ],
    ['a sparse index', (made) => makeSparse(made)],
    [
      'an include behind a link',
      ({ folder, git, write }) => {
        write('sub/deep/x', '');
        write('sub/more', '[diff]\n\texternal = evil\n');
        symlinkSync('../sub/deep', path.join(folder, '.git/lnk'));
        git('config', '--file', '.git/config', 'include.path', 'lnk/../more');
      },
    ],
    [
      'an include behind a link, with a full path',
      ({ folder, git, write }) => {
        write('sub/deep/x', '');
        symlinkSync('sub/deep', path.join(folder, 'lnk'));
        git('config', '--file', '.git/config', 'include.path', `${folder}/lnk/../more`);
      },
    ],
    [
      'a file .git that leads behind a link',
      ({ folder, write }) => {
        write('sub/deep/x', '');
        symlinkSync('sub/deep', path.join(folder, 'lnk'));
        renameSync(path.join(folder, '.git'), path.join(folder, 'g'));
        write('.git', 'gitdir: lnk/../g\n');
      },
    ],
    [
      'a common folder behind a link',
      ({ folder, write }) => {
        write('sub/.git/x', '');
        symlinkSync('../sub/.git', path.join(folder, '.git/lnk'));
        write('.git/commondir', 'lnk/..\n');
      },
    ],
  ];

  it.each(broken)('are unknown with %s', (_, breakIt) => {
    const made = repository();
    breakIt(made);
    expect(readGitFacts(made.folder, made.environment)).toBeUndefined();
  });

  it('are unknown for a folder that is missing', () => {
    expect(readGitFacts('/no/such/folder', {})).toBeUndefined();
  });
});

describe('the index', () => {
  it.each([2, 3, 4])('is read in format %i as git reads it', (version) => {
    const { folder, environment, git, write } = repository();
    for (const file of [
      'a',
      'a-long-name/in/folders',
      'a-long-name/in/folders2',
      'b/ä ö',
      `${'y'.repeat(200)}/${'z'.repeat(200)}`,
    ])
      write(file, '');
    git('config', 'index.version', String(version));
    git('add', '.');
    if (version === 3) {
      write('later', '');
      git('add', '-N', 'later');
    }
    expect(readFileSync(path.join(folder, '.git/index')).readUInt32BE(4)).toBe(version);
    const listed = git('ls-files', '-z').split('\0').slice(0, -1);
    expect(readGitIndex(path.join(folder, '.git/index'), 20)).toMatchObject({ paths: listed, gitlinks: [] });
    expect(readGitFacts(folder, environment)).toEqual(CLEAN);
  });

  it('contain notes and replaced objects, also packed ones', () => {
    const { folder, environment, git, write } = repository();
    write('a', '');
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'x');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'notes', 'add', '-m', 'note');
    expect(readGitFacts(folder, environment)).toEqual({ ...CLEAN, hasNotes: true });
    git('pack-refs', '--all');
    rmSync(path.join(folder, '.git/refs/notes'), { recursive: true, force: true });
    expect(readGitFacts(folder, environment)).toEqual({ ...CLEAN, hasNotes: true });
    git('update-ref', '-d', 'refs/notes/commits');
    git('update-ref', `refs/replace/${git('rev-parse', 'HEAD^{tree}').trim()}`, 'HEAD');
    expect(readGitFacts(folder, environment)).toEqual({ ...CLEAN, hasReplacements: true });
    git('for-each-ref', '--format=delete %(refname)', 'refs/replace')
      .split(' ')
      .slice(1)
      .forEach((ref) => git('update-ref', '-d', ref.trim()));
    git('config', 'notes.displayRef', 'refs/heads/x');
    expect(readGitFacts(folder, environment)).toEqual({ ...CLEAN, hasNotes: true });
  });

  it('is read in a repository with longer hashes', () => {
    const { folder, environment, git, write } = repository('--object-format=sha256');
    write('a/b', '');
    git('add', '.');
    expect(readGitIndex(path.join(folder, '.git/index'), 32)?.paths).toEqual(['a/b']);
    expect(readGitFacts(folder, environment)).toEqual(CLEAN);
  });
});

/** Changes the index of a single file, whose flags start at 72 and whose name starts at 74. */
function changeIndex({ folder, git, write }: Repository, change: (bytes: Buffer) => Buffer | void): void {
  write('bbbbbbbb', '');
  git('add', 'bbbbbbbb');
  const file = path.join(folder, '.git/index');
  const bytes = readFileSync(file);
  expect(bytes.toString('latin1', 74, 82)).toBe('bbbbbbbb');
  writeFileSync(file, change(bytes) ?? bytes);
}

function pipe(file: string): void {
  rmSync(file, { force: true });
  execFileSync('mkfifo', [file]);
}

function link(target: string, file: string): void {
  rmSync(file);
  symlinkSync(target, file);
}

function makeSparse({ folder, git, write }: Repository): void {
  for (const file of ['in/a', 'out/deep/b']) write(file, '');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'x');
  git('sparse-checkout', 'init', '--cone', '--sparse-index');
  git('sparse-checkout', 'set', 'in');
  expect(existsSync(path.join(folder, 'out'))).toBe(false);
}
