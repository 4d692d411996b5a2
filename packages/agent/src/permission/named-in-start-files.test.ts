/** Files that start-up files name in lists, braces, quotes and other words, on a real disk. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-start-files-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let homes = 0;

/** Makes a home folder with one start-up file. Each line of `files` is a file, or `LINK -> TARGET`. */
function homeWith(startFile: string, text: string, files: string): string {
  const home = path.join(base, `home${++homes}`);
  const write = (name: string, content: string): void => {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), content);
  };
  for (const line of files.split(' ').filter(Boolean)) {
    const [name = '', target] = line.split('->');
    if (target === undefined) write(name, '');
    else symlinkSync(target, path.join(home, name));
  }
  write(startFile, text);
  mkdirSync(path.join(home, 'dot'), { recursive: true });
  return home;
}

function decisionOn(file: string, home: string, root = path.join(home, 'dot')): string {
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const world = observeWorld({ root, cwd: root, directories: [], home, configDirs: [], environment });
  const input = { command: `mkdir -p sub && echo x >> '${path.relative(root, path.join(home, file))}'` };
  const request = { tool: 'Bash', input, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world).decision;
}

describe('a file that a start-up file names in a list or in other words', () => {
  it.each([
    [
      '.bash_profile',
      'for file in ~/.{path,aliases}; do [ -r "$file" ] && source "$file"; done',
      'dot/al',
      'dot/al .aliases->dot/al',
    ],
    ['.bash_profile', 'for file in ~/dot/{functions,prompt}; do source "$file"; done', 'dot/prompt', ''],
    ['.bashrc', 'for f in a6 a7; do . "$HOME/dot/$f"; done', 'dot/a7', ''],
    ['.bashrc', 'for f in a6 a7\ndo\n  . "$HOME/dot/${f}.sh"\ndone', 'dot/a6.sh', ''],
    ['.bashrc', 'D=~/dot\nfor f in a6 a7; do\n  . "$D/$f"\ndone', 'dot/a6', ''],
    ['.bashrc', 'parts=(a6 a7)\nfor f in "${parts[@]}"; do . ~/dot/$f; done', 'dot/a7', ''],
    ['.bashrc', '. ~/dot/{a8,b{9,10}}', 'dot/b10', ''],
    ['.bashrc', 'source <(cat ~/dot/b3)', 'dot/b3', ''],
    ['.bashrc', 'eval "$(cat ~/dot/b2)"', 'dot/b2', ''],
    ['.bashrc', 'eval "`cat ~/dot/b2`"', 'dot/b2', ''],
    ['.bashrc', 'cd ~/dot && . ./b5', 'dot/b5', ''],
    ['.bashrc', '(cd "$HOME/dot"; source sub/b5)', 'dot/sub/b5', ''],
    ['.bashrc', "PROMPT_COMMAND='source ~/dot/b8'", 'dot/b8', ''],
    ['.bashrc', 'PROMPT_COMMAND="history -a; ~/dot/b8"', 'dot/b8', ''],
    ['.bashrc', "trap '. ~/dot/c1' EXIT", 'dot/c1', ''],
    ['.bashrc', 'complete -C ~/dot/c2 x', 'dot/c2', ''],
    ['.bashrc', 'export BASH_ENV=~/dot/c3', 'dot/c3', ''],
    ['.bashrc', 'use() { . "$1"; }\nuse ~/dot/c4', 'dot/c4', 'dot/c4'],
    ['.bashrc', 'use ~/.c5', 'dot/c5', 'dot/c5 .c5->dot/c5'],
    ['.bashrc', 'while read f; do . ~/dot/parts/$f; done < list', 'dot/parts/x', ''],
    ['.zshrc', 'for config ($HOME/dot/zsh/*.zsh) source $config', 'dot/zsh/a.zsh', ''],
    ['.zshrc', 'for x (a b) source ~/dot/$x.zsh', 'dot/b.zsh', ''],
    ['.zshrc', 'foreach x (a b)\nsource ~/dot/$x.zsh\nend', 'dot/a.zsh', ''],
    ['.zshrc', 'ZSH_CUSTOM=$HOME/dot/custom', 'dot/custom/plugins/a/a.plugin.zsh', ''],
    ['.config/fish/config.fish', 'for f in a b\n  source ~/dot/$f.fish\nend', 'dot/b.fish', ''],
    ['.config/fish/config.fish', 'set -p fish_function_path ~/dot/fns', 'dot/fns/a.fish', ''],
    ['.ssh/config', 'ProxyCommand ~/dot/s1 %h', 'dot/s1', ''],
    ['.ssh/config', 'Match exec "~/dot/s2"', 'dot/s2', ''],
    ['.tmux.conf', 'set -g status-right "#(~/dot/t1)"', 'dot/t1', ''],
    ['.tmux.conf', 'if-shell "test -e x" "source ~/dot/t3"', 'dot/t3', ''],
    ['.vimrc', 'set runtimepath+=~/dot/rt', 'dot/rt/plugin/a.vim', ''],
    ['.vimrc', "Plug '~/dot/plug'", 'dot/plug/plugin/a.vim', ''],
    ['.config/nvim/init.lua', "dofile(vim.fn.expand('~/dot/n1'))", 'dot/n1', ''],
    ['.config/nvim/init.lua', "vim.cmd('source ~/dot/n2')", 'dot/n2', ''],
  ])('is protected: %s, %s', (startFile, text, file, files) => {
    const home = homeWith(startFile, `${text}\n`, files);
    expect(decisionOn(file, home)).toBe('ask');
    expect(decisionOn(file, home, home)).toBe('ask');
    expect(decisionOn('dot/unrelated.txt', home)).toBe('allow');
  });

  it.each([
    "alias w='cd ~/dot/src'",
    'export PATH="$HOME/dot:$PATH"',
    'export GOPATH=~/dot/src PROJECTS=~/dot',
    'cd ~/dot',
    'for d in ~/dot/src/*; do echo $d; done',
    'for d in src b; do alias $d="cd ~/dot/$d"; done',
    'CDPATH=.:~:~/dot:~/dot/src',
    '[ -d ~/dot/src ] && cd ~/dot/src && ls',
    'eval "$(starship init bash)"; cd ~/dot/src',
    'hash -d src=~/dot/src',
    'enter() { source ~/dot/$1/env/activate; }',
    'use() { cd ~/dot/$name; }',
    'source ~/dot/../dot/rc.d/a.sh',
    '# source ~/dot/src/a.ts',
  ])('does not protect a whole project, or a folder that is entered: %s', (text) => {
    const home = homeWith('.bashrc', `${text}\n`, 'dot/src/a.ts');
    expect(decisionOn('dot/src/a.ts', home)).toBe('allow');
    expect(decisionOn('dot/package.json', home)).toBe('allow');
    expect(decisionOn('dot/src/a.ts', home, home)).toBe('allow');
    expect(decisionOn('dot/package.json', home, home)).toBe('allow');
  });
});

it('a word counts as a name once its file exists', () => {
  const home = homeWith('.bashrc', 'use ~/dot/late\n', '');
  expect(decisionOn('dot/late', home)).toBe('allow');
  writeFileSync(path.join(home, 'dot/late'), '');
  expect(decisionOn('dot/late', home)).toBe('ask');
});

it('lists in lists are not formed without end', () => {
  const list = Array.from({ length: 200 }, (_, at) => `$b${at % 20}`).join(' ');
  const loops = Array.from({ length: 20 }, (_, at) => `for b${at} in ${list}; do . ~/dot/$b${at}; done`);
  const home = homeWith('.bashrc', `${loops.join('\n')}\n. ~/dot/${'{a,b}'.repeat(200)}\n`, '');
  const before = process.cpuUsage();
  decisionOn('dot/x', home);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5);
});
