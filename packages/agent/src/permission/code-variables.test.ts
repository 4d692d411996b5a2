/** Variables of the user's environment from which programs load code of the project: libraries, preloaded modules, start-up files. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { shell } from './test/ask.ts';
import { ROOT } from './test/world.ts';

const files = ['build/lib', 'build/lib/libz.so', 'lib/a.pm', 'src/a.js'].map((file) => `${ROOT}/${file}`);

const decide = (command: string, environment: Readonly<Record<string, string>>, cwd = ROOT): string =>
  shell(command, { mode: 'acceptEdits', world: { environment, cwd, files } }).decision;

/** The variable, its value and the file of the project that it loads. */
const LOADED: readonly (readonly [string, string, string])[] = [
  ['LD_LIBRARY_PATH', 'ROOT/lib', 'lib/libpcre2-8.so.0'],
  ['LD_LIBRARY_PATH', '/opt/lib:ROOT/build/lib/', 'build/lib/libz.so.1'],
  ['LD_LIBRARY_PATH', '/opt/lib;lib', 'lib/libz.so.1'],
  ['LD_LIBRARY_PATH', ':/opt/lib', 'libz.so.1'],
  ['LD_LIBRARY_PATH', '/opt/lib:', 'libz.so'],
  ['LD_LIBRARY_PATH', '/opt/lib::/opt/x', 'glibc-hwcaps/x86-64-v3/libz.so.1'],
  ['LD_LIBRARY_PATH', '.', 'libz.so.1.2.3'],
  ['LD_LIBRARY_PATH', 'ROOT', 'libz.so.1'],
  ['DYLD_LIBRARY_PATH', 'ROOT', 'libz.dylib'],
  ['DYLD_LIBRARY_PATH', 'ROOT/lib', 'lib/libz.dylib'],
  ['DYLD_FALLBACK_FRAMEWORK_PATH', 'ROOT/fw', 'fw/A.framework/A'],
  ['DYLD_INSERT_LIBRARIES', 'ROOT/x.dylib', 'x.dylib'],
  ['LD_PRELOAD', 'libx.so ROOT/lib/x.so', 'lib/x.so'],
  ['LD_PRELOAD', './x.so', 'x.so'],
  ['LD_AUDIT', 'ROOT/audit.so', 'audit.so'],
  ['GCONV_PATH', 'ROOT/gconv', 'gconv/gconv-modules'],
  ['OPENSSL_CONF', 'ROOT/conf/openssl.cnf', 'conf/openssl.cnf'],
  ['OPENSSL_MODULES', 'ROOT/ossl', 'ossl/x.so'],
  ['BASH_LOADABLES_PATH', 'ROOT/loadables', 'loadables/ls'],
  ['DOCKER_CONFIG', 'ROOT/docker', 'docker/config.json'],
  ['NODE_OPTIONS', '--require ROOT/pre.js', 'pre.js'],
  ['NODE_OPTIONS', '--require=ROOT/pre.js', 'pre.js'],
  ['NODE_OPTIONS', '--max-old-space-size=4096 -r ./pre', 'pre.js'],
  ['NODE_OPTIONS', '--require ./hooks', 'hooks/index.js'],
  ['NODE_OPTIONS', '--import file://ROOT/pre.mjs', 'pre.mjs'],
  ['NODE_OPTIONS', '--import=file://ROOT/pre.mjs', 'pre.mjs'],
  ['NODE_OPTIONS', '--loader "ROOT/pre.mjs"', 'pre.mjs'],
  ['NODE_OPTIONS', '--require "ROOT/my dir/pre.js"', 'my\\ dir/pre.js'],
  ['GOFLAGS', '-toolexec=ROOT/tools/exec', 'tools/exec'],
  ['NODE_OPTIONS', '--experimental-config-file=node.config.json', 'node.config.json'],
  ['BUN_OPTIONS', '--preload=./pre.ts', 'pre.ts'],
  ['RUBYOPT', '-rROOT/pre', 'pre.rb'],
  ['RUBYOPT', '-w -r./pre.rb', 'pre.rb'],
  ['PERL5DB', 'BEGIN { require "./db.pl" }', 'db.pl'],
  ['PYTHONSTARTUP', 'ROOT/start.py', 'start.py'],
  ['JAVA_TOOL_OPTIONS', '-javaagent:ROOT/agent.jar=a=b', 'agent.jar'],
  ['JAVA_TOOL_OPTIONS', '-agentpath:ROOT/lib/x.so', 'lib/x.so'],
  ['JDK_JAVA_OPTIONS', '@args.txt', 'args.txt'],
  ['JDK_JAVA_OPTIONS', '-Xbootclasspath/a:/opt/a.jar:ROOT/b.jar', 'b.jar'],
  ['DOTNET_STARTUP_HOOKS', 'ROOT/hook.dll', 'hook.dll'],
  ['INPUTRC', 'ROOT/conf/input', 'conf/input'],
  ['LESSOPEN', '|ROOT/tools/pre.sh %s', 'tools/pre.sh'],
  ['LESSOPEN', '||- ./pre.sh %s', 'pre.sh'],
  ['LESSKEYIN', 'ROOT/conf/less', 'conf/less'],
  ['RIPGREP_CONFIG_PATH', 'conf/rg', 'conf/rg'],
  ['PHPRC', 'ROOT/php.ini', 'php.ini'],
  ['LUA_INIT', '@ROOT/init.lua', 'init.lua'],
  ['VIMINIT', 'source ROOT/vimrc.vim', 'vimrc.vim'],
  ['EDITOR', 'ROOT/tools/edit.sh --wait', 'tools/edit.sh'],
  ['PAGER', './tools/page.sh', 'tools/page.sh'],
  ['AWS_CONFIG_FILE', 'ROOT/aws.ini', 'aws.ini'],
  ['KUBECONFIG', '/etc/k:ROOT/kube.yaml', 'kube.yaml'],
  ['MAKEFILES', 'ROOT/all.mk', 'all.mk'],
];

describe('a file that a variable of the user loads', () => {
  it.each(LOADED)('is not changed without a question: %s=%s, %s', (name, given, file) => {
    const environment = { [name]: given.replaceAll('ROOT', ROOT) };
    for (const command of [
      `echo x > ${file}`,
      `cp assets/a ${file}`,
      `mv a ${file}`,
      `rm ${file}`,
      `touch ${file}`,
    ])
      expect([command, decide(command, environment)]).toEqual([command, 'ask']);
    expect(decide(`touch ${file}`, {})).toBe('allow');
    expect(decide('touch src/other.js docs/a.md', environment)).toBe('allow');
  });

  it('asks if the name is relative, and the command starts in another folder', () => {
    const environment = { RIPGREP_CONFIG_PATH: 'rg.conf', LD_LIBRARY_PATH: ':' };
    expect(decide('touch rg.conf', environment, `${ROOT}/src`)).toBe('ask');
    expect(decide(`touch ${ROOT}/rg.conf`, environment, `${ROOT}/src`)).toBe('ask');
    expect(decide(`touch ${ROOT}/libz.so`, environment, `${ROOT}/src`)).toBe('ask');
  });

  it('asks if a folder above it is moved or removed', () => {
    const environment = { LD_LIBRARY_PATH: `${ROOT}/build/lib` };
    for (const command of ['mv build b', 'rm -r build', 'cp -r x/. build/lib', 'cp -r x/. build'])
      expect(decide(command, environment)).toBe('ask');
    expect(decide('touch build/other', environment)).toBe('allow');
  });
});

describe('a name in the home folder, which shells expand', () => {
  const home = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-code-variables-')));
  const project = path.join(home, 'proj');
  mkdirSync(path.join(project, 'sub/deep'), { recursive: true });
  mkdirSync(path.join(home, 'added'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const decideIn = (
    command: string,
    environment: Readonly<Record<string, string>>,
    cwd = project,
  ): string => {
    const added = [path.join(home, 'added')];
    const world = observeWorld({
      root: project,
      cwd,
      directories: added,
      home,
      configDirs: [],
      environment: { PATH: '/usr/bin:/bin', HOME: home, ...environment },
    });
    const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
    return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world).decision;
  };

  it.each([
    ['PATH', '~/proj/new:/usr/bin:/bin', 'new/ls'],
    ['PATH', '/usr/bin:~/proj/new', 'new/ls'],
    ['PATH', '/usr/bin:$HOME/proj/new', 'new/ls'],
    ['BASH_ENV', '$HOME/proj/new.sh', 'new.sh'],
    ['BASH_ENV', '~/proj/new.sh', 'new.sh'],
    ['ENV', '${HOME}/proj/new.sh', 'new.sh'],
    ['EDITOR', '~/proj/new --wait', 'new'],
    ['LD_PRELOAD', '$HOME/proj/new.so', 'new.so'],
    ['PATH', 'new/bin:/usr/bin:/bin', 'new/bin/ls'],
    ['LESSOPEN', '|./new.sh %s', 'new.sh'],
  ])('is protected in each folder: %s=%s', (name, value, file) => {
    const environment = { [name]: value };
    const other = path.join(project, 'sub');
    expect(decideIn(`mkdir -p ${path.dirname(file)} && touch ${file}`, environment)).toBe('ask');
    expect(decideIn(`touch ../${file}`, environment, other)).toBe('ask');
    if (!/[~$]/.test(value)) expect(decideIn(`touch ${home}/added/${file}`, environment, other)).toBe('ask');
    expect(decideIn(`touch other/${file} a.sh`, environment)).toBe('allow');
    expect(decideIn(`touch ${file}`, {})).toBe('allow');
  });
});

describe('an ordinary file', () => {
  it.each([
    ['PYTHONPATH', 'ROOT/src', 'src/a.py'],
    ['PYTHONPATH', ':src', 'a.py'],
    ['NODE_PATH', 'ROOT/src', 'src/a.js'],
    ['RUBYLIB', 'lib', 'lib/a.rb'],
    ['PERL5LIB', 'ROOT/lib', 'lib/a.pm'],
    ['PERL5OPT', '-Mwarnings -Mlib=ROOT/lib -IROOT/src', 'lib/a.pm'],
    ['LD_LIBRARY_PATH', '/opt/lib', 'lib/libz.so'],
    ['LD_LIBRARY_PATH', ':/opt/lib', 'a.c'],
    ['LD_LIBRARY_PATH', ':/opt/lib', 'target/libz.so'],
    ['LD_PRELOAD', 'libjemalloc.so.2', 'a.c'],
    ['NODE_OPTIONS', '--max-old-space-size=4096 --no-warnings', 'a.js'],
    ['NODE_OPTIONS', '-r dotenv/config', 'src/config.js'],
    ['JAVA_TOOL_OPTIONS', '-Dfile.encoding=UTF-8 -Xmx2g', 'src/A.java'],
    ['EDITOR', 'code --wait', 'code.md'],
    ['PAGER', 'less -R', 'less'],
    ['SHELL', '/bin/bash', 'bash'],
    ['PWD', 'ROOT', 'a.js'],
  ])('is changed without a question beside %s=%s: %s', (name, given, file) => {
    expect(decide(`touch ${file}`, { [name]: given.replaceAll('ROOT', ROOT) })).toBe('allow');
  });
});
