/** Files that programs run or trust when they start. A project may be the home folder, or a folder with such files. */
import type { Theme } from './theme.ts';

const STARTED =
  '.config/gdb/gdbinit .config/gdb/gdbearlyinit .config/elvish/rc.elv .config/i3/config .config/sway/config ' +
  '.config/hypr/hyprland.conf .config/bspwm/bspwmrc .config/awesome/rc.lua .xmonad/xmonad.hs .config/kak/kakrc ' +
  '.config/helix/config.toml .config/zed/settings.json .config/nano/nanorc .local/share/nvim/site/plugin/x.vim ' +
  '.docker/cli-plugins/docker-x .local/lib/python3.12/site-packages/usercustomize.py .config/sqlite3/sqliterc ' +
  '.config/curlrc .julia/config/startup.jl .radare2rc .rhosts .shosts .k5login .authinfo .gitcookies .config/go/env ' +
  '.config/starship.toml .local/share/dbus-1/services/x.service ' +
  '.selected_editor .mavenrc .pi/agent/settings.json .local/share/bash-completion/completions/x .config/bash_completion ' +
  '.bash_completion.d/x .nvm/nvm.sh .asdf/asdf.sh .sdkman/bin/sdkman-init.sh .rvm/scripts/rvm .fzf.bash .fzf.zsh .p10k.zsh ' +
  '.ghcup/env .opam/opam-init/init.sh .zfunc/_x .iterm2_shell_integration.bash .iterm2_shell_integration.zsh .task/hooks/on-add ' +
  '.vagrant.d/Vagrantfile .bunfig.toml .ansible/plugins/x.py .sbt/1.0/global.sbt .config/ghc/ghci.conf .config/yt-dlp/config ' +
  '.msmtprc .local/share/jupyter/kernels/x/kernel.json ' +
  '.less .lesskey .config/lesskey .mlrc .rpmmacros .config/rpm/macros .popt .manpath .config/bat/config .toprc .w3m/config ' +
  '.latexmkrc .taskrc .parallel/config .config/aria2/aria2.conf .config/mimeapps.list .config/ripgrep/config .lftprc ' +
  '.config/user-dirs.dirs .emacs.el .pythonrc.py .dircolors .pyenv/x .volta/bin/x .config/nix/nix.conf .zpreztorc';

/** Each chooses the program that a later command runs. */
const VERSIONS =
  '.node-version .ruby-version .python-version .java-version .terraform-version .terragrunt-version .kubectl-version ' +
  '.Some-Version .nvmrc .tool-versions mise.toml mise.production.toml .mise.toml .mise.production.toml .sdkmanrc ' +
  '.bazelversion .bazelrc global.json rust-toolchain rust-toolchain.toml';

export const START_UP_FILES: readonly Theme[] = [
  {
    theme: 'acceptEdits does not change files that programs run or trust when they start',
    mode: 'acceptEdits',
    allowed: (
      '.docker/Dockerfile local/lib/x src/i3/config nvm/x pi/x ' +
      'hooks/x src/jupyter/x bash_completion/x bunfig.json src/a.less less/x rpm/macros'
    )
      .split(' ')
      .map((name) => `echo x > ${name}`),
    asked: STARTED.split(' ').flatMap((name) => [`echo x > ${name}`, `cp a dotfiles/${name}`]),
  },
  {
    theme: 'acceptEdits does not change files that choose the version of a program',
    mode: 'acceptEdits',
    allowed: (
      'version src/version.ts node-version docs/.versions .version src/global.json5 globals.json toolchain.toml ' +
      '.bazelignore'
    )
      .split(' ')
      .map((name) => `echo x > ${name}`),
    asked: [
      ...VERSIONS.split(' ').flatMap((name) => [`echo x > ${name}`, `mv a pkg/${name}`]),
      'sed -i s/1/2/ .*-version',
      'mv a .elixir-{version,x}',
      'cp -r a .erlang-version/',
    ],
  },
  {
    theme: 'a rule does not change files that choose the version of a program',
    rules: { allow: ['Bash(mytool *)', 'Bash(rename *)', 'Bash(cp *)', 'Edit'] },
    allowed: ['mytool src/version.ts'],
    asked: [
      'mytool -o .deno-version',
      'mytool --out=.any-version',
      'for v in node deno; do cp a ".$v-version"; done',
      'cp a ".$TOOL-version"',
      'cp --suffix=-version -b a .terraform',
    ],
  },
];
