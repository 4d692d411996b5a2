/** Scripts among the words of shells, behind any of their options, and inside many other scripts. */
import type { Theme } from './theme.ts';

/** Options before a script, which each of these shells understands. */
const UNDERSTOOD: readonly string[] = [
  'bash -c',
  'bash -lc',
  'bash -login -c',
  'bash --login -c',
  'bash -noediting -c',
  'bash -noprofile -norc -c',
  'bash -verbose -c',
  'bash -rcfile F -c',
  'bash -init-file F -c',
  'bash --rcfile F -i -c',
  'bash -O extglob -c',
  'bash -Oc extglob',
  'bash -euo pipefail -c',
  'bash -oc errexit',
  'bash +o posix -c',
  'bash -c -e --',
  'zsh -oerrexit -c',
  'zsh -ic',
  'zsh --emulate sh -c',
  'ksh -oerrexit -c',
  'mksh -oerrexit -c',
  'mksh -o errexit -c',
  'dash -oe errexit -c',
  'yash -oerrexit -c',
  'busybox sh -ec',
  'sh -c',
  'sh -lc',
  'sh -eo errexit -c',
  'sh --login -c',
  'env bash -login -c',
  'timeout 5 zsh -oerrexit -c',
];

/** Some shells reject them, and others run the script. */
const NOT_UNDERSTOOD: readonly string[] = [
  'bash -Oextglob -c',
  'bash -oerrexit -c',
  'bash -o -c',
  'bash +c',
  'bash -x -login -c',
  'bash --unknown -c',
  'dash -oerrexit -c',
  'dash -o stdin -c',
  'dash -sc',
  'zsh --shinstdin -c',
  'sh -oerrexit -c',
  'sh -oe errexit -c',
  'sh --norc -c',
  'env bash -Q -c',
];

const HIDDEN = `'{to""uch,zz}'`;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const inShells = (script: string, depth: number): string =>
  depth === 0 ? script : `bash -c ${quoted(inShells(script, depth - 1))}`;

/** Each runs a text that it gets as a word or on its input. */
const RUNS_TEXT: readonly ((script: string) => string)[] = [
  (script) => `eval ${quoted(script)}`,
  (script) => `command eval ${quoted(script)}`,
  (script) => `builtin eval ${quoted(script)}`,
  (script) => `env -S ${quoted(script)}`,
  (script) => `su -c ${quoted(script)}`,
  (script) => `script -qc ${quoted(script)} /dev/null`,
  (script) => `flock a -c ${quoted(script)}`,
  (script) => `trap ${quoted(script)} EXIT`,
  (script) => `watch ${quoted(script)}`,
  (script) => `split --filter=${quoted(script)} a`,
  (script) => `tar xf a.tar --to-command=${quoted(script)}`,
  (script) => `git -c alias.x=${quoted(`!${script}`)} x`,
  (script) => `unshare <<< ${quoted(script)}`,
  (script) => `bash -c ${quoted(script)}`,
];

export const SHELL_SCRIPTS: readonly Theme[] = [
  {
    theme: 'a script behind any options of a shell is looked at, or unknown',
    rules: { allow: ['Bash'], deny: ['Bash(touch *)'] },
    allowed: [
      ...UNDERSTOOD.map((shell) => `${shell} ls`),
      'bash --version',
      'bash -x a.sh -unknown',
      'sh a.sh',
    ],
    asked: [
      ...[...UNDERSTOOD, ...NOT_UNDERSTOOD].map((shell) => `${shell} ${HIDDEN}`),
      ...NOT_UNDERSTOOD.map((shell) => `${shell} ls`),
    ],
    denied: UNDERSTOOD.map((shell) => `${shell} 'touch zz'`),
  },
  {
    theme: 'a rule for a shell covers no script that makes a protected file behind any options',
    rules: { allow: ['bash', 'zsh', 'sh', 'env', 'dash'].map((shell) => `Bash(${shell} *)`) },
    allowed: ['bash -login -c ls', 'bash -lc ls', 'zsh -oerrexit -c ls'],
    asked: [...UNDERSTOOD, ...NOT_UNDERSTOOD].map((shell) => `${shell} '{to""uch,.n""pmrc}'`),
  },
  {
    theme: 'a script inside too many others is unknown',
    rules: { allow: ['Bash'] },
    allowed: [inShells('touch q', 3), inShells('make test', 3)],
    asked: RUNS_TEXT.map((run) => inShells(run('cd; touch q'), 3)),
  },
  {
    theme: 'a denied command may be in a script inside too many others',
    rules: { allow: ['Bash'], deny: ['Bash(touch *)'] },
    allowed: [inShells('make test', 3)],
    asked: RUNS_TEXT.map((run) => inShells(run('to""uch q3'), 3)),
  },
];
