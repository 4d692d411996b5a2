/** Names with blanks, quotes, parentheses and other signs, with which a path can look like a text. */
import { ROOT } from '../world.ts';
import type { Theme } from './theme.ts';

const links = {
  [`${ROOT}/my link`]: '/srv/out',
  [`${ROOT}/a@b:k`]: '/srv/out',
  [`${ROOT}/L;k`]: '/srv/out',
  [`${ROOT}/h k`]: `${ROOT}/.husky`,
  [`${ROOT}/s k`]: `${ROOT}/secrets`,
  [`${ROOT}/a@b:s`]: `${ROOT}/secrets`,
};
const files = [
  `${ROOT}/.`,
  `${ROOT}/c(d)/.`,
  `${ROOT}/a@b:c/.`,
  `${ROOT}/my file`,
  `${ROOT}/secrets/key`,
  `${ROOT}/.husky/.`,
  '/srv/out/.',
];
const world = { files, links, tracked: ['secrets/key'], programs: [`${ROOT}/my prog`] };

export const BLANKS_IN_NAMES: readonly Theme[] = [
  {
    theme: 'a rule does not cover a place outside, or a protected one, whose name looks like a text',
    rules: {
      allow: [
        'Bash(make:*)',
        'Bash(python3 -m pytest:*)',
        'Bash(prettier:*)',
        'Bash(git:*)',
        'Bash(mytool:*)',
      ],
    },
    world: { ...world, files: [...files, `${ROOT}/my prog`] },
    allowed: [
      "mytool 'my file'",
      "mytool --title='a b' src/x",
      "make MESSAGE='it is (done), see a/b'",
      "git commit -m 'add h k/x and my link/y'",
      'git push git@host.org:a/b.git main',
      "prettier --write 'src/c(d)/x.ts'",
    ],
    asked: [
      "make -C 'my link'",
      String.raw`make -C my\ link`,
      "make OUT='h k/x'",
      'x=\'my link\'; prettier --write "$x/o.json"',
      "python3 -m pytest --junitxml='h k/pre-push'",
      "python3 -m pytest --junitxml='c(d)/../../out/j.xml'",
      "make -C 'c(d)/../../out'",
      "prettier --write 'my link/o.json'",
      'make -C a@b:c/../../out',
      'make -C a@b:k',
      "mytool -o'L;k'/x",
      "mytool -vvo'my link'/x",
      "mytool --with='./my prog'",
      "git -C 'my link' status",
      "git merge-file 'my link/o.txt' q a",
      "git --work-tree='my link' checkout -f .",
      "git apply --directory='my link' q",
      "git push './my link/r.git' HEAD:x",
    ],
  },
  {
    theme: 'a denied file is denied under a name that looks like a text',
    rules: { deny: ['Read(./secrets/**)'], allow: ['Bash(git:*)', 'Bash(mytool:*)'] },
    world,
    allowed: ["git commit -m 'see s k/key'", 'git tag -m x v1'],
    denied: [
      "git commit -F 's k/key'",
      'git commit -F a@b:s/key',
      'git commit -Fa@b:s/key',
      "git config -f 's k/key' -l",
      "git hash-object -w 's k/key'",
      "git tag -F 's k/key' t",
      "git merge -F 's k/key' feat",
    ],
  },
];
