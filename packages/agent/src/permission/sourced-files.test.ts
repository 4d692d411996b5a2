/** Edits of files that the user's start-up files load, on a real disk. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-sourced-files-')));
const home = path.join(base, 'home');
const work = path.join(home, 'ws');
afterAll(() => rmSync(base, { recursive: true, force: true }));

const FILES: Readonly<Record<string, string>> = {
  '.bashrc': `
# source ~/ws/comment.sh
source ~/ws/install/setup.bash
. "$HOME/ws/a.sh"
[ -f ~/ws/b.sh ] && \\. "\${HOME}"/ws/b.sh
if [ -r ${work}/c.sh ]; then . ${work}/c.sh; fi
export BASE=~
export DOT=$BASE/ws/dot
source $DOT/aliases.sh; source "\${OTHER:-$HOME/ws}/d.sh"
eval "$(~/ws/tools/conda shell.bash hook)"
__setup="$('${work}/tools/other' 'shell.bash')"
for file in ~/ws/rc.d/*.sh; do . "$file"; done
test -e $HOME/ws/e.sh && builtin source $HOME/ws/e.sh || true
~/ws/greet --quiet
alias w='cd ~/ws/src'
for folder in ~/ws/src/*; do echo $folder; done
. ~/*.local
export DATA=~/ws/data.txt
`,
  '.zshrc': 'fpath=(~/ws/functions $fpath)\nsource ~/ws/first.zsh\n',
  'ws/first.zsh': 'source ~/ws/second.zsh\n',
  '.vimrc': 'set x\nsource ~/ws/editor.vim\nso ~/ws/short.vim\n',
  '.tmux.conf': 'source-file ~/ws/keys.conf\n',
  '.ssh/config': 'Include ~/ws/ssh.conf\n',
  '.config/fish/config.fish': 'test -f ~/ws/x.fish; and source ~/ws/x.fish\n',
  '.emacs': '(load-file "~/ws/start.el")\n',
  'ws/src/a.ts': '',
};
for (const [name, text] of Object.entries(FILES)) {
  mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
  writeFileSync(path.join(home, name), text);
}
symlinkSync('ws', path.join(home, 'link'));

function decisionOn(command: string, root: string): string {
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const world = observeWorld({ root, cwd: root, directories: [], home, configDirs: [], environment });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world).decision;
}

describe('a file that a start-up file of the user loads', () => {
  it.each([
    'install/setup.bash',
    'a.sh',
    'b.sh',
    'c.sh',
    'dot/aliases.sh',
    'd.sh',
    'tools/conda',
    'tools/other',
    'rc.d/new.sh',
    'e.sh',
    'greet',
    'functions/f',
    'first.zsh',
    'second.zsh',
    'editor.vim',
    'short.vim',
    'keys.conf',
    'ssh.conf',
    'x.fish',
    'start.el',
  ])('is protected, also before it exists: %s', (file) => {
    expect(decisionOn(`mkdir -p sub && echo x > ${file}`, work)).toBe('ask');
    expect(decisionOn(`echo x > ws/${file}`, home)).toBe('ask');
    expect(decisionOn(`echo x > ${file}`, path.join(home, 'link'))).toBe('ask');
  });

  it.each(['src/a.ts', 'data.txt', 'comment.sh', 'install/other.bash', 'tools/x', 'package.json', 'rc.js'])(
    'does not protect other files: %s',
    (file) => {
      expect(decisionOn(`echo x > ${file}`, work)).toBe('allow');
    },
  );

  it('counts from the next decision', () => {
    expect(decisionOn('echo x > late.sh', work)).toBe('allow');
    writeFileSync(path.join(home, '.profile'), '. ~/ws/late.sh\n');
    expect(decisionOn('echo x > late.sh', work)).toBe('ask');
  });
});

it.each([
  'google-cloud-sdk/path.bash.inc',
  'miniconda3/etc/profile.d/conda.sh',
  'anaconda3/lib/python3.13/os.py',
  'miniforge3/etc/x',
  'powerlevel10k/p.zsh-theme',
  'perl5/lib/perl5/A.pm',
  'R/x86_64-pc-linux-gnu-library/4.5/a/R/a',
  'quicklisp/setup.lisp',
  'Documents/MATLAB/startup.m',
  'node_modules/a/index.js',
])('an installation in the home folder is protected: %s', (file) => {
  expect(decisionOn(`echo x > ${file}`, home)).toBe('ask');
});

it.each(['R/analysis.R', 'conda-packages/a.yaml', 'Documents/MATLAB/a.m', 'perl/a.pl', 'go/src/a.go'])(
  'an ordinary folder in the home folder is not: %s',
  (file) => {
    expect(decisionOn(`echo x > ${file}`, home)).toBe('allow');
  },
);
