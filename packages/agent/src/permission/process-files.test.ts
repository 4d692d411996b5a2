/** Files that show other processes, and commands that print their environment, are asked about in every spelling. */
import { describe, expect, it } from 'vitest';
import { decided, shell, type Setting } from './test/ask.ts';

const links = {
  '/repo/project/x': '/proc/self/environ',
  '/repo/project/deep': '/proc',
  '/repo/project/deeper/y': '/repo/project/deep/1/mem',
};

const ASKED = [
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
  'echo e | xargs ps',
];

const ALLOWED = [
  'cat /proc/cpuinfo',
  'cat /proc/meminfo',
  'cat /proc/self/status',
  'cat /proc/1/cmdline',
  'head /proc/loadavg',
  'ls /proc',
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
