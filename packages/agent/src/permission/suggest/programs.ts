/** Facts about programs for suggested rules. */

/** A word that can be part of a prefix without quotes. */
export const PLAIN_WORD = /^[\w@%+:.,/=-]+$/;

/** With any argument, these can run, change or reach anything. */
export const WIDE =
  /^(bash|sh|zsh|dash|ksh|ash|fish|csh|tcsh|pwsh|powershell|python[\d.]*|pypy\d?|node|nodejs|tsx|ts-node|deno|bun|ruby|perl|php|lua|luajit|tclsh|osascript|rscript|ghci|irb|java|go|dotnet|env|sudo|doas|su|runuser|xargs|parallel|npx|bunx|pnpx|uvx|pipx|eval|exec|source|\.|command|builtin|time|timeout|nice|nohup|stdbuf|setsid|watch|ssh|scp|sftp|docker|docker-compose|podman|kubectl|find|fd|fdfind|awk|gawk|mawk|nawk|sed|make|just|task|git|npm|pnpm|yarn|tar|rsync|gdb|strace|script|expect|curl|wget|nc|socat|rm|rmdir|unlink|shred|mv|cp|dd|chmod|chown|chgrp|ln|install|tee|truncate|kill|pkill|killall|systemctl|service|launchctl|mount|umount|export|alias|set|shopt|trap|at|crontab|tmux|screen|vim?|nvim|nano|emacs|ed|ex|less|more|man|open|xdg-open|psql|mysql|sqlite3|mongosh|redis-cli|gpg|openssl|zip|unzip|gzip|gunzip|rg|sort|tree|file|iconv|lsof|ss|gh|aws|gcloud|az|ansible|pulumi|nix|direnv|op|defaults|pm2|nodemon|forever)$/i;

/** They run the program on their input if no file is named. */
export const INTERPRETERS =
  /^(bash|sh|zsh|dash|ksh|ash|fish|csh|tcsh|pwsh|python[\d.]*|pypy\d?|node|nodejs|tsx|ts-node|deno|bun|ruby|perl|php|lua|luajit|tclsh|osascript|rscript|ghci|irb|iex|erl|jshell|julia|octave|r|gnuplot|m4|dc|batch|parallel|xargs|redis-cli|swipl|gprolog|maxima|gp|sage|gforth|mit-scheme|csi)$/i;
/** They run their input, or send it to a service that executes it, unless an option names other commands. */
export const DIALOGS =
  /^(sftp|psql|mysql|mariadb|sqlite3?|mongo(sh)?|gdb|ed|red|ex|duckdb|sqlplus|sqlcl|sqlcmd|isql|bcp|cqlsh|clickhouse(-client|-local)?|influx|cockroach|trino|presto|beeline|hive|spark-(shell|sql)|pyspark|usql|pgcli|mycli|litecli|l?ftp|ncftp|tftp|smbclient|telnet|virsh|lldb|jdb|cgdb|rr|bluetoothctl|parted|fdisk|gdisk|nsupdate)$/;
/** Words that mean: the rest comes from the input. */
export const INCOMING =
  /^(-|-[A-Za-z]-|--?[\w-]+=-|--stdin|--index-info|fast-import|\/dev\/stdin|\/(dev|proc\/self)\/fd\/\d+)$/;
/** Variables that decide which program runs, or what it loads first. */
export const STEERING =
  /^(PATH|IFS|ENV|CDPATH|GLOBIGNORE|BASH.*|LD_.*|DYLD_.*|GIT_.*|.*PAGER|.*EDITOR|.*SHELL|.*_COMMAND|LESSOPEN|NODE_OPTIONS|NODE_PATH|PYTHONPATH|PYTHONSTARTUP|PERL5.*|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|RUSTC.*)$/;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const wordsByName = (table: Readonly<Record<string, string>>): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(table).map(([name, text]) => [name, words(text)]));

/*
 * The tables below contain every prefix with a wildcard that is offered. For each one, the effects of any further words are
 * acceptable, or the decision asks about them: they stay in the project, and run only its own code. `prefixes.test.ts` has
 * such words for each prefix. For any other command, the exact command is offered.
 */

/** Test runners, linters, type checkers, formatters and comparison tools. Any argument is acceptable. */
export const CHECKERS = words(
  'pytest py.test jest vitest mocha ava tsc eslint oxlint prettier stylelint mypy pyright flake8 pylint black isort rspec rubocop ' +
    'phpunit phpstan nox ctest gofmt goimports rustfmt shellcheck shfmt actionlint hadolint diff jq',
);

/** Python modules that are such programs, or have such commands. */
export const MODULES = words(
  'pytest unittest mypy pyright ruff black flake8 pylint isort tox nox doctest compileall',
);

/** They run the project's own scripts by name. */
export const SCRIPT_RUNNERS = /^(npm|pnpm|yarn|bun)$/;
export const SCRIPTS =
  /^(test|t|build|lint|dev|start|serve|preview|check|typecheck|type-check|types|format|fmt|e2e|unit|coverage|watch|clean|generate|codegen|docs|storybook|compile|bundle|verify|validate)([:-][\w:.-]+)?$/;

/** A script by its folder or its ending. */
export const PROJECT_SCRIPT =
  /^(?:[^/]+\/)*(?:scripts?|tools?|hack|ci)\/[^/]+$|^(?:[^/]+\/)+[^/]+\.(?:sh|bash|py|rb|pl|[cm]?js|ts)$/;
/** Programs of packages, and scripts with commands of their own: `./manage.py shell -c …`. */
export const OTHER_SCRIPT = /(^|\/)(node_modules|vendor|\.?venv|\.?bin)\/|(^|\/)(manage|setup|waf|x)\.py$/;

/** They run another program in the project's environment. The words of that program count. */
export const RUNS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    uv: 'run',
    poetry: 'run',
    pipenv: 'run',
    pdm: 'run',
    rye: 'run',
    hatch: 'run',
    bundle: 'exec',
  }),
);

/** Their subcommand defines their purpose. */
export const SUBCOMMANDS: ReadonlyMap<string, ReadonlySet<string>> = wordsByName({
  // Not grep, which can open its results with any program.
  git: 'status log diff show add commit blame switch merge cherry-pick revert describe shortlog ls-files',
  // Not pack, which runs scripts of a package that it loads.
  npm: 'ci install i ls list outdated audit view why explain',
  pnpm: 'install i ls list outdated audit why',
  yarn: 'install list outdated audit why',
  bun: 'install',
  go: 'build test vet fmt list version',
  cargo: 'build test check clippy fmt doc tree bench run metadata',
  dotnet: 'build test restore format',
  docker: 'ps images logs inspect build pull version info',
  'docker-compose': 'ps logs config images top up down build pull start stop restart',
  kubectl: 'get describe logs top explain version api-resources',
  deno: 'test lint fmt check',
  biome: 'check lint format ci',
  ruff: 'check format rule',
  tox: 'run r run-parallel p list l',
  'golangci-lint': 'run linters',
  terraform: 'plan validate fmt',
  tofu: 'plan validate fmt',
  mix: 'test compile format',
  dart: 'test analyze format',
  flutter: 'test analyze',
});

/** Two words define the purpose, and the third one is in the list. Lists of other programs contain only words that read. */
export const NESTED: ReadonlyMap<string, ReadonlySet<string>> = wordsByName({
  'git checkout': '-b',
  'git stash': 'push pop list show apply',
  'git worktree': 'list add',
  'git submodule': 'status',
  'go mod': 'tidy download verify graph why vendor',
  'cargo nextest': 'run list',
  'docker compose': 'ps logs config images top ls up down build pull start stop restart',
  'kubectl config': 'current-context get-contexts view',
  'kubectl rollout': 'status history',
  // Not create and comment, which send a text or a file to any repository.
  'gh pr': 'view list diff checks status',
  'gh issue': 'view list status',
  'gh run': 'view list watch',
  'gh repo': 'view list',
  'gh release': 'view list',
  'gh workflow': 'view list',
  'gh search': 'code commits issues prs repos',
  'uv pip': 'list show freeze check tree',
});

/** They treat any input as data, or do not read it. */
export const DATA_READERS = words(
  'cat tac tee sponge wc sort uniq head tail cut paste join comm tr rev nl fold fmt column expand unexpand pr grep egrep fgrep zgrep rg ' +
    'jq yq base64 base32 xxd od hexdump strings iconv md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum gzip gunzip ' +
    'bzip2 bunzip2 xz unxz zstd unzstd lz4 zcat diff cmp less pv ts xclip xsel pbcopy wl-copy ' +
    'cp mv ln mkdir touch rm rmdir unlink chmod chown chgrp truncate kill ls cd pwd echo printf test [ true false : sleep date read exit ' +
    'break continue wait eslint oxlint prettier stylelint tsc mypy pyright flake8 pylint black isort rubocop phpstan gofmt goimports ' +
    'rustfmt shellcheck shfmt actionlint hadolint',
);
/** The same, for commands of these programs that are in the tables above. */
export const DATA_COMMANDS = words('git ruff biome golangci-lint');
