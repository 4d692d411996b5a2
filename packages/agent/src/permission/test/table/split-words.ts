/** Words that the shell splits at other characters than blanks, because the script sets IFS. */
import type { Theme } from './theme.ts';

const allow = [
  'make',
  'declare',
  'export',
  'typeset',
  'read',
  'getopts',
  'unset',
  'local',
  'eval',
  'bash',
  'f',
]
  .map((program) => `Bash(${program} *)`)
  .concat('Bash(IFS=*)', 'Bash(f)', 'Bash(IFS+=*)');
const world = { files: ['/repo/project/sub/a'] };

export const SPLIT_WORDS: readonly Theme[] = [
  {
    theme: 'a path without quotes is unknown if the script sets IFS',
    rules: { allow },
    world,
    asked: [
      'IFS=/; make -C $PWD/sub',
      'IFS=/; make -C `pwd`/sub',
      'IFS=/; make -C ${PWD}/sub',
      'IFS=/; make -C sub/$PWD',
      'export IFS=/; make -C $PWD/sub',
      'declare -g IFS=:; make -C $PWD/sub',
      'typeset "IFS=/"; make -C $PWD/sub',
      'f() { local IFS=/; make -C $PWD/sub; }; f',
      'f() { make -C $PWD/sub; }; IFS=/ f',
      'read() { make -C $PWD/sub; }; IFS=/ read',
      'function read { make -C $PWD/sub; }; IFS=/ read -r a',
      'IFS+=/; make -C $PWD/sub',
      'read -r IFS; make -C $PWD/sub',
      'getopts a I\\FS; make -C $PWD/sub',
      'I\\\nFS=/; make -C $PWD/sub',
      "IFS='\\n'; make -C $PWD/sub",
      "eval 'IFS=/'; make -C $PWD/sub",
      "IFS=/; eval 'make -C $PWD/sub'",
      "bash -c 'IFS=/; make -C $PWD/sub'",
      'IFS=: read -r a < list; IFS=/; make -C $PWD/sub',
    ],
    allowed: [
      'make -C $PWD/sub',
      'IFS=/; make -C "$PWD/sub"',
      'IFS=/; make -C sub',
      'while IFS= read -r a; do make -C $PWD/sub; done < list',
      'IFS=: read -r a b < list; make -C $PWD/sub',
      'f() { while IFS= read -r a; do make -C $PWD/sub; done < list; }; f',
      "IFS=$'\\n'; make -C $PWD/sub",
      'IFS=" "; make -C $PWD/sub',
    ],
  },
];
