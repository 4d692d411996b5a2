/** Files that show other processes, and commands that print their environment, are asked about in every spelling. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { decided, shell, type Setting } from './test/ask.ts';

const links = {
  '/repo/project/x': '/proc/self/environ',
  '/repo/project/deep': '/proc',
  '/repo/project/top': '/',
  '/repo/project/deeper/y': '/repo/project/deep/1/mem',
};

const ASKED = [
  // Quotes and globs in the name.
  "find /pr''oc -maxdepth 2 -name 'envir*' | xargs cat",
  "cd /pr''oc/1; for f in envir*; do cat $f; done",
  "find /pr\\oc -name 'envir*' | xargs cat",
  "find '/pr'oc/1 -name 'envir*' | xargs cat",
  "find $'/pr\\x6fc' -name 'envir*' | xargs cat",
  "find /pro? -name 'envir*' | xargs cat",
  "find /p*c/1 -name 'envir*' | xargs cat",
  "find /{pr,x}oc -name 'envir*' | xargs cat",
  "find ../../pr''oc -name 'envir*' | xargs cat",
  "x=/pr''oc/1; find $x -name 'envir*' | xargs cat",
  "ls -d /pr''oc/1/* | while read -r f; do cat $f; done",
  "cd /pr''oc/1 && ls | xargs cat",
  'f=/proc/1; cat $f/environ',
  'for p in /proc/[0-9]*; do cat $p/environ; done',
  'for p in /proc/*/environ; do cat $p; done',
  'ls /proc | while read p; do cat /proc/$p/environ; done',
  "find /proc/1 -name 'env*' | xargs cat",
  'find /proc -name environ -print0 | xargs -0 grep -a KEY',
  'find /proc -name environ | while read f; do cat $f; done',
  'seq 1 9 | xargs -I% cat /proc/%/environ',
  "printf '%s\\n' /proc/1/environ | xargs -n1 cat",
  'x=$(echo /proc/1/environ); cat $x',
  'cat $(echo ../../proc/1/environ)',
  'for i in 1 2; do cat environ; cd /proc/1; done',
  'cat /proc/self/environ',
  'cat /proc/1/environ',
  'cat /proc/*/environ',
  'cat /proc/[0-9]*/environ',
  'cat /proc/1?/environ',
  'cat /pro?/self/environ',
  'cat /p*/1/environ',
  'cat /proc/self/env*',
  'cat //proc//self//environ',
  'cat /proc/../proc/self/environ',
  'cat ../../proc/self/environ',
  'cd /proc && cat self/environ',
  'cd /proc/1 && cat environ',
  'cat < /proc/self/environ',
  "tr '\\0' '\\n' < /proc/self/environ",
  'grep -a KEY /proc/1/environ',
  'grep -ao KEY= /proc/*/environ',
  'grep -r KEY /proc',
  'grep -r KEY /',
  'rg -a KEY /proc/self',
  'strings /proc/1/environ',
  'head -c 4096 /proc/1/mem',
  'od -c /proc/thread-self/environ',
  'wc -c /proc/1/task/1/environ',
  'cat /proc/self/fd/9',
  'cat /proc/1/fd/*',
  'cat /proc/1/root/etc/shadow',
  'cat /proc/1/maps',
  'cat /proc/kcore',
  'cat /dev/mem',
  'cat /proc/{self,1}/environ',
  'cat x',
  'cat ./x',
  'cat deep/1/environ',
  'cat deeper/y',
  'cat *',
  'cat deeper/*',
  'cat deep/*/environ',
  'sort /proc/self/environ',
  'diff /proc/1/environ /proc/2/environ',
  // A tree that contains the files of processes.
  "find / -maxdepth 3 -name 'envir*' | xargs cat",
  "find // -name 'envir*' -print0 | xargs -0 grep -a KEY",
  "find /. -name 'envir*' | xargs -n1 head",
  "find /usr/.. -name 'envir*' | xargs cat",
  "find ../.. -name 'envir*' | xargs cat",
  "find ~/../.. -name 'envir*' | xargs cat",
  "find '/' -name 'envir*' | while read -r f; do cat \"$f\"; done",
  "find $'\\x2f' -name 'envir*' | xargs cat",
  "cat $(find / -name 'envir*')",
  "x=/; find $x -name 'envir*' | xargs cat",
  "x=; find $x/ -name 'envir*' | xargs cat",
  'x=/; cat $x*/1/env*',
  'for d in /; do cat $d*/1/env*; done',
  "find top/ -name 'envir*' | xargs cat",
  "find deep/ -name 'envir*' | xargs cat",
  'fd envir / -x cat',
  'fd envir / | xargs cat',
  'fd envir --search-path=/ | xargs cat',
  'fd -C/ envir | xargs cat',
  'rg --files / | xargs cat',
  'du -a / | cut -f2 | xargs cat',
  'tree -fi / | xargs cat',
  'ls -R / | xargs cat',
  'cd / && ls | xargs cat',
  '(cd /; find . -type f) | xargs cat',
  'cd /; echo */1/env* | xargs cat',
  'cd ../..; ls | xargs cat',
  'pushd / && ls | xargs cat',
  "grep -r . / --include='env*'",
  'cd /; cat */*/envir*',
  'cat /*/1/env*',
  'ps e',
  'ps eww',
  'ps axe',
  'ps auxe',
  'ps auxeww',
  'ps -E',
  'ps -axE',
  'ps -auxe',
  'ps ax e',
  'ps -p 1 e',
  'ps -o environ',
  'ps -eo pid,env',
  'ps --format=environ',
  'ps "$X"',
  'ps -Tek +pid',
  'ps -T -e -k pid',
  'ps -eTk pid',
  'ps -eT -o pid,args -k pid',
  'ps -e -p 1 -k pid',
  'ps -ek pid -U root',
  'ps -eca -TO S',
  'ps -eO S -T',
  'ps -ef -o args -p 1',
  'ps -el -o args',
  'ps -eM -o args -U root',
  'ps -em -T',
  'ps -emo args -T',
  'ps -et',
  'ps -sex',
  'ps -gex',
  'ps -e -s -x',
  'ps -e --format:environ',
  'ps -e --newoption',
  'echo e | xargs ps',
];

const ALLOWED = [
  'cat /proc/cpuinfo',
  'cat /proc/meminfo',
  'cat /proc/self/status',
  'cat /proc/1/cmdline',
  'head /proc/loadavg',
  'ls /proc',
  'find / -name x',
  "find / -name 'x*' | head -5",
  'find / -name x | while read -r f; do echo "$f"; done',
  'ls /',
  'ls / | wc -l',
  'du -sh /',
  'df -h /',
  'cd / && ls',
  'ls | tr / _ | sort',
  'cat /dev/null',
  'ps',
  'ps aux',
  'ps auxww',
  'ps -ef',
  'ps -e -o pid,ppid,comm',
  'ps -eo pid,cmd --sort=-pcpu',
  'ps -p 1',
  'ps -C node',
  'ps ax',
  'ps aux | grep node',
  'ps -fp 12,13',
  'ps -ef ww',
  'ps -ef --forest',
  'ps -eLf',
  'ps -eLo pid,tid,comm --sort=-pcpu',
  'ps -eT -o pid,spid,comm',
  'ps -eo pid,args ww',
  'ps -eH -o pid,args',
  'ps -eFjl',
  'ps -u root -f',
  'ps -A -o pid,args --no-headers',
];

/** They read unknown files, which may be links in the project. Without such links, they need no question. */
const UNKNOWN = [
  'ls | xargs cat | tr / _',
  'ls | cut -d/ -f1 | sort -u | xargs cat',
  "ls | awk -F/ '{ print $1 }' | xargs cat",
  'find .. -name x | xargs cat',
  'find . -name x | xargs cat',
  'for f in a b; do cat "$f" | tr / _; done',
  'while IFS=/ read -r a b; do cat "$a"; done < list',
  'cat "$f"',
  'cat "$(dirname "$f")/x"',
];

const setting: Setting = { world: { links } };

describe('data of other processes', () => {
  it.each(ASKED)('asks: %s', (command) => {
    expect(shell(command, setting).decision).toBe('ask');
  });

  it.each(ASKED.filter((command) => !/^(ps|echo)/.test(command)))(
    'is asked about although a rule allows it: %s',
    (command) => {
      expect(shell(command, { ...setting, rules: { allow: ['Bash'] } }).decision).toBe('ask');
    },
  );

  it.each(UNKNOWN)('shows only through links in the project: %s', (command) => {
    expect(shell(command, setting).decision).toBe('ask');
    expect(shell(command).decision).toBe('allow');
  });

  it.each(ALLOWED)('does not show through %s', (command) => {
    expect(shell(command, setting)).toMatchObject({ decision: 'allow' });
  });

  it.each([
    ['Read', { file_path: '/proc/self/environ' }],
    ['Read', { file_path: '/proc/1/mem' }],
    ['Read', { file_path: 'x' }],
    ['Read', { file_path: 'deep/7/environ' }],
    ['Read', { file_path: '/proc/../proc/3/fd/4' }],
    ['Grep', { pattern: 'KEY', path: '/proc' }],
    ['Grep', { pattern: 'KEY', path: '/' }],
    ['Grep', { pattern: 'KEY', path: '/proc/self/environ' }],
    ['Grep', { pattern: 'KEY', path: 'deep' }],
    ['Grep', { pattern: 'KEY', path: '/', glob: 'proc/*/environ' }],
    ['Glob', { pattern: '/proc/self/fd/*' }],
  ])('is asked about for %s %j', (tool, input) => {
    expect(decided(tool, input, { ...setting, readOnly: true }).decision).toBe('ask');
  });

  it('can be read if everything is allowed, and in the sandbox', () => {
    expect(shell('cat /proc/self/environ', { mode: 'bypassPermissions' }).decision).toBe('allow');
    expect(decided('Read', { file_path: '/proc/cpuinfo' }, { readOnly: true }).decision).toBe('allow');
  });
});

describe.runIf(process.platform === 'linux')('a link that leads through the folder of a process', () => {
  let folder = '';
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-process-')));
    mkdirSync(path.join(folder, 'secrets'));
    writeFileSync(path.join(folder, 'secrets/key'), '');
    symlinkSync('/proc/self/cwd', path.join(folder, 'here'));
    symlinkSync('/proc/self/root', path.join(folder, 'top'));
    symlinkSync('/', path.join(folder, 'root'));
    symlinkSync('root/proc/thread-self', path.join(folder, 'own'));
    symlinkSync('here', path.join(folder, 'again'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const decisionOn = (command: string, mode: 'acceptEdits' | 'bypassPermissions'): string => {
    const world = observeWorld({
      root: folder,
      cwd: folder,
      directories: [],
      home: '/people/user',
      configDirs: [],
      environment: {},
    });
    const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
    const deny = [{ text: 'Read(./secrets/**)', source: 'user' as const }];
    return authorize(request, { deny, ask: [], allow: [] }, mode, world).decision;
  };

  it.each([
    'cat here/secrets/key',
    'cat ./here/secrets/key',
    'cat again/secrets/key',
    'cat own/cwd/secrets/key',
    'cat root/proc/self/cwd/secrets/key',
    'cat here/*/key',
    'cat top/etc/passwd',
    'cd here && cat secrets/key',
    'grep -r x here/secrets',
    'cat < again/secrets/key',
    'cp here/secrets/key new',
  ])('is an unknown file in every mode: %s', (command) => {
    expect(decisionOn(command, 'bypassPermissions')).toBe('ask');
  });

  it.each(['touch here/new', 'echo x > again/new', 'mkdir top/tmp/new', 'rm own/cwd/new', 'tee here/x < a'])(
    'is not edited without a question: %s',
    (command) => {
      expect(decisionOn(command, 'acceptEdits')).toBe('ask');
    },
  );

  it('leaves other links known', () => {
    expect(decisionOn('cat root/etc/passwd', 'acceptEdits')).toBe('allow');
  });
});
