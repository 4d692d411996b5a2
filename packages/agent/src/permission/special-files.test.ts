/** A read of a named pipe takes data away from its reader, and one of a device may have an effect. Only a rule allows it. */
import { describe, expect, it } from 'vitest';
import type { PermissionMode } from '@heddle/core';
import { authorize } from './authorize.ts';
import { CLEAN_GIT, ROOT, worldOf } from './test/world.ts';

const DEVICES_ON_DISK = ['/dev/ttyS0', '/dev/watchdog', '/proc/kmsg'];
const PIPES_ON_DISK = [`${ROOT}/ctl`, `${ROOT}/pipes/q`, `${ROOT}/zips/q.zip`, '/srv/ctl'];

function decision(
  tool: string,
  input: Record<string, string>,
  options: {
    readonly view?: boolean;
    readonly allow?: readonly string[];
    readonly pipes?: readonly string[];
    readonly hook?: 'allow';
    readonly mode?: PermissionMode;
  } = {},
) {
  const { view = false, allow = [], pipes = PIPES_ON_DISK, hook, mode = 'default' } = options;
  const table = {
    files: [
      ...pipes,
      `${ROOT}/src/a.ts`,
      `${ROOT}/t/pipes/q`,
      `${ROOT}/t/other/q`,
      '/proc',
      ...DEVICES_ON_DISK,
      '/sys/class/net/lo/address',
    ],
    pipes,
    links: { [`${ROOT}/link`]: `${ROOT}/ctl`, [`${ROOT}/folder`]: `${ROOT}/pipes` },
    git: CLEAN_GIT,
  };
  const { list } = worldOf(table);
  const world = {
    ...worldOf(table),
    list: (folder: string) => (folder === '/' ? ['dev', 'proc', 'repo', 'srv', 'sys'] : list(folder)),
    readOnlyView: view,
  };
  const rules = { deny: [], ask: [], allow: allow.map((text) => ({ text, source: 'user' as const })) };
  const request = { tool, input, readOnly: tool !== 'Bash', hookDecision: hook };
  return authorize(request, rules, mode, world).decision;
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
  'grep -R x pipes',
  'diff q pipes',
  'diff pipes q',
  'sdiff q pipes',
  'md5sum -c sums',
  'sha256sum --check sums',
  'b2sum -wc sums',
  'wc --files0-from=list',
  'strings @list',
  'xzcat --files=list',
  'grep -R x',
  'grep -nR x .',
  'egrep --dereference-recursive x pipes',
  'fgrep -rR x pipes',
  'grep --deref x pipes',
  'zgrep -R x pipes',
  'zstdcat -r pipes',
  'zstdcat --recursive folder',
  'zstd -dcr pipes',
  'gzip -dcr pipes',
  'gunzip -cr pipes',
  'lz4cat -r pipes',
  'grep -D read -r x .',
  'grep -r --devices=read x .',
  'egrep -rDread x .',
  'du --files0-from=ctl',
  'du --files0-from ctl',
  // Values of options that a program opens, in any spelling.
  'du -X ctl src',
  'du -Xctl src',
  'du -aXctl .',
  'du --exclude-from=ctl .',
  'du --exclude-from ctl .',
  'du --exclude-f=ctl .',
  'timeout 2 du -Xctl .',
  'ls | xargs -n 1 du -Xctl',
  'find src -exec du -Xctl {} +',
  'tree --gitfile=ctl',
  'tree --gitfile ctl',
  'tree --infofile=ctl',
  'tree --fromfile ctl',
  'find -files0-from ctl',
  'fd --ignore-file ctl',
  'fd --ignore-file=ctl',
  'findmnt -F ctl',
  'findmnt -Fctl',
  'findmnt --tab-file=ctl',
  'diff -Xctl src b',
  'diff -rXctl src b',
  'diff --exclude-from=ctl src b',
  'diff -X"$PWD"/ctl src b',
  'diff -X$PWD/ctl src b',
  'yq --from-file=ctl src/a.ts',
  'sort --files0-from=ctl',
  'grep -rfctl src',
  'rg -nfctl src',
  'jq -nfctl',
  'awk -fctl src/a.ts',
  'sed -nfctl src/a.ts',
  'file -bmctl src/a.ts',
  'tar -tXctl -f a.tar',
  'git diff --no-index src/a.ts ~+/ctl',
  'iconv -f ./ctl -t UTF-8 src/a.ts',
  'iconv -t ./ctl src/a.ts',
  'iconv -f /srv/ctl src/a.ts',
  'iconv --from-code ./ctl src/a.ts',
  'iconv -cf ./ctl src/a.ts',
  'iconv -f pipes/../ctl src/a.ts',
  'iconv -f ./c* src/a.ts',
  'iconv -f {./ctl,UTF-8} src/a.ts',
  'x=./ctl; iconv -f $x src/a.ts',
  'cd pipes && iconv -f ./q ../src/a.ts',
  'timeout 2 iconv -f ./ctl src/a.ts',
  'iconv -f ./$x src/a.ts',
  'iconv -f ~+/ctl src/a.ts',
  // Devices as values of options.
  'iconv -f /dev/ttyS0 src/a.ts',
  'iconv -f /dev/ttyS* src/a.ts',
  'iconv -t/dev/ttyS0 src/a.ts',
  'iconv --from-code=/dev/ttyS0 src/a.ts',
  'x=/dev/ttyS0; iconv -f $x src/a.ts',
  'diff -X/dev/watchdog src b',
  `date -d 'TZ="/dev/watchdog" now'`,
  // Time zones that are files.
  'TZ=/srv/ctl date',
  'TZ=:/srv/ctl ls -l',
  'TZ=../../../srv/ctl date',
  'export TZ=/srv/ctl; date',
  `date -d 'TZ="/srv/ctl" now'`,
  `date --date='TZ="../../../srv/ctl" now'`,
  `find . -newermt 'TZ="/srv/ctl" 2020-01-01'`,
  // Words whose value is not exactly known.
  'cat ~+/ctl',
  'cat ~-/ctl',
  'cat ${x:-ctl}',
  'cat ${x:-pipes/q}',
  'cat "${x:-/srv/ctl}"',
  'x=(ctl); cat "${x[@]}"',
  'cat $OLDPWD/ctl',
  'cat ${PWD%/}/ctl',
  'x=ctlx; cat ${x%x}',
  'x=/srv/ctlx; cat ${x%x}',
  'x=CTL; cat ${x,,}',
  'tail ~+/c*',
  'cat < ~+/ctl',
  'cat < ~+/c*',
  'while read -r l; do echo "$l"; done < ~+/ctl',
  'echo "$(< ~+/ctl)"',
  'for f in ~+/ctl; do cat "$f"; done',
  'cat $(ls)',
  'ls | xargs cat',
  'ls | xargs -n 1 head',
  'find . -exec cat {} +',
  'find . -name "c*" -exec head {} \\;',
  'cat "$(git rev-parse --show-toplevel)/ctl"',
  'cd ~+/pipes && cat q',
  'cd "$x" && cat q',
  'du -X "$x" src',
  'du "$x"',
  'nm "$x"',
  'diff -X$x src b',
  'cd pipes && cat "$x"',
  'cat pipes/$x',
  'x=(pipes/q); cat "${x[@]}"',
  'while read -r f; do cat "$f"; done <<< pipes/q',
  'while read -r f; do cat "$f"; done <<EOF\npipes/q\nEOF',
  // Names that a program completes or expands itself.
  'unzip -l zips/q',
  'unzip -Z1 zips/q',
  'unzip -v ./zips/q',
  'unzip -p zips/q',
  'zipinfo -1 zips/q',
  "unzip -l 'zips/*'",
  "unzip -v 'zips/*.zip'",
  "zipinfo 'zips/[q]*'",
  'cd zips && unzip -l q',
  '7z l pipes',
  '7z l -slt pipes',
  '7z l folder',
  "7z l 'pipes/*'",
  "7z l '*'",
  "7z l '?ipes'",
  '7z l pip*',
  "7z l -an '-air!q'",
  '7z l -an -ai@list',
  '7z l a.7z @ctl',
  '7z l a.7z -i@ctl',
  'git ls-files -o --exclude-per-directory=q',
  'git ls-files -o --exclude-per-directory q',
  'git ls-files -o --exclude-per=q',
];
/** With a pipe only in `pipes`. */
const OTHER_FOLDERS = [
  'cat src/$x',
  'cat "$x"',
  'ls | xargs cat',
  'cat $(ls src)',
  'find src -type f -exec cat {} +',
];
const DEVICES = [
  'cat /dev/watchdog',
  'cat /dev/st0',
  'head -c 1 < /dev/ttyS0',
  'od /dev/sda',
  'cd /dev && cat watchdog',
  'cat ${x:-/dev/watchdog}',
  'x=/dev/watchdogx; cat ${x%x}',
  'cat /dev/$x',
  'cat /sys/kernel/$x/trace_pipe',
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
  'test -p "$x" && echo pipe',
  'du -sh src',
  'TZ=Europe/Berlin date',
  'TZ=UTC-2 date',
  `date -d 'TZ="Asia/Tokyo" now'`,
  'du -ah --max-depth=1 ctl',
  'find . -type f -exec cat {} +',
  'for f in src/a.ts; do cat "$f"; done',
  'cat $HOME/x "$PWD"/src/a.ts',
  'iconv -f UTF-16 -t UTF-8 src/a.ts',
  'grep -e ctl src/a.ts',
  'grep -rn ctl src',
  'rg -n -e ./ctl src',
  'head -n 3 src/a.ts',
];

/** Their words are not known, so they have no proof, and run in the view. */
const HARMLESS_IN_VIEW = [
  'ls "$x" ~+/ctl',
  'stat ~+/ctl',
  'find "./$x" -type p',
  'echo "$x" ~+/ctl',
  'git show "HEAD:$x"',
  'git log "main..$x"',
  '7z l src/a.7z',
  '7z l -slt -ba src/a.7z src "-x!*.o"',
  '7z l src',
  'unzip -l src/a',
  "unzip -l 'src/*'",
  'zipinfo src/a.zip',
  'git ls-files -o --exclude-per-directory=.gitignore',
];

const EDITS_OF_PIPES = [
  'cp -r t/pipes .',
  'cp -a t/pipes/. pipes',
  'cp -R t/other/. pipes',
  'cp ctl b',
  'cp c* b',
  'cp pipes/* b',
  'cp p*/q b',
  'cp */q b',
  'cp [c]tl b',
  'cp src/a.ts c* b',
  'mv c* b',
  'rm c*',
  'rm -f pipes/*',
  'touch pipes/?',
  'sed -i s/a/b/ c*',
  'sed -i s/a/b/ lin*',
  'cp folder/* b',
  'cp /s*v/ctl b',
  'cp /de?/ttyS0 b',
  'cp /d*/watchdog b',
  'cp /pro?/kmsg b',
  `touch -d 'TZ="/srv/ctl" now' new`,
  `touch -d ' TZ="../../../srv/ctl" now' new`,
  `touch -cd 'TZ="/srv/ctl" now' new`,
];
const OTHER_EDITS = [
  'cp -r t/other .',
  'cp -r t/pipes src',
  'cp src/* b',
  'rm src/*',
  'sed -i s/a/b/ src/*.ts',
  'rm x*',
  "touch -d '2020-01-01 10:00' new",
  'cp [s]rc/a.ts b',
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
  it.each(HARMLESS_IN_VIEW)('is not one, in the view: %s', (command) => {
    expect(decision('Bash', { command }, { view: true })).toBe('allow');
  });
  it.each(OTHER_FOLDERS)('is not one if the pipe is in a folder that no word names: %s', (command) => {
    const pipes = [`${ROOT}/pipes/q`];
    expect(decision('Bash', { command }, { pipes })).toBe('allow');
    expect(decision('Bash', { command }, { pipes, view: true })).toBe('allow');
  });
  it.each(['hook', 'bypassPermissions'] as const)('leaves a command without a proof to: %s', (by) => {
    const command = 'yq --from-file=ctl src/a.ts';
    expect(decision('Bash', { command }, by === 'hook' ? { hook: 'allow' } : { mode: by })).toBe('allow');
  });
  it.each(EDITS_OF_PIPES)('asks in acceptEdits: %s', (command) => {
    expect(decision('Bash', { command }, { mode: 'acceptEdits' })).toBe('ask');
    expect(decision('Bash', { command }, { mode: 'acceptEdits', view: true })).toBe('ask');
  });
  it.each(OTHER_EDITS)('is not one in acceptEdits: %s', (command) => {
    expect(decision('Bash', { command }, { mode: 'acceptEdits' })).toBe('allow');
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
