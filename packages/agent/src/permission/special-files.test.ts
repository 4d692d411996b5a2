/** A read of a named pipe takes data away from its reader, and one of a device may have an effect. Only a rule allows it. */
import { describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { CLEAN_GIT, ROOT, worldOf } from './test/world.ts';

function decision(
  tool: string,
  input: Record<string, string>,
  { view = false, allow = [] as string[] } = {},
) {
  const pipes = [`${ROOT}/ctl`, `${ROOT}/pipes/q`, '/srv/ctl'];
  const table = {
    files: [...pipes, `${ROOT}/src/a.ts`, '/proc', '/sys/class/net/lo/address'],
    pipes,
    links: { [`${ROOT}/link`]: `${ROOT}/ctl`, [`${ROOT}/folder`]: `${ROOT}/pipes` },
    git: CLEAN_GIT,
  };
  const world = { ...worldOf(table), readOnlyView: view };
  const rules = { deny: [], ask: [], allow: allow.map((text) => ({ text, source: 'user' as const })) };
  const request = { tool, input, readOnly: tool !== 'Bash', hookDecision: undefined };
  return authorize(request, rules, 'default', world).decision;
}

const PIPES = [
  'cat ctl',
  'cat < ctl',
  'head -n 1 /srv/ctl',
  'timeout 2 head -n 1 ctl',
  'cat link',
  'cat folder/q',
  'cat pipes/*',
  'cat c*',
  'cat {ctl,src/a.ts}',
  'cd pipes && cat q',
  'grep -r a ctl',
  'grep a ctl 2>/dev/null',
  'sed -n p ctl',
  'while read -r l; do echo "$l"; done < ctl',
  '{ cat; } < ctl',
  'x=$(< ctl); echo "$x"',
  'echo "$(cat ctl)"',
  'for f in ctl; do cat "$f"; done',
  'for f in pipes/*; do head -1 $f; done',
  'x=ctl; cat $x',
  "x='pipes/*'; cat $x",
  'x="src/a.ts ctl"; cat $x',
  'echo ctl | xargs cat',
  'set -- ctl; cat "$1"',
  'grep -rD read x pipes',
  'grep -D read -r x .',
  'grep -r --devices=read x .',
  'egrep -rDread x .',
  'du --files0-from=ctl',
  'du --files0-from ctl',
];
const DEVICES = [
  'cat /dev/watchdog',
  'cat /dev/st0',
  'head -c 1 < /dev/ttyS0',
  'od /dev/sda',
  'cd /dev && cat watchdog',
  'cat /proc/kmsg',
  'cat /proc/net/rpc/auth.unix.ip/channel',
  'cat /sys/kernel/debug/tracing/trace_pipe',
  'cat /sys/class/../kernel/tracing/trace_pipe',
  'grep -r x /dev',
  'rg x /sys/kernel',
  'find /dev -name "watch*" -exec cat {} +',
];
const HARMLESS = [
  'ls -l ctl /dev/watchdog',
  'stat ctl',
  'test -p ctl && echo pipe',
  'find . -type p',
  'grep -r a .',
  'rg a pipes',
  'cat /proc/cpuinfo /proc/loadavg /proc/sys/kernel/hostname /proc/self/mounts /proc/net/tcp',
  'cat /sys/class/net/*/address',
  'for d in /sys/class/net/*; do cat "$d/address"; done',
  'head -c 3 /dev/urandom | od',
  'cat src/a.ts < /dev/null',
];

describe('a command that reads a named pipe or a device', () => {
  it.each([...PIPES, ...DEVICES])('asks, with and without the view: %s', (command) => {
    expect(decision('Bash', { command })).toBe('ask');
    expect(decision('Bash', { command }, { view: true })).toBe('ask');
  });
  it.each(HARMLESS)('is not one: %s', (command) => {
    expect(decision('Bash', { command })).toBe('allow');
    expect(decision('Bash', { command }, { view: true })).toBe('allow');
  });
  it('is allowed by a rule for the command', () => {
    expect(decision('Bash', { command: 'cat ctl' }, { allow: ['Bash(cat *)'] })).toBe('allow');
    expect(decision('Bash', { command: 'cat /dev/ttyS0' }, { allow: ['Bash(cat *)'] })).toBe('allow');
  });
  it.each(['/dev/watchdog', '/proc/kmsg', `${ROOT}/ctl`])('asks as a call of the Read tool: %s', (file) => {
    expect(decision('Read', { file_path: file })).toBe('ask');
    expect(decision('Grep', { path: file, pattern: 'x' })).toBe('ask');
  });
  it('does not concern the Glob tool, or files with plain contents', () => {
    expect(decision('Glob', { path: '/dev', pattern: 'tty*' })).toBe('allow');
    expect(decision('Read', { file_path: '/proc/cpuinfo' })).toBe('allow');
  });
});
