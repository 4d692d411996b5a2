/** Settings with which git shows lines of files in commands that do not show them otherwise. */
import { ROOT } from '../world.ts';
import type { Theme } from './theme.ts';

const rules = { allow: ['Bash(git:*)'], deny: ['Read(./secrets/**)'] };
const world = {
  files: ['.', '.git/.', 'a', 'secrets/.', 'secrets/k', 'src/.', 'src/a'].map((file) => `${ROOT}/${file}`),
  tracked: ['a', 'secrets/k', 'src/a'],
};

const commits = [
  'git commit --dry-run -a',
  'git commit -m x',
  'git commit -qam x',
  'git -C src commit -m x',
  'git rebase --continue',
  'git cherry-pick --continue',
  'bash -c "git commit -a --dry-run"',
];

const others = ['git status', 'git add -A', 'git log --oneline', 'git push origin HEAD', 'git switch main'];

const quiet = [
  'git -c user.name=x -c user.email=y commit -m z',
  'git -c commit.gpgsign=false commit -m z',
  'git -c commit.verbose=false commit -m z',
  'git -c color.ui=always status',
  'git config user.name x',
  'git config commit.verbose false',
];

export const PRINTED_CONTENTS: readonly Theme[] = [
  {
    theme: 'a commit shows no denied contents without a setting',
    rules,
    world,
    allowed: [...commits.filter((command) => !command.startsWith('bash')), ...others, ...quiet],
    asked: [
      'git commit -v --dry-run',
      'git -c commit.verbose=true commit --dry-run -a',
      'git -c commit.verbose commit --dry-run -a',
      'git -c Commit.Verbose=2 commit -m x',
      'git -c "commit.verbose=$X" commit -m x',
      'git -c "$X" commit -m x',
      'git -c log.follow=true log -p -- src',
      'git -c unknown.key=1 status',
      'git --config-env=commit.verbose=X commit -m x',
      'git --config-env commit.verbose=X commit -m x',
      'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=commit.verbose GIT_CONFIG_VALUE_0=1 git commit -m x',
      'git config commit.verbose true',
      'git config set commit.verbose 2',
      'git config --unset commit.verbose',
      'git config commit.verbose true && git commit --dry-run -a',
      'git config log.follow true',
    ],
  },
  {
    theme: 'a commit may show denied contents if a setting is on',
    rules: { ...rules, allow: [...rules.allow, 'Bash(bash -c *)'] },
    world: { ...world, gitSettings: ['commit.verbose', 'log.follow', 'submodule.recurse'] },
    allowed: [...others, 'git log --stat -- src'],
    asked: [...commits, 'git log -p -- src/a', 'git grep x -- src'],
  },
  {
    theme: 'a setting of git that shows contents needs no question without a rule about them',
    rules: { allow: ['Bash(git:*)'] },
    world: { ...world, gitSettings: ['commit.verbose'] },
    allowed: [
      'git commit --dry-run -a',
      'git -c commit.verbose=true commit -m x',
      'git config commit.verbose true',
    ],
  },
];
