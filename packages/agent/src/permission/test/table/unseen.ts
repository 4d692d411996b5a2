/** Hidden effects of commands: quotes that do not protect, and files that are reached without their name. */
import { CLEAN_GIT, ROOT } from '../world.ts';
import type { Theme } from './theme.ts';

export const UNSEEN: readonly Theme[] = [
  {
    theme: 'quotes that the shell looks through',
    rules: { allow: ['Bash(npm test *)'] },
    allowed: [
      'npm test; [[ $? -eq 1 ]] && ls',
      'n=0; npm test; echo $(( n + 1 ))',
      "npm test; echo ${x:-'a b'}",
    ],
    asked: [
      'npm test; [[ $x -eq 1 ]] && ls',
      'npm test; echo $(( ${n:-0} + 1 ))',
      "npm test; [[ 'a[$(rm a)]' -eq 0 ]]",
      "npm test; [[ 1 -lt 'a[$(rm a)]' ]]",
      "npm test; [[ -v 'a[$(rm a)]' ]]",
      'npm test; [[ PATH=1 -eq 1 ]]; ls',
      'npm test; [[ 1 -eq PATH=1 ]]; ls',
      'npm test; echo ${x:PATH=1}; ls',
      'npm test; echo $((BASH_ENV++)); ls',
      "npm test; x['$(rm a)']=1; ls",
      "npm test; echo $(( 'a[$(rm a)]' ))",
      "npm test; echo $(( ${x:-'a[$(rm a)]'} ))",
      "npm test; echo ${HOME:'a[$(rm a)]'}",
      "npm test; echo ${x['$(rm a)']}",
      'npm test; [ "${x[\'$(rm a)\']}" ]',
      'npm test; echo "${x:-$\'$(rm a)\'}"',
      "npm test; cat <<E\n${x:-'$(rm a)'}\nE",
      "npm test; cat <<E\n${x:-${y:-'`rm a`'}}\nE",
      "npm test; cat <<E\n$(( '$(rm a)' ))\nE",
    ],
  },
  {
    theme: 'what runs unseen may be denied, in every mode',
    mode: 'bypassPermissions',
    rules: { deny: ['Bash(rm *)'] },
    allowed: ['[[ $x == 1 ]] && ls'],
    asked: ['[[ $x -eq 1 ]] && ls', "[[ 'a[$(rm a)]' -eq 0 ]]", "cat <<E\n${x:-'$(rm a)'}\nE"],
  },
  {
    theme: 'a link leads git out of the folder that was looked at',
    world: { git: CLEAN_GIT, links: { [`${ROOT}/link`]: '/elsewhere/a' } },
    allowed: ['git -C . status', `git -C ${ROOT} log`],
    asked: ['git -C link/.. status', 'git -C ./link/../ log'],
  },
  {
    theme: 'files that are reached by another way than their name',
    rules: { allow: ['Bash'], deny: ['Read(secrets/**)', 'Read(./.env)'] },
    world: { files: [`${ROOT}/secrets`, `${ROOT}/secrets/key`, `${ROOT}/.env`, `${ROOT}/a`] },
    allowed: ['find src -exec cat {}/a \\;', 'jq .include a', 'diff -r a b'],
    asked: [
      'find . -maxdepth 0 -exec cat {}/.env \\;',
      'diff -rN x .',
      'git diff --no-index x .',
      'cd sub; cat /proc/self/cwd/key',
      'cat /proc/self/../self/cwd/.env',
      "git grep ''",
      "git grep '' -- ':(top)s*'",
      'git grep --no-index x',
      'jq \'import "key" as $d {search: "secrets"}; $d\' a',
    ],
    denied: ['git show :0:secrets/key', 'strings @secrets/key', 'find src -exec cat {}/../.env \\;'],
  },
  {
    theme: 'a home that moves',
    rules: { allow: ['Bash'], deny: ['Read(secrets/**)'] },
    allowed: ['cat ~/key', 'cd; cat key', 'HOME=/x npm test', 'echo $HOME; cat ~/key'],
    asked: [
      `HOME=${ROOT}/secrets; cat ~/key`,
      `export HOME=${ROOT}/secrets; cat < ~/key`,
      `HOME=${ROOT}/secrets; cd; cat key`,
      `read HOME; cat ~/*`,
    ],
  },
  {
    theme: 'sed keeps a copy under a name that is protected',
    mode: 'acceptEdits',
    allowed: ['sed -i.bak s/a/b/ a'],
    asked: ['sed -i.json s/a/b/ .mcp', 'sed --in-place=.json s/a/b/ .mcp'],
  },
];
