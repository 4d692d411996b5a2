/** Repositories that run a program when git reads them. Each runs `touch` on a marker file. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface HostileMaker {
  readonly name: string;
  /** A command that runs the program, to see that the repository is hostile. */
  readonly trigger: readonly string[];
  readonly make: (made: Made) => void;
}

export interface Made {
  readonly folder: string;
  readonly git: (...args: string[]) => string;
  readonly write: (file: string, text: string, mode?: number) => void;
  /** A program that creates the marker file and then prints its input. */
  readonly evil: string;
}

let template: string | undefined;

/** A repository with one commit. */
export function makeRepository(folder: string, marker: string): Made {
  mkdirSync(folder, { recursive: true });
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: path.dirname(folder),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const write = (file: string, text: string, mode = 0o644): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text, { mode });
  };
  if (template === undefined) {
    git('init', '-q', '-b', 'main', '--template=');
    write('a', 'one\n');
    write('out/deep/b', 'two\n');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    template = mkdtempSync(path.join(os.tmpdir(), 'heddle-template-'));
    cpSync(folder, template, { recursive: true });
  } else {
    cpSync(template, folder, { recursive: true });
    // Git compares files with its index by their times.
    git('update-index', '-q', '--refresh');
  }
  const evil = path.join(folder, '.git', 'evil.sh');
  write(
    '.git/evil.sh',
    `#!/bin/sh\ntouch '${marker}'\n[ -n "$1" ] && [ -f "$1" ] && cat "$1"\nexit 0\n`,
    0o755,
  );
  return { folder, git, write, evil };
}

function commitAttribute({ git, write }: Made, attribute: string): void {
  write('.gitattributes', `* ${attribute}\n`);
  git('add', '.');
  git('commit', '-q', '-m', 'attributes');
  write('a', 'changed\n');
}

/** Same size, other time: git must read the file to see whether it changed. */
function touchFile({ folder }: Made): void {
  utimesSync(path.join(folder, 'a'), 1, 1);
}

/** Objects of a folder that only a fetch could bring, and a remote that is a program. */
function makePartial(made: Made): void {
  const { folder, git, evil } = made;
  for (const object of [git('rev-parse', 'HEAD:out').trim(), git('rev-parse', 'HEAD:out/deep').trim()])
    rmSync(path.join(folder, '.git/objects', object.slice(0, 2), object.slice(2)), { force: true });
  git('config', 'core.repositoryFormatVersion', '1');
  git('config', 'extensions.partialClone', 'origin');
  git('config', 'remote.origin.promisor', 'true');
  git('config', 'remote.origin.url', `ext::${evil}`);
  git('config', 'protocol.ext.allow', 'always');
}

/** The newest commit claims to be signed, so that a format can ask for the signature. */
function makeSigned({ folder, git }: Made): void {
  const text = git('cat-file', 'commit', 'HEAD');
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n';
  const signed = path.join(folder, '.git/signed');
  writeFileSync(signed, text.replace('\n\n', `\n${signature}\n`));
  git('update-ref', 'HEAD', git('hash-object', '-t', 'commit', '-w', signed).trim());
}

/** A repository inside, whose own configuration runs a program, in two versions. */
function makeSubmodule(made: Made, key: string): Made {
  const { folder, git } = made;
  const inner = makeRepository(path.join(folder, 'inner'), path.join(folder, 'unused'));
  git('-c', 'advice.addEmbeddedRepo=false', 'add', 'inner');
  git('commit', '-q', '-m', 'submodule');
  inner.write('a', 'second\n');
  inner.git('commit', '-q', '-am', 'second');
  git('commit', '-q', '-am', 'submodule moved');
  inner.write('a', 'third\n');
  inner.git('config', key, made.evil);
  return inner;
}

export const HOSTILE: readonly HostileMaker[] = [
  {
    name: 'a partial clone of a program, with a sparse index',
    trigger: ['ls-files', '--stage'],
    make(made) {
      made.git('sparse-checkout', 'init', '--cone', '--sparse-index');
      made.git('sparse-checkout', 'set', 'in');
      makePartial(made);
    },
  },
  { name: 'a partial clone of a program', trigger: ['rev-list', '--objects', '--all'], make: makePartial },
  {
    name: 'a file monitor',
    trigger: ['status'],
    make: ({ git, evil }) => void git('config', 'core.fsmonitor', evil),
  },
  {
    name: 'a converter for differences',
    trigger: ['log', '-p'],
    make(made) {
      commitAttribute(made, 'diff=x');
      made.git('config', 'diff.x.textconv', made.evil);
    },
  },
  {
    name: 'a program for differences',
    trigger: ['diff'],
    make({ git, write, evil }) {
      write('a', 'changed\n');
      git('config', 'diff.external', evil);
    },
  },
  {
    name: 'a driver for differences',
    trigger: ['diff'],
    make(made) {
      commitAttribute(made, 'diff=x');
      made.git('config', 'diff.x.command', made.evil);
    },
  },
  {
    name: 'a filter',
    trigger: ['status'],
    make(made) {
      commitAttribute(made, 'filter=x');
      made.git('config', 'filter.x.clean', made.evil);
      touchFile(made);
    },
  },
  {
    name: 'a filter whose attributes are only in the index',
    trigger: ['status'],
    make(made) {
      commitAttribute(made, 'filter=x');
      rmSync(path.join(made.folder, '.gitattributes'));
      made.git('config', 'filter.x.clean', made.evil);
      touchFile(made);
    },
  },
  {
    name: 'a filter for files that are not tracked',
    trigger: ['diff', '--no-index', 'a', 'ignored/b'],
    make({ git, write, evil }) {
      write('ignored/.gitattributes', '* filter=x\n');
      write('ignored/b', 'x\n');
      git('config', 'filter.x.clean', evil);
    },
  },
  {
    name: 'a format that checks signatures',
    trigger: ['log'],
    make(made) {
      makeSigned(made);
      made.git('config', 'format.pretty', '%h %GG');
      made.git('config', 'gpg.program', made.evil);
    },
  },
  {
    name: 'a named format that checks signatures',
    trigger: ['log'],
    make(made) {
      makeSigned(made);
      made.git('config', 'format.pretty', 'mine');
      made.git('config', 'pretty.mine', '%GS');
      made.git('config', 'gpg.program', made.evil);
    },
  },
  {
    name: 'signatures in every log',
    trigger: ['show'],
    make(made) {
      makeSigned(made);
      made.git('config', 'log.showSignature', 'true');
      made.git('config', 'gpg.openpgp.program', made.evil);
    },
  },
  {
    name: 'differences of submodules',
    trigger: ['show'],
    make(made) {
      makeSubmodule(made, 'diff.external');
      made.git('config', 'diff.submodule', 'diff');
    },
  },
  {
    name: 'a file monitor in a submodule',
    trigger: ['status'],
    make: (made) => void makeSubmodule(made, 'core.fsmonitor'),
  },
  {
    name: 'a merge driver',
    trigger: ['log', '-m', '-p'],
    make(made) {
      const { git, write, evil } = made;
      commitAttribute(made, 'merge=x');
      git('commit', '-q', '-am', 'left');
      git('checkout', '-q', '-b', 'side', 'HEAD~');
      write('a', 'right\n');
      git('commit', '-q', '-am', 'right');
      git('merge', '-q', '-s', 'ours', 'main');
      git('config', 'log.diffMerges', 'remerge');
      git('config', 'merge.x.driver', evil);
    },
  },
  {
    name: 'a hook for the index',
    trigger: ['status'],
    make(made) {
      made.write('.git/hooks/post-index-change', readFileSync(made.evil, 'utf8'), 0o755);
      touchFile(made);
    },
  },
  {
    name: 'a folder of hooks',
    trigger: ['diff'],
    make(made) {
      made.write('.husky/post-index-change', readFileSync(made.evil, 'utf8'), 0o755);
      made.git('config', 'core.hooksPath', '.husky');
      touchFile(made);
    },
  },
  {
    name: 'an included file',
    trigger: ['status'],
    make({ git, write, evil }) {
      write('.settings', `[core]\n\tfsmonitor = ${evil}\n`);
      git('config', 'include.path', '../.settings');
    },
  },
  {
    name: 'a file included on a condition',
    trigger: ['status'],
    make({ git, write, evil }) {
      write('.settings', `[core]\n\tfsmonitor = ${evil}\n`);
      git('config', 'includeIf.onbranch:main.path', '../.settings');
    },
  },
  {
    name: 'settings of the worktree',
    trigger: ['status'],
    make({ git, write, evil }) {
      git('config', 'extensions.worktreeConfig', 'true');
      write('.git/config.worktree', `[core]\n\tfsmonitor = ${evil}\n`);
    },
  },
  {
    name: 'a common folder elsewhere',
    trigger: ['status'],
    make({ folder, write, evil }) {
      cpSync(path.join(folder, '.git'), path.join(folder, 'shared'), { recursive: true });
      write('shared/config', `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${evil}\n`);
      write('.git/commondir', '../shared\n');
    },
  },
  {
    name: 'a .git that points elsewhere',
    trigger: ['status'],
    make({ folder, git, write }) {
      const evil = path.join(folder, 'data/evil.sh');
      git('config', 'core.fsmonitor', evil);
      renameSync(path.join(folder, '.git'), path.join(folder, 'data'));
      write('.git', 'gitdir: data\n');
    },
  },
];
