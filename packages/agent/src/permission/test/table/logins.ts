/** Files of this program with logins: reading one asks, regardless of rules. */
import { CLEAN_GIT, HOME, ROOT } from '../world.ts';
import type { Theme } from './theme.ts';

const CONFIG = `${HOME}/.claude`;
const files = [
  `${CONFIG}/fleet/address`,
  `${CONFIG}/fleet/postgres/password`,
  `${CONFIG}/fleet`,
  `${CONFIG}/mcp-auth.json`,
  `${CONFIG}/settings.json`,
  `${ROOT}/a.txt`,
  `${ROOT}/link`,
];

const READING: readonly string[] = [
  'cat ~/.claude/fleet/address',
  `cat ${CONFIG}/fleet/address`,
  'cat ~/.claude/fleet/postgres/password',
  'cat ~/.claude/mcp-auth.json',
  'cat ~/.claude/fleet/*',
  'cat ~/.claude/f*/addr*',
  'cat ~/.claude/mcp*',
  'cat < ~/.claude/fleet/address',
  'cd ~/.claude/fleet && cat address',
  'cd ~/.claude && cat fleet/address',
  'head -c 9 ~/.claude/fleet/address',
  'base64 ~/.claude/fleet/address',
  'rev ~/.claude/../.claude/fleet/address',
  'grep -r postgres ~/.claude',
  'grep -r postgres ~',
  'rg --hidden postgres ~',
  'rg postgres ~/.claude',
  'cp ~/.claude/fleet/address a.txt',
  'tar cf x.tar ~/.claude/fleet',
  'cat link',
  'diff a.txt ~/.claude/fleet/address',
  'git diff a.txt ~/.claude/fleet/address',
];

/** Git compares two folders with their files if one is outside of the repository. */
const COMPARED: readonly string[] = [
  'git diff ~/.claude src',
  'git diff src ~/.claude',
  'git diff ~/.claude mcp-auth.json',
  'git diff -- ~ .',
  'git --no-pager diff --stat -p ~/.claude/fleet src',
  'git -C src diff ../src ~/.claude',
  'git diff $HOME/.claude src',
  'git diff "$HOME" src',
  'git diff src "$HOME/.claude"',
  'diff "$HOME/.claude" src',
  'd=~/.claude; diff "$d" src',
];

/** The name of the file is known only when the script runs. */
const COMPUTED: readonly string[] = [
  'cat "$HOME/.claude/mcp-auth.json"',
  'cat "$HOME"/.claude/fleet/address',
  'cat ${HOME}/.claude/mcp-auth.json',
  'cat $HOME/.cl*/mcp*',
  'cat ~/.claude/{mcp-auth,x}.json',
  'cat ~/.claude/{fleet/address,settings.json}',
  'x=~/.claude; cat $x/mcp-auth.json',
  'x=~/.claude; cat "$x"/fleet/address',
  'x=mcp-auth; cat ~/.claude/$x.json',
  'x=$(echo address); cat ~/.claude/fleet/$x',
  'for f in ~/.claude/*/*; do cat "$f"; done',
  'for f in ~/.claude/*; do cat "$f"; done',
  'for f in address postgres/password; do cat ~/.claude/fleet/$f; done',
  'for d in ~/.claude; do cat "$d/mcp-auth.json"; done',
  'cd $HOME && cat .claude/mcp-auth.json',
  'cd "$HOME/.claude" && cat mcp-auth.json',
  'cd "$HOME/.claude" && cat *',
  'cd "$HOME/.claude/fleet" && cat address',
  'cd ~/.claude && for f in *; do cat "$f"; done',
  'grep -r x "$HOME/.claude"',
  'grep -r x "$HOME"',
  'cat < "$HOME/.claude/mcp-auth.json"',
  'while read -r l; do echo "$l"; done < "$HOME/.claude/mcp-auth.json"',
  'echo ~/.claude/mcp-auth.json | xargs cat',
  'find ~/.claude -type f | xargs cat',
  'find ~ -type f | xargs cat',
  'find "$HOME/.claude" -type f | xargs cat',
  'find "$HOME/.claude" -type f -exec cat {} +',
  'ls ~/.claude | xargs -I{} cat ~/.claude/{}',
  'cd ~/.claude && ls | xargs cat',
  'ls ~/.claude/fleet | while read -r f; do cat ~/.claude/fleet/$f; done',
  'f() { cat "$1/fleet/address"; }; f ~/.claude',
  "bash -c 'cat $HOME/.claude/mcp-auth.json'",
  'bash -c \'cd "$HOME/.claude"; cat mcp-auth.json\'',
  'x=../../people/user; cat $x/.claude/mcp-auth.json',
];

/** Their files are unknown, and none of them is such a file. */
const OTHERS: readonly string[] = [
  'cat "$HOME/.profile"',
  'cat $HOME/.claude/settings.json',
  'cd $HOME && cat .profile notes/*.md',
  'x=src; cat $x/a.ts',
  'for f in src/*; do cat "$f"; done',
  'for f in ~/notes/*; do cat "$f"; done',
  'for n in a b; do cat "src/${n}.ts"; done',
  'for d in ~/*/; do cat "$d/README.md"; done',
  'cat "$x/src/a.ts" "$1"',
  'find . -name "*.ts" | xargs cat',
  'find ~/notes -type f | xargs cat',
  'git ls-files | while read -r f; do head -1 "$f"; done',
  'ls | grep -v test | xargs wc -l',
  'wc -l $(git ls-files)',
  'for f in $(git diff --name-only); do wc -l "$f"; done',
  'grep -r "$x" src | sed \'s/a$/b/\'',
  'ls -la ~/.claude/fleet',
  'stat ~/.claude/mcp-auth.json',
  'ls -la "$HOME/.claude/fleet"',
  'du -sh ~/.claude/fleet',
];

/** A name from a text may be that of any file. */
const FROM_TEXT: readonly string[] = [
  'while read -r f; do cat "$f"; done < list',
  'xargs cat < list',
  'cat $(cat list)',
  'f=/x; cat ${f,,}',
];

const world = { files, git: CLEAN_GIT, links: { [`${ROOT}/link`]: `${CONFIG}/fleet/address` } };

const unlinked = { files, git: CLEAN_GIT };

/** A link in the project leads to the folder of the logins. */
const LINKED: readonly string[] = [
  'cat lk/mcp-auth.json',
  'cd lk; ls | xargs cat',
  'cd lk; for f in $(ls); do cat $f; done',
  'ls */*.json | xargs cat',
  'find . -follow -type f | xargs cat',
  "find -L . -name '*.json' | xargs cat",
  'find -L . -type f -print0 | xargs -0 cat',
  'cat $(find -L . -type f)',
  'grep -R T .',
  'find -L . -exec cat {} +',
  'for f in */*; do cat "$f"; done',
  'for d in *; do cat "$d/mcp-auth.json"; done',
];

export const LOGINS: readonly Theme[] = [
  { theme: 'a login of the program is not read without a question', world, asked: READING },
  {
    theme: 'a rule does not settle reading a login of the program',
    world,
    rules: { allow: ['Bash', 'Read', 'Read(~/.claude/**)'] },
    asked: READING,
  },
  {
    theme: 'a comparison of folders by git does not show a login without a question',
    world: { ...world, files: [...files, `${CONFIG}/.`, `${HOME}/.`, `${ROOT}/src/.`] },
    asked: COMPARED,
    allowed: ['git diff main src', 'git diff HEAD -- src a.txt', 'git diff ~/.claude/settings.json a.txt'],
  },
  { theme: 'neither if the script computes its name', world, asked: [...COMPUTED, ...FROM_TEXT] },
  {
    theme: 'no rule settles reading a login by a name that the script computes',
    world: unlinked,
    rules: { allow: ['Bash', 'Read', 'Read(~/.claude/**)'] },
    asked: COMPUTED,
    allowed: FROM_TEXT,
  },
  {
    theme: 'a login behind a link of the project is not read without a question',
    world: { ...unlinked, links: { [`${ROOT}/lk`]: CONFIG } },
    asked: LINKED,
  },
  {
    theme: 'nor in a script among the words of a command',
    world: { ...unlinked, links: { [`${ROOT}/lk`]: CONFIG } },
    rules: { allow: ['Bash'] },
    asked: LINKED.flatMap((command) =>
      command.includes("'")
        ? []
        : [`bash -c '${command}'`, `eval '${command}'`, `timeout 5 sh -c '${command}'`],
    ),
  },
  {
    theme: 'nor beside rules for the commands',
    world: { ...unlinked, links: { [`${ROOT}/lk`]: CONFIG } },
    rules: {
      allow: ['grep find cat xargs ls cd for'].flatMap((names) =>
        names.split(' ').map((name) => `Bash(${name}:*)`),
      ),
    },
    asked: LINKED,
  },
  {
    theme: 'computed names of other files are no logins',
    world: unlinked,
    allowed: OTHERS,
  },
  {
    theme: 'without such files, computed names need no question',
    world: { files: [`${CONFIG}/settings.json`], git: CLEAN_GIT },
    allowed: [
      ...FROM_TEXT,
      ...OTHERS,
      'cat "$x"/*',
      'find ~/.claude -type f | xargs cat',
      'grep -r x "$HOME"',
    ],
  },
  {
    theme: 'other files of the configuration are read, and names are listed',
    world,
    allowed: [
      'cat ~/.claude/settings.json',
      'ls ~/.claude',
      'find ~/.claude -name address',
      'cat a.txt',
      'grep -r postgres .',
      'rg postgres ~',
      'cat fleet/address mcp-auth.json',
    ],
  },
  {
    theme: 'folders without such files are searched',
    world: { files: [`${CONFIG}/settings.json`], git: CLEAN_GIT },
    allowed: ['grep -r postgres ~/.claude', 'grep -r postgres ~', 'cat ~/.claude/*'],
  },
];
