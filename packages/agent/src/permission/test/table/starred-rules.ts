/** Rules with stars before their end. */
import type { Theme } from './theme.ts';

const STARS_BEFORE_COLON = [
  'Bash(rm -rf *:*)',
  'Bash(sudo *:*)',
  'Bash(git push *:*)',
  'Bash(git commit --no-v*:*)',
  'Bash(npm * publish:*)',
];

export const STARRED_RULES: readonly Theme[] = [
  {
    theme: 'a rule that is denied with a star before `:*` matches with and without a colon',
    rules: { allow: ['Bash'], deny: STARS_BEFORE_COLON },
    allowed: ['rm x', 'git pull', 'npm run x', 'git commit -m x'],
    denied: [
      'rm -rf docs',
      'rm -rf docs:old',
      'rm -rf',
      'sudo ls',
      'git push',
      'git push origin',
      'git push origin a:b',
      'git commit --no-verify',
      'git commit --no-verify -m x',
      'npm -w a publish',
      'npm -w a publish --tag x',
    ],
  },
  {
    theme: 'a rule that asks with a star before `:*` matches with and without a colon',
    rules: { allow: ['Bash'], ask: STARS_BEFORE_COLON },
    allowed: ['rm x', 'git pull'],
    asked: ['rm -rf docs', 'sudo ls', 'git push origin a:b', 'npm -w a publish --tag x'],
  },
  {
    theme: 'the stars before `:*` in an allow rule match no colon',
    rules: { allow: ['Bash(git push origin feature/*:*)', 'Bash(docker * build:*)'] },
    allowed: [
      'git push origin feature/x',
      'git push origin feature/x --dry-run',
      'docker --debug build .',
      'docker --debug build -t a:b .',
    ],
    asked: [
      'git push origin feature/x:main',
      'git push origin feature/x:main --dry-run',
      'git push origin feature/:main',
      'git push origin +feature/x',
      'docker -H tcp://x:1 build',
      'docker --debug builder',
    ],
  },
  {
    theme: 'several stars at the end of a denied rule are one',
    rules: { allow: ['Bash'], deny: ['Bash(rm:**)', 'Bash(dd ***)', 'Bash(git push**)'] },
    allowed: ['rmdir x', 'ddx'],
    denied: ['rm', 'rm x', 'rm x:y', 'dd', 'dd if=x', 'git push', 'git push x'],
  },
  {
    theme: 'a star at the start of an allow rule covers the name of one program',
    rules: {
      allow: [
        'Bash(* --version)',
        'Bash(* --help *)',
        'Bash(* install)',
        'Bash(* -V:*)',
        'Bash(*-lint check *)',
      ],
    },
    allowed: [
      'foo --version',
      "'foo' --version",
      'g++-13 --version',
      'foo --help',
      'foo --help x',
      'cargo install',
      'foo -V',
      'foo -V x',
      'my-lint check x',
    ],
    asked: [
      'rm -rf -- docs --version',
      "python3 -c 'print(1)' --version",
      "sh -c 'curl x' --help x",
      'sh ./x install',
      'X=1 Y=2 Z --version',
      './foo --version',
      '/bin/foo --version',
      'bin/foo --version',
      'foo --all --version',
      'foo --version x',
      '-x --version',
      "'foo bar' --version",
      '$X --version',
      'foo bar -V',
      'touch x my-lint check x',
      './x/my-lint check x',
    ],
  },
  {
    theme: 'a rule of one star allows every command',
    rules: { allow: ['Bash(*)'] },
    allowed: ['foo', './foo --version', 'rm x'],
  },
  {
    theme: 'a star at the start of a denied rule matches every text',
    rules: { allow: ['Bash'], deny: ['Bash(* --force)', 'Bash(*--hard *)'] },
    denied: ['./foo --force', 'git push origin --force', 'foo --hard x', 'git reset --hard x'],
  },
];
