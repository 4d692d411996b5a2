/** Makes a project on a real disk whose files, folders, links and bare repositories have unusual names. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Choose } from '../choices.ts';
import { randomName } from './names.ts';

export const SECRET = 'the text that stays inside';

/** The names of what the project contains, relative to its folder. */
export interface ProjectNames {
  readonly folders: readonly string[];
  readonly files: readonly string[];
  /** Links to folders outside and to protected folders. */
  readonly forbiddenFolders: readonly string[];
  readonly forbiddenFiles: readonly string[];
  /** Links to the folder of denied files, and to one of them. */
  readonly secretFolders: readonly string[];
  readonly secretFiles: readonly string[];
  readonly repositories: readonly string[];
  /** Numbers of the denied file and of its folder among the objects of git. */
  readonly objects: readonly string[];
}

/** The folders of one try. */
export interface Places {
  readonly base: string;
  readonly fixture: string;
  readonly work: string;
  readonly project: string;
  readonly home: string;
  readonly tools: string;
}

export function placesIn(base: string): Places {
  const work = path.join(base, 'work');
  return {
    base,
    fixture: path.join(base, 'fixture'),
    work,
    project: path.join(work, 'project'),
    home: path.join(work, 'home'),
    tools: path.join(base, 'tools'),
  };
}

export function environmentOf({ tools, home }: Places): Readonly<Record<string, string>> {
  return { PATH: `${tools}:/usr/bin:/bin`, HOME: home, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' };
}

/** Programs that a worst one replaces: it reads and writes every place in its words. */
const STUBS = 'mytool make pytest npm prettier cargo ffmpeg convert docker kubectl'.split(' ');

const WORST_PROGRAM = String.raw`#!NODE
const fs = require('node:fs');
const path = require('node:path');
function* parts(text) {
  yield text;
  for (const at of text.matchAll(/[=:,@]/g)) yield text.slice(at.index + 1);
  yield* text.split(/[=:,@]/);
  if (/^-[A-Za-z]./.test(text)) yield text.slice(2);
  const address = /^(?:[a-z]+[+])?file:(?:\/\/(?:localhost)?)?(.*)/s.exec(text);
  if (address) yield decodeURIComponent(address[1]);
}
const attempt = (action) => { try { action(); } catch {} };
const show = (name) => attempt(() => process.stdout.write(fs.readFileSync(name).subarray(0, 20_000)));
function use(name, isDeep) {
  if (!fs.statSync(name, { throwIfNoEntry: false })?.isDirectory()) {
    show(name);
    return fs.appendFileSync(name, 'changed');
  }
  if (isDeep) for (const file of fs.readdirSync(name, { recursive: true })) show(path.join(name, file));
  fs.appendFileSync(path.join(name, 'made-by-tool'), '');
}
const realPlace = (name) =>
  fs.existsSync(name) ? fs.realpathSync(name) : path.join(fs.realpathSync(path.dirname(name)), path.basename(name));
for (const text of process.argv.slice(2))
  attempt(() => {
    for (const name of new Set(parts(text)))
      attempt(() => name !== '' && realPlace(name).startsWith(BASE) && use(name, text.endsWith(name)));
  });
`;

/** Makes the programs of a search once. */
export function makeTools({ tools, base }: Places): void {
  mkdirSync(tools, { recursive: true });
  const program = WORST_PROGRAM.replace('NODE', process.execPath).replace('BASE', JSON.stringify(base));
  for (const name of STUBS) {
    const file = path.join(tools, name);
    writeFileSync(file, program);
    chmodSync(file, 0o755);
  }
}

/** A fixed part of the project. Protected files are not tracked, because git may replace tracked ones. */
const TRACKED: Readonly<Record<string, string>> = {
  a: 'a\n',
  b: 'b\n',
  'src/a.ts': 'let a\n',
  'src/b.ts': 'let b\n',
  'docs/f': 'f\n',
  Makefile: 'all:\n\techo\n',
  'p.diff': '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+c\n',
  'new.diff': '--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+c\n',
  'm.c': 'int main(void){return 0;}\n',
  'j.json': '{"a":1}\n',
  'secrets/k.pem': `${SECRET}\n`,
  'secrets/f': `${SECRET}\n`,
};
const PROTECTED = ['.husky/f', '.vscode/f', '.claude/f', '.npmrc', '.envrc', '.git/hooks/f'];

export function makeProject(places: Places, choose: Choose): ProjectNames {
  const { fixture } = places;
  rmSync(fixture, { recursive: true, force: true });
  const project = path.join(fixture, 'project');
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const environment = { ...environmentOf(places), HOME: path.join(fixture, 'home') };
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd,
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  write(
    path.join(fixture, 'home/.gitconfig'),
    '[user]\n\tname = a\n\temail = a@b.c\n[init]\n\tdefaultBranch = main\n',
  );
  for (const name of ['f', 'sub/g', 'Makefile', 'x.git/f'])
    write(path.join(fixture, 'out', name), `${name}\n`);
  for (const [name, text] of Object.entries(TRACKED)) write(path.join(project, name), text);
  makeArchives(project);
  git(project, 'init', '-q', '--template=');
  const names = makeEntries(project, choose);
  git(project, 'add', '-A');
  git(project, 'commit', '-q', '-m', 'first');
  for (const name of PROTECTED) write(path.join(project, name), 'f\n');
  const objects = ['HEAD:secrets', 'HEAD:secrets/k.pem'].map((name) =>
    git(project, 'rev-parse', name).trim(),
  );
  const bare = path.join(fixture, 'bare');
  git(fixture, 'clone', '-q', '--bare', '--template=', 'project', 'bare');
  armRepository(bare, path.join(places.work, 'out/MARK'));
  const repositories = names.taken.slice(0, 2).map((name, index) => `${name}x${index === 0 ? '.git' : ''}`);
  for (const name of repositories) cpSync(bare, path.join(project, name), { recursive: true });
  cpSync(bare, path.join(fixture, 'out/r.git'), { recursive: true });
  rmSync(bare, { recursive: true });
  return { ...names, repositories, objects };
}

/** Archives with a file `f`, if their programs are installed. */
function makeArchives(project: string): void {
  const script = 'tar cf ../o.tar f; zip -q ../o.zip f; 7z a ../o.7z f; ar rc ../o.a f';
  spawnSync('bash', ['-c', script], { cwd: path.join(project, 'docs'), stdio: 'ignore' });
}

/** Its hooks and settings leave a mark outside of the project. */
function armRepository(bare: string, mark: string): void {
  for (const name of [
    'pre-receive',
    'update',
    'post-update',
    'post-checkout',
    'pre-commit',
    'reference-transaction',
  ]) {
    const hook = path.join(bare, 'hooks', name);
    mkdirSync(path.dirname(hook), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ntouch '${mark}'\n`);
    chmodSync(hook, 0o755);
  }
  writeFileSync(
    path.join(bare, 'config'),
    `[core]\n\tbare = true\n\tfsmonitor = "touch '${mark}'; false"\n[tar "x"]\n\tcommand = "touch '${mark}'; cat"\n\tremote = true\n`,
  );
}

/** Makes folders, files and links with unusual names, at the top and in a folder. */
function makeEntries(
  project: string,
  choose: Choose,
): Omit<ProjectNames, 'repositories' | 'objects'> & { readonly taken: readonly string[] } {
  const taken = new Set<string>();
  const newName = (): string => {
    const name = randomName(choose, taken);
    taken.add(name.normalize());
    return name;
  };
  const parents = ['', '', '', 'src/', `${newName()}/`];
  const make = (count: number, action: (file: string, up: string) => void): string[] =>
    Array.from({ length: count }, () => {
      const parent = choose(parents);
      const name = `${parent}${newName()}`;
      const file = path.join(project, name);
      mkdirSync(path.dirname(file), { recursive: true });
      action(file, parent === '' ? '' : '../');
      return name;
    });
  const link =
    (...targets: readonly string[]) =>
    (file: string, up: string): void =>
      symlinkSync(`${up}${choose(targets)}`, file);
  const folders = make(4, (file) => {
    mkdirSync(file);
    writeFileSync(path.join(file, 'f'), 'f\n');
  });
  return {
    folders,
    files: make(4, (file) => writeFileSync(file, 'a text\n')),
    forbiddenFolders: [
      ...make(3, link('../out', '../out/sub')),
      ...make(3, link('.git/hooks', '.husky', '.vscode', '.claude')),
    ],
    forbiddenFiles: make(3, link('../out/f', '.npmrc', '.envrc', '.husky/f', '.git/config')),
    secretFolders: make(2, link('secrets')),
    secretFiles: make(2, link('secrets/k.pem')),
    taken: [newName(), newName()],
  };
}
