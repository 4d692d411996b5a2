/**
 * The one list of protected places. Permission asks about a change to any of them, and the sandbox keeps commands from
 * writing most of them. A place is protected if another program runs what it contains, or trusts it: settings of agents,
 * internals of version control, start-up files, hooks, credentials.
 *
 * Not protected, because editing them is ordinary work: CI workflows, `AGENTS.md` and its like, `.env`.
 */

/**
 * The access of a sandboxed command to a place in a writable folder:
 * - `locked`: it can neither change nor create it.
 * - `locked in home`: the same in the home folder. Elsewhere it cannot change an existing one.
 * - `locked if present`: it cannot change an existing one.
 * - `writable`: package managers write it, or the sandbox has a special rule for it.
 */
export type SandboxAccess = 'locked' | 'locked in home' | 'locked if present' | 'writable';

export interface ProtectedPlace {
  /**
   * Names from a folder downward, in lower case. They match at any depth, including everything below. A leading slash
   * anchors them at the root. `*` matches any part of a name.
   */
  readonly segments: readonly string[];
  readonly fromRoot: boolean;
  readonly sandbox: SandboxAccess;
}

const GROUPS: readonly (readonly [SandboxAccess, string])[] = [
  // Settings of this agent.
  ['locked', '.claude .heddle .mcp.json'],
  // The lists of plugins and marketplaces, from which agents load programs.
  ['locked if present', '.claude-plugin'],
  // Settings of other agents: commands they run, servers they start, permissions they grant.
  [
    'locked if present',
    '.agents .codex .gemini .cursor .continue .windsurf .codeium .opencode opencode.json opencode.jsonc .aider* .roo .cline ' +
      '.kilocode .amazonq .junie .kiro .pi .qwen .crush .crush.json crush.json .clinerules .goose .augment .factory .trae .amp .copilot ' +
      '.config/opencode .config/goose .config/crush .config/amp .config/github-copilot .openhands .config/claude .config/windsurf ' +
      'library/application*/claude',
  ],
  [
    'locked if present',
    '.agent .antigravity .grok .vibe .qoder .iflow .codebuddy .codebuff .codebuff.json codebuff.json gptme.toml .continuerc.json .roomodes ' +
      '.kilocodemodes .zencoder .rovodev .warp .firebender .plandex* .tabnine .lingma .forge forge.yaml .kilo kilo.json kilo.jsonc .config/kilo conductor.json .cmux .mux .superset lsp.json .github/mcp.json .github/lsp.json ' +
      '.github/extensions .github/copilot .github/agents .github/skills .github/plugin .github/plugins .gitlab/duo',
  ],
  // Version control: hooks, filters and settings that run programs. The sandbox has a rule for each of their parts.
  // Attributes choose which configured filters run. Git itself writes them during a checkout.
  ['writable', '.gitattributes .git .hg .svn .jj .bzr .sl _darcs/prefs'],
  [
    'locked if present',
    '.gitmodules .git-credentials .hgrc .config/hg .config/jj .jjconfig.toml .subversion .lfsconfig .repo _fossil_ .fslckout ' +
      '.fossil-settings .pijul .p4config .p4enviro _mtn cvs/root .cvsrc',
  ],
  ['locked in home', '.claude.json .gitconfig .config/git'],
  // Start-up files of shells and sessions.
  [
    'locked in home',
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout ' +
      '.kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc config.fish .config/fish .config/nushell .config/elvish .elvish .xprofile .xinitrc ' +
      '.xsession .xsessionrc .pam_environment .config/environment.d .config/autostart .config/systemd',
  ],
  // Start-up files of other programs, and services of the user.
  [
    'locked if present',
    '.local/share/systemd library/launchagents library/launchdaemons .config/plasma-workspace .config/powershell ' +
      '.vimrc .gvimrc _vimrc .exrc .nvimrc .nvim.lua .lvimrc .local.vimrc .vimrc.local .ideavimrc .dir-locals.el .dir-locals-2.el .gemrc .renviron .octaverc .vim .config/nvim .config/vim .emacs .emacs.d .config/emacs .nanorc .tmux.conf .config/tmux ' +
      '.screenrc .gdbinit .lldbinit .irbrc .pryrc .byebugrc .rdbgrc .rprofile .pdbrc .pythonrc .perldb .psqlrc .sqliterc .curlrc .wgetrc ' +
      '.lesskey .lessfilter .mailcap .ripgreprc .direnvrc .config/direnv .config/mise .asdfrc .forward .procmailrc ' +
      '.spacemacs .spacemacs.d .doom.d .config/doom .ghci .iex.exs .erlang .ocamlinit .mongorc.js .mongoshrc.js .duckdbrc .ipython ' +
      '.jupyter .xonshrc .config/xonsh .rvmrc .ackrc .ctags.d .config/code .local/bin .local/share/applications .config/kitty ' +
      '.wezterm.lua .config/wezterm .hammerspoon .config/ranger .config/lf .config/yazi .ansible.cfg',
  ],
  // The same for window managers, debuggers, editors, consoles of languages, and folders from which programs load others.
  [
    'locked if present',
    '.config/i3 .i3 .config/sway .config/hypr .config/bspwm .config/sxhkd .config/awesome .config/qtile .config/openbox .config/river .config/niri ' +
      '.config/labwc .config/waybar .config/polybar .xmonad .config/xmonad .fluxbox .xbindkeysrc .xserverrc .gnomerc .vnc .skhdrc .yabairc .config/skhd .config/yabai ' +
      '.config/gdb .gdbearlyinit .config/lldb .radare2rc .config/radare2 .config/kak .config/helix .config/zed .config/nano .config/micro .config/vscodium ' +
      '.config/cursor .vscode-server .vscode-oss .local/share/nvim .local/share/vim .config/sqlite3 .config/psql .config/curlrc .config/wget .julia/config ' +
      '.sbclrc .clisprc .racketrc .guile .tclshrc .wishrc .ghc .lein .clojure .gnuplot .config/bpython .config/ptpython .config/psysh .config/starship.toml ' +
      '.config/bash .config/zsh .bash_completion .bashrc.d .oh-my-zsh .config/alacritty .config/ghostty .config/zellij .config/lazygit .tigrc .config/tig ' +
      '.config/mpv .muttrc .mutt .config/mutt .config/neomutt .config/vifm .config/qutebrowser .config/k9s .config/go .docker/cli-plugins .local/lib ' +
      '.node_modules .node_libraries .local/share/gh .local/share/helm .local/share/dbus-1 .local/share/nautilus .local/share/gnome-shell .rustup',
  ],
  // Scripts that start-up files of shells load, version managers, and settings of other programs that run commands.
  [
    'locked if present',
    '.local/share/bash-completion .config/bash_completion .bash_completion.d .zfunc .fzf.bash .fzf.zsh .p10k.zsh .iterm2_shell_integration.* ' +
      '.nvm .asdf .sdkman .rvm .ghcup .opam .selected_editor .mavenrc .task/hooks .vagrant.d .ansible .sbt .config/ghc .config/yt-dlp ' +
      '.msmtprc .local/share/jupyter .zcompdump* .cache/p10k* .tmux .config/sublime-text .emacs.* .pythonrc.* .dircolors .config/user-dirs.dirs ' +
      '.config/user-tmpfiles.d .volta .proto .pyenv .rbenv .nodenv .jenv .goenv .tfenv .zpreztorc .zplug .zinit .antigen .config/home-manager ' +
      '.config/nix .config/chezmoi .fehbg .xmodmaprc',
  ],
  // Options, keys and macros that make viewers, pagers, mail, media and query programs run others.
  [
    'locked if present',
    '.less .config/lesskey .mlrc .rpmmacros .rpmrc .config/rpm .popt .config/popt .manpath .config/bat .config/pry .config/irb .config/ripgrep ' +
      '.toprc .config/procps .w3m .lynxrc .elinks .newsboat .config/newsboat .offlineimaprc .mbsyncrc .config/isyncrc .fetchmailrc .getmail .notmuch-config ' +
      '.config/notmuch .config/aerc .irssi .weechat .config/weechat .xresources .xdefaults .config/rofi .config/dunst .config/broot .config/ncmpcpp .ncmpcpp ' +
      '.taskrc .config/task .latexmkrc .config/latexmk .lftprc .lftp .config/lftp .mysqlrc .mylogin.cnf .myclirc .config/pgcli .config/litecli .config/mycli .usqlrc ' +
      '.parallel .config/parallel .aria2 .config/aria2 .config/mimeapps.list .wireshark .config/wireshark .config/youtube-dl .config/streamlink .config/gallery-dl ' +
      '.config/beets .valgrindrc .maxima',
  ],
  // Credentials, and settings that define trusted hosts and keys.
  ['locked in home', '.ssh'],
  [
    'locked if present',
    '.gnupg .aws .azure .config/gcloud .kube .docker/config.json .config/containers .netrc _netrc .pypirc .config/gh ' +
      '.config/hub .config/glab-cli .gem/credentials .terraformrc .terraform.d .pgpass .my.cnf .vault-token .config/op ' +
      '.password-store .config/rclone .s3cfg .boto .oci .config/doctl .config/sops .rhosts .shosts .k5login ' +
      '.k5users .authinfo .authinfo.gpg .gitcookies .local/share/keyrings',
  ],
  // Settings of editors and hooks that run when a folder is opened, entered or committed.
  [
    'locked if present',
    '.vscode .idea .zed .fleet .helix .theia .vs .devcontainer .devcontainer.json .husky .huskyrc* .envrc .envrc.* .direnv .autoenv.zsh .shadowenv.d lefthook.yml lefthook.yaml lefthook.toml lefthook.json .lefthook.* ' +
      '.lefthook lefthook-local.* .lefthook-local.* .simple-git-hooks.json .pre-commit-config.yaml .config/lefthook.yml mise.toml .mise.toml ' +
      'mise.local.toml .mise.local.toml .mise .config/mise.toml mise/config.toml .rtx.toml .tool-versions ' +
      '.*-version .nvmrc .python-versions .sdkmanrc .bazelversion .fvmrc .prototools rust-toolchain rust-toolchain.toml mise.* .mise.* global.json ' +
      '.githooks .overcommit.yml prek.toml .github/hooks .trunk',
  ],
  // The same for other managers of hooks, changes of the folder in a shell, versions of programs, and editors on this machine or elsewhere.
  [
    'locked if present',
    '.lefthook-local lefthook.jsonc .config/lefthook.* .pre-commit-config.yml hk.pkl hk.local.pkl .config/hk.pkl .config/hk.local.pkl ' +
      'captainhook.json grumphp.yml grumphp.yaml grumphp.dist.yml grumphp.yml.dist .git-hooks .cargo-husky .rusty-hook.toml ' +
      '.autoenv .autoenv.* .autoenv_leave.* .smartcd .ondirrc .flox .tfswitchrc .tfswitch.toml .tgswitchrc .tgswitch.toml .*env-vars ' +
      'aqua.yaml aqua.yml .aqua.yaml .aqua.yml aqua/aqua.yaml aqua/aqua.yml .aqua .vfox.toml .pdm-python .versions.conf .dvmrc .jabbarc .naverc ' +
      '.gvmrc .phpbrewrc .ruby-gemset ' +
      '.lazy.lua .nvim .neoconf.json .ycm_extra_conf.py .lsp .bsp .bloop hie.yaml .merlin .luarc.json .luarc.jsonc rust-analyzer.toml ' +
      '.rust-analyzer.toml .sourcekit-lsp .solargraph.yml .project .externaltoolbuilders .factorypath .settings .kateproject* .lite_project.lua ' +
      '.tm_properties .nova .gitpod.yml .replit replit.nix .idx .codesandbox .stackblitzrc .ona',
  ],
  // Files that interpreters load at each start in the folder, or in an environment of the project.
  [
    'locked if present',
    '.rdata irbrc _irbrc $irbrc .pdbrc.* latexmkrc ctags.d startup.m maxima-init.mac omnisharp.json .user.ini .lldbinit-* .psqlrc-* pyvenv.cfg .virtualenv .conda .pixi _opam ' +
      'site-packages/*.pth site-packages/sitecustomize.* site-packages/usercustomize.* dist-packages/*.pth dist-packages/sitecustomize.* ' +
      'dist-packages/usercustomize.*',
  ],
  // Settings of package managers and build tools that run programs or choose where packages come from.
  [
    'locked if present',
    '.npmrc .yarnrc* .pnpmfile.* .cargo .mvn .m2/settings.xml .gradle/init.gradle .gradle/init.gradle.kts .gradle/init.d ' +
      '.gradle/gradle.properties .bazelrc* bunfig.toml .bunfig.toml gradle-wrapper.properties maven-wrapper.properties ' +
      'nuget.config .nuget uv.toml poetry.toml .config/pypoetry pyrightconfig.json .config/pip .pip pip.conf .condarc .config/uv .bundle/config .sbtopts .jvmopts .bazeliskrc .buckconfig*',
  ],
  ['writable', '.yarn .pnp.*'],
  // Files that show an environment of Python or conda, see `environmentPart`. Without them, its programs would be ordinary files.
  ['writable', 'conda-meta activate_this.py'],
  // Files that the system itself runs.
  [
    'locked if present',
    '/etc/cron* /etc/anacrontab /etc/at.* /var/spool/cron /var/spool/at /var/at /etc/systemd /etc/init.d /etc/rc.local ' +
      '/etc/profile /etc/profile.d /etc/bash.bashrc /etc/bashrc /etc/zsh /etc/zshrc /etc/zshenv /etc/zprofile ' +
      '/etc/environment /etc/ld.so.preload /etc/ld.so.conf /etc/ld.so.conf.d /etc/sudoers /etc/sudoers.d /etc/doas.conf ' +
      '/etc/ssh /etc/pam.d /etc/passwd /etc/shadow /etc/group /etc/gitconfig /etc/xdg/autostart /etc/udev',
  ],
];

export const PROTECTED_PLACES: readonly ProtectedPlace[] = GROUPS.flatMap(([sandbox, names]) =>
  names.split(' ').map((name) => ({
    segments: name.split('/').filter((segment) => segment !== ''),
    fromRoot: name.startsWith('/'),
    sandbox,
  })),
);
