/** Edits of files that start-up files load without their full names, on a real disk. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-start-file-places-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let homes = 0;

/** Returns a new home folder with the files. */
function homeWith(files: Readonly<Record<string, string>>): string {
  const home = path.join(base, `home${homes++}`);
  for (const [name, text] of Object.entries({ 'ws/src/a.ts': '', 'ws/run.py': '', ...files })) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), text);
  }
  return home;
}

function decisionOn(command: string, home: string, folder = 'ws'): string {
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const cwd = path.join(home, folder);
  const world = observeWorld({ root: cwd, cwd, directories: [], home, configDirs: [], environment });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world).decision;
}

describe('a loaded file that refers to its own place', () => {
  it.each([
    ['a.sh', 'D="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n. "$D/a.sh"'],
    ['b', 'D=$(cd `dirname $BASH_SOURCE` >/dev/null 2>&1 && pwd -P); source $D/b'],
    ['c', '. "$(dirname "$(readlink -f "$0")")/c"'],
    ['d.zsh', 'source ${0:A:h}/d.zsh'],
    ['lib/e.zsh', 'D="${${(%):-%x}:A:h}"\nsource "$D/lib/e.zsh"'],
    ['f', '0="${ZERO:-${${0:#$ZSH_ARGZERO}:-${(%):-%N}}}"\n. "${0:h}/f"'],
    ['g', '. ${BASH_SOURCE%/*}/g'],
    ['h', '. "${BASH_SOURCE[0]%/*}"/h'],
    ['sh/new.sh', 'here=$(dirname "${BASH_SOURCE[0]:-$0}")\nfor f in "$here"/sh/*.sh; do . "$f"; done'],
    ['sub/new.sh', 'here="${0:a:h}"; load() { . "$here/sub/$1.sh"; }; load x'],
    ['i.sh', 'cd "$(dirname "$0")"; . ./i.sh'],
    ['j', '. "$(unset CDPATH; cd -- "$(dirname -- "${(%):-%N}")" &> /dev/null; pwd)/j"'],
    ['k.fish', 'source (dirname (status --current-filename))/k.fish'],
    ['l.fish', 'set -l d (status dirname)\nsource $d/l.fish'],
    ['up/m', '. "$(dirname "$(dirname "$(realpath "$0")")")/ws/up/m"'],
    [
      'install/n.bash',
      'P="/opt/x"\n. "$P/y"\nP="$(builtin cd "`dirname "${BASH_SOURCE[0]}"`" && pwd)"\n. "$P/install/n.bash"',
    ],
  ])('protects what it loads from there, also before it exists: %s', (file, text) => {
    const home = homeWith({ '.bashrc': '. ~/ws/init.sh\n', 'ws/init.sh': text });
    expect(decisionOn(`mkdir -p sub && echo x > ${file}`, home)).toBe('ask');
    expect(decisionOn('echo x > src/a.ts && echo x > run.py && echo x > new.txt', home)).toBe('allow');
  });

  it.each([
    ['a.sh', 'D="$(dirname "$0")"; for f in "$D"/*.sh; do . "$f"; done'],
    ['b.zsh', 'for f (${0:A:h}/*.zsh) source $f'],
    ['c.sh', 'load() { . "${BASH_SOURCE%/*}/$1.sh"; }; load c'],
    ['d', 'load() { . "${BASH_SOURCE%/*}/$1"; }; load d'],
    ['e.bash', 'D=$(python3 -c "import os; print(os.path.dirname(\'$0\'))"); . "$D/$X"'],
    ['f', 'readonly D="$(dirname "$0")"; . "${D%/}/f"'],
    ['lib/g', 'declare D=${BASH_SOURCE%/*}; . ${D:?}/lib/g'],
    ['h.sh', 'D=$(perl -MCwd -e "print Cwd::abs_path(shift)" "$0"); . "${D%/*}/h.sh"'],
    ['i.inc', 'D="$(dirname "$0")"; chain "$D/i.inc"'],
  ])('protects existing files that it may load from there: %s', (file, text) => {
    const home = homeWith({ '.bashrc': '. ~/ws/init.sh\n', 'ws/init.sh': text, [`ws/${file}`]: '' });
    expect(decisionOn(`echo x > ${file}`, home)).toBe('ask');
    expect(decisionOn('echo x > src/a.ts && echo x > run.py && echo x > new.txt', home)).toBe('allow');
    expect(decisionOn('echo x > ws/src/a.ts && echo x > ws/new.txt', home, '.')).toBe('allow');
  });

  it.each([
    [
      '.vimrc',
      'source ~/ws/init.vim',
      'init.vim',
      "exe 'source ' . expand('<sfile>:p:h') . '/x.vim'",
      'x.vim',
    ],
    [
      '.vimrc',
      'source ~/ws/init.vim',
      'init.vim',
      "let s:d = fnamemodify(resolve(expand('<sfile>:p')), ':h')\nexe 'source ' . s:d . '/x.vim'",
      'x.vim',
    ],
    [
      '.emacs',
      '(load "~/ws/init.el")',
      'init.el',
      '(load (expand-file-name "x.el" (file-name-directory load-file-name)))',
      'x.el',
    ],
    ['.tmux.conf', 'source-file ~/ws/t.conf', 't.conf', 'source-file "#{d:current_file}/x.conf"', 'x.conf'],
    [
      '.config/nvim/init.lua',
      'dofile("/HOME/ws/a.lua")',
      'a.lua',
      'local d = debug.getinfo(1, "S").source:sub(2):match("(.*/)")\ndofile(d .. "x.lua")',
      'x.lua',
    ],
  ])('counts in editors and terminals: %s %s', (start, loads, name, text, file) => {
    const home = homeWith({ [`ws/${name}`]: text, [`ws/${file}`]: '' });
    mkdirSync(path.dirname(path.join(home, start)), { recursive: true });
    writeFileSync(path.join(home, start), loads.replace('/HOME', home));
    expect(decisionOn(`echo x > ${file}`, home)).toBe('ask');
    expect(decisionOn('echo x > src/a.ts', home)).toBe('allow');
  });

  it.each([
    'load() { . "$HOME/ws/lib/$1.sh"; }\nload f',
    'load() { source ~/ws/lib/$1.sh; }',
    'use() { . ~/ws/lib/$1; }',
  ])('protects existing files for shells in a folder from which a function loads: %s', (text) => {
    const home = homeWith({ '.bashrc': text, 'ws/lib/f.sh': '', 'ws/lib/f.ts': '' });
    expect(decisionOn('echo x > lib/f.sh', home)).toBe('ask');
    expect(decisionOn('echo x > lib/f.ts && echo x > src/a.ts', home)).toBe('allow');
  });

  it('has the place behind a link, too', () => {
    const home = homeWith({
      'ws/bashrc': '. "$(dirname "$(readlink -f ~/.bashrc)")/aliases"\n. "${BASH_SOURCE%/*}/x"',
    });
    symlinkSync('ws/bashrc', path.join(home, '.bashrc'));
    expect(decisionOn('echo x > aliases', home)).toBe('ask');
    expect(decisionOn('echo x > x', home)).toBe('ask');
    expect(decisionOn('echo x > y', home)).toBe('allow');
  });

  it('protects nothing else if it only compares or prints its name', () => {
    const home = homeWith({
      '.bashrc': '. ~/ws/env.sh\n',
      'ws/env.sh':
        '[[ "${BASH_SOURCE[0]}" == "$0" ]] && echo "$(basename "$0")"\nawk \'{ print $0 }\' /etc/hosts\n',
      'ws/test.sh': '',
    });
    expect(decisionOn('echo x > test.sh', home)).toBe('allow');
    expect(decisionOn('echo x > env.sh', home)).toBe('ask');
  });

  it('leads on to files that those files load', () => {
    const home = homeWith({
      '.bashrc': 'source ~/ws/install/setup.bash\n',
      'ws/install/setup.bash':
        'P="$(cd "`dirname "${BASH_SOURCE[0]}"`" > /dev/null && pwd)"\nchain "$P/local.bash"\n',
      'ws/install/local.bash': '. ~/ws/third\n',
    });
    expect(decisionOn('echo x > install/local.bash', home)).toBe('ask');
    expect(decisionOn('echo x > third', home)).toBe('ask');
  });
});

describe('a file in a folder of the home folder from which a start-up file loads every file', () => {
  it.each([
    ['.bashrc.d/p', 'source ~/ws/new.sh'],
    ['.zshrc.d/p.zsh', '. $HOME/ws/new.sh'],
    ['.zsh/aliases.zsh', '. $HOME/ws/new.sh'],
    ['.bash_completion.d/p', '. ~/ws/new.sh'],
    ['.oh-my-zsh/custom/p.zsh', 'source ~/ws/new.sh'],
    ['.oh-my-zsh/custom/plugins/p.plugin.zsh', 'source ~/ws/new.sh'],
    ['.config/fish/conf.d/p.fish', 'source ~/ws/new.sh'],
    ['.config/fish/functions/p.fish', 'function p\n  source ~/ws/new.sh\nend'],
    ['.vim/plugin/p.vim', 'source ~/ws/new.sh'],
    ['.config/nvim/plugin/p.vim', 'so ~/ws/new.sh'],
    ['.config/nvim/lua/p.lua', 'vim.cmd("source ~/ws/new.sh")'],
    ['.config/nvim/lua/plugins/p.lua', 'dofile(vim.fn.expand("~/ws/new.sh")) -- source ~/ws/new.sh'],
    ['.ssh/config.d/p', 'Host x\n  ProxyCommand ~/ws/new.sh %h'],
    ['.config/systemd/user/p.service', '[Service]\nExecStart=%h/ws/new.sh --now'],
    ['.config/systemd/user/p.service', '[Service]\nExecStartPre=-/HOME/ws/new.sh'],
    ['.config/systemd/user/p.service.d/x.conf', '[Service]\nExecStart=@%h/ws/new.sh x'],
    ['.config/autostart/p.desktop', '[Desktop Entry]\nExec=/HOME/ws/new.sh %U'],
  ])('protects what it loads: %s', (file, text) => {
    const home = homeWith({});
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    writeFileSync(path.join(home, file), text.replaceAll('/HOME', home));
    expect(decisionOn('echo x > new.sh', home)).toBe('ask');
    expect(decisionOn('echo x > src/a.ts && echo x > run.py && echo x > other.sh', home)).toBe('allow');
  });

  it('counts if the start-up file names the folder', () => {
    const home = homeWith({
      '.bashrc': 'for rc in ~/dot/rc/*; do . "$rc"; done\n',
      'dot/rc/p': 'source ~/ws/new.sh\n',
      'dot/rc/inner/p': 'source ~/ws/other.sh\n',
    });
    expect(decisionOn('echo x > new.sh', home)).toBe('ask');
    expect(decisionOn('echo x > other.sh', home)).toBe('allow');
  });

  it('counts from the next decision', () => {
    const home = homeWith({ '.bashrc.d/a': 'x=1\n' });
    expect(decisionOn('echo x > new.sh', home)).toBe('allow');
    writeFileSync(path.join(home, '.bashrc.d/b'), '. ~/ws/new.sh\n');
    expect(decisionOn('echo x > new.sh', home)).toBe('ask');
  });
});

describe('a folder in settings of an editor or a plugin manager', () => {
  const START = {
    vim: '.vimrc',
    nvim: '.config/nvim/init.lua',
    lazy: '.config/nvim/lua/plugins/x.lua',
    zsh: '.zshrc',
    emacs: '.emacs.d/init.el',
    sheldon: '.config/sheldon/plugins.toml',
    antidote: '.zsh_plugins.txt',
  };

  it.each([
    ['vim', 'set rtp^=~/ws/plug'],
    ['vim', "let &runtimepath .= ',' . expand('~/ws/plug')"],
    ['vim', "exe 'set rtp+=' . $HOME . '/ws/plug'"],
    ['vim', 'let &rtp = "~/ws/plug," . &rtp'],
    ['vim', "call plug#begin('~/ws/plug')"],
    ['vim', "let g:plug_home = $HOME.'/ws/plug'"],
    ['vim', "call dein#add('~/ws/plug')"],
    ['vim', 'set packpath=~/x,~/ws/plug'],
    ['nvim', 'vim.opt.rtp:prepend("~/ws/plug")'],
    ['nvim', 'vim.opt.runtimepath:append(vim.fn.expand("~") .. "/ws/plug")'],
    ['nvim', 'vim.o.runtimepath = vim.o.runtimepath .. ",~/ws/plug"'],
    ['nvim', 'vim.opt.rtp:append(os.getenv("HOME") .. "/ws/plug")'],
    ['nvim', 'package.path = package.path .. ";" .. os.getenv("HOME") .. "/ws/plug/?.lua"'],
    ['lazy', 'return {\n  "me/plug",\n  dir = "~/ws/plug",\n}'],
    ['lazy', 'return { { dir = vim.fn.expand("~/ws/plug"), opts = {} } }'],
    ['lazy', 'use { "~/ws/plug" }'],
    ['zsh', 'zinit light ~/ws/plug'],
    ['zsh', 'zinit ice lucid; zinit load $HOME/ws/plug'],
    ['zsh', 'zplug "~/ws/plug", from:local'],
    ['zsh', 'antigen bundle ~/ws/plug --no-local-clone'],
    ['zsh', 'fpath[1,0]=~/ws/plug'],
    ['zsh', 'fpath+=( ${HOME}/ws/plug )'],
    ['zsh', 'export FPATH="$HOME/x:$HOME/ws/plug:$FPATH"'],
    ['zsh', 'zgenom load ~/ws/plug'],
    ['emacs', '(use-package x :straight (:local-repo "~/ws/plug"))'],
    ['emacs', '(add-to-list \'load-path (concat (getenv "HOME") "/ws/plug"))'],
    ['sheldon', '[plugins.x]\nlocal = "~/ws/plug"'],
    ['antidote', '~/ws/plug'],
  ] as const)('is protected if it exists: %s %s', (program, text) => {
    const home = homeWith({ [START[program]]: text, 'ws/plug/a': '' });
    expect(decisionOn('mkdir -p plug/plugin; echo x > plug/plugin/new.vim', home)).toBe('ask');
    expect(decisionOn('echo x > src/a.ts && echo x > run.py && mkdir -p other/plugin', home)).toBe('allow');
    expect(decisionOn('echo x > a && mkdir b', home, 'ws/plug')).toBe('allow');
    expect(decisionOn('echo x > ws/src/a.ts', home, '.')).toBe('allow');
  });

  it.each([
    ['vim', "let s:p = expand('~/ws/plug')\nexe 'set rtp+=' . s:p", 'plug/plugin/a.vim'],
    ['nvim', 'local p = os.getenv("HOME") .. "/ws/plug"\nvim.opt.rtp:prepend({ p })', 'plug/lua/a.lua'],
    ['lazy', 'return { dev = { path = "~/ws" } }', 'plug/lua/a.lua'],
    ['zsh', 'antigen bundles <<END\n~/ws/plug\nEND', 'plug/a.plugin.zsh'],
    ['zsh', 'p=~/ws/plug\nload_all "$p"', 'plug/a.plugin.zsh'],
  ] as const)('is protected if a word names it and it contains a plugin: %s %s', (program, text, file) => {
    const home = homeWith({ [START[program]]: text, [`ws/${file}`]: '' });
    expect(decisionOn(`echo x > ${file}`, home)).toBe('ask');
    expect(decisionOn('echo x > src/a.ts && echo x > run.py', home)).toBe('allow');
  });

  it.each([
    ['vim', 'set path+=~/ws/src\nset directory=~/ws/src'],
    ['nvim', 'vim.keymap.set("n", "x", "<cmd>cd ~/ws/src<cr>")'],
    ['lazy', 'return { opts = { workspaces = { { name = "a", path = "~/ws/src" } } } }'],
    ['zsh', "alias w='cd ~/ws/src'\nexport CDPATH=~/ws/src\nhash -d w=~/ws/src"],
    ['emacs', '(setq org-directory "~/ws/src")'],
  ] as const)('is ordinary if it is not one of plugins: %s %s', (program, text) => {
    const home = homeWith({ [START[program]]: text });
    expect(decisionOn('echo x > src/a.ts', home)).toBe('allow');
    expect(decisionOn('echo x > ws/src/a.ts', home, '.')).toBe('allow');
  });
});

describe('a variable of a start-up file', () => {
  it.each([
    'readonly DOT="$HOME/ws"\n. "$DOT/new.sh"',
    'declare DOT=$HOME/ws\n. $DOT/new.sh',
    'declare -r -x DOT=~/ws\nsource $DOT/new.sh',
    'typeset -gx DOT=~/ws; source "$DOT/new.sh"',
    'export DOT=$HOME/ws; . ${DOT}/new.sh',
    'local -r DOT=$HOME/ws; . ${DOT:?}/new.sh',
    'DOT="$HOME"/ws/\n. "${DOT%%/}/new.sh"',
    'DOT=~/ws/; . "${DOT%/}/new.sh"',
    ': "${DOT:=$HOME/ws}"; . "${DOT:=$HOME/ws}/new.sh"',
    'if true; then DOT=$HOME/ws; fi\n. $DOT/new.sh',
    'set -gx DOT ~/ws\nsource $DOT/new.sh',
  ])('leads to what it loads, however it is set: %s', (text) => {
    const home = homeWith({ '.bashrc': `${text}\n`, 'ws/other.txt': '' });
    expect(decisionOn('echo x > new.sh', home)).toBe('ask');
    expect(decisionOn('echo x > other.txt && echo x > src/a.ts', home)).toBe('allow');
  });
});
