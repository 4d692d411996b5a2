/** Facts about programs for suggested rules. */

/** A word that can be part of a prefix without quotes. */
export const PLAIN_WORD = /^[\w@%+:.,/=-]+$/;

/** With any argument, these can run, change or reach anything. */
export const WIDE =
  /^(bash|sh|zsh|dash|ksh|ash|fish|csh|tcsh|pwsh|powershell|python[\d.]*|pypy\d?|node|nodejs|tsx|ts-node|deno|bun|ruby|perl|php|lua|luajit|tclsh|osascript|rscript|ghci|irb|java|go|dotnet|env|sudo|doas|su|runuser|xargs|parallel|npx|bunx|pnpx|uvx|pipx|eval|exec|source|\.|command|builtin|time|timeout|nice|nohup|stdbuf|setsid|watch|ssh|scp|sftp|docker|docker-compose|podman|kubectl|find|fd|fdfind|awk|gawk|mawk|nawk|sed|make|just|task|git|npm|pnpm|yarn|tar|rsync|gdb|strace|script|expect|curl|wget|nc|socat|rm|rmdir|unlink|shred|mv|cp|dd|chmod|chown|chgrp|ln|install|tee|truncate|kill|pkill|killall|systemctl|service|launchctl|mount|umount|export|alias|set|shopt|trap|at|crontab|tmux|screen|vim?|nvim|nano|emacs|ed|ex|less|more|man|open|xdg-open|psql|mysql|sqlite3|mongosh|redis-cli|gpg|openssl|zip|unzip|gzip|gunzip|rg|sort|tree|file|iconv|lsof|ss|gh|aws|gcloud|az|ansible|pulumi|nix|direnv|op|defaults|pm2|nodemon|forever)$/i;

/** They run the program on their input if no file is named. */
export const INTERPRETERS =
  /^(bash|sh|zsh|dash|ksh|ash|fish|csh|tcsh|pwsh|python[\d.]*|pypy\d?|node|nodejs|tsx|ts-node|deno|bun|ruby|perl|php|lua|luajit|tclsh|osascript|rscript|ghci|irb|iex|erl|jshell|julia|octave|r|gnuplot|m4|dc|batch|parallel|xargs|redis-cli)$/i;
/** They send their input to a service that executes it. */
export const DIALOGS = /^(ssh|sftp|psql|mysql|mariadb|sqlite3|mongosh|gdb|ed|ex)$/;
/** Words that mean: the rest comes from the input. */
export const INCOMING =
  /^(-|-[A-Za-z]-|--?[\w-]+=-|--stdin|--index-info|fast-import|\/dev\/stdin|\/(dev|proc\/self)\/fd\/\d+)$/;
/** Variables that decide which program runs, or what it loads first. */
export const STEERING =
  /^(PATH|IFS|ENV|CDPATH|GLOBIGNORE|BASH.*|LD_.*|DYLD_.*|GIT_.*|.*PAGER|.*EDITOR|.*SHELL|.*_COMMAND|LESSOPEN|NODE_OPTIONS|NODE_PATH|PYTHONPATH|PYTHONSTARTUP|PERL5.*|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|RUSTC.*)$/;

/** Test runners, linters, type checkers, formatters and comparison tools. Any argument is acceptable. */
export const CHECKERS =
  /^(pytest|py\.test|jest|vitest|mocha|ava|tsc|eslint|oxlint|biome|prettier|stylelint|mypy|pyright|ruff|flake8|pylint|black|isort|rspec|rubocop|phpunit|phpstan|tox|nox|ctest|golangci-lint|gofmt|goimports|rustfmt|shellcheck|shfmt|actionlint|hadolint|diff|jq)$/;

/** Python modules that are such programs. */
export const MODULES =
  /^(pytest|unittest|mypy|pyright|ruff|black|flake8|pylint|isort|tox|nox|doctest|compileall)$/;

/** They run the project's own scripts by name. */
export const SCRIPT_RUNNERS = /^(npm|pnpm|yarn|bun)$/;
export const SCRIPTS =
  /^(test|t|build|lint|dev|start|serve|preview|check|typecheck|type-check|types|format|fmt|e2e|unit|coverage|watch|clean|generate|codegen|docs|storybook|compile|bundle|verify|validate)([:-][\w:.-]+)?$/;

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
export const SUBCOMMANDS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    // Not grep, which can open its results with any program.
    git: /^(status|log|diff|show|add|commit|blame|switch|merge|cherry-pick|revert|describe|shortlog|ls-files)$/,
    npm: /^(ci|install|i|ls|list|outdated|audit|view|pack|why|explain)$/,
    pnpm: /^(install|i|ls|list|outdated|audit|why)$/,
    yarn: /^(install|list|outdated|audit|why)$/,
    bun: /^(install)$/,
    go: /^(build|test|vet|fmt|list|version|doc)$/,
    cargo: /^(build|test|check|clippy|fmt|doc|tree|bench|run|metadata|nextest)$/,
    dotnet: /^(build|test|restore|format)$/,
    docker: /^(ps|images|logs|inspect|build|pull|version|info)$/,
    'docker-compose': /^(ps|logs|config|images|top|up|down|build|pull|start|stop|restart)$/,
    kubectl: /^(get|describe|logs|top|explain|version|api-resources)$/,
    make: /^[a-z][\w-]*$/,
    just: /^[a-z][\w-]*$/,
    task: /^[a-z][\w:-]*$/,
    deno: /^(test|lint|fmt|check)$/,
  }),
);

/** Two words define the purpose. The pattern is for the third word. */
export const NESTED: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    'git checkout': /^-b$/,
    'git stash': /^(push|pop|list|show|apply)$/,
    'git worktree': /^(list|add)$/,
    'git submodule': /^status$/,
    'go mod': /^(tidy|download|verify|graph|why|vendor)$/,
    'docker compose': /^(ps|logs|config|images|top|ls|up|down|build|pull|start|stop|restart)$/,
    'kubectl config': /^(current-context|get-contexts|view)$/,
    'kubectl rollout': /^(status|history)$/,
    'gh pr': /^(view|list|diff|checks|status|create|comment|checkout)$/,
    'gh issue': /^(view|list|status|create|comment)$/,
    'gh run': /^(view|list|watch)$/,
    'gh repo': /^(view|list)$/,
    'gh release': /^(view|list)$/,
    'gh workflow': /^(view|list)$/,
    'gh auth': /^status$/,
    'gh search': /^(code|commits|issues|prs|repos)$/,
    'uv pip': /^(list|show|freeze|check|tree)$/,
    'turbo run': /^[\w:.-]+$/,
  }),
);

/** As the first word of an unknown program, these allow effects that cannot be predicted. */
export const EXACT_WORDS =
  /^(run|exec|x|dlx|eval|shell|sh|bash|ssh|api|install|add|apply|destroy|deploy|publish|push|upload|release|delete|rm|remove|uninstall|purge|prune|reset|login|logout|auth|config|set|secret|secrets|token|import|restore|runner|console|develop|upgrade|migrate)$/;
