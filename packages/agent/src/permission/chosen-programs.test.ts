/** Programs whose version a file of the project chooses: a query of that version may run a program of the project. */
import { describe, expect, it } from 'vitest';
import { decideInFolder as decide } from './test/decide-in-folder.ts';
import type { WorldTable } from './test/world.ts';

describe('a query for the version or the help', () => {
  it.each(
    (
      'cargo rustc rustup rustfmt rust-analyzer cargo-clippy yarn pnpm corepack mvn gradle bazel bazelisk dotnet bundle composer sbt ' +
      'rake bun swift zig elixir mix erl rebar3 go poetry pipenv pytest tox pre-commit vagrant ansible hg jj lake lean ' +
      'eslint tsc jest flutter dart fvm volta rbenv pyenv asdf mise direnv just unknown-program'
    ).split(' '),
  )('asks in a folder that is not trusted, because the project may choose the program: %s', (program) => {
    for (const option of ['--version', '--help']) {
      expect(decide(`${program} ${option}`)).toBe('ask');
      expect(decide(`cd src && ${program} ${option}`)).toBe('ask');
      expect(decide(`${program} ${option} | head -n 1`, { mode: 'acceptEdits' })).toBe('ask');
      expect(decide(`${program} ${option}`, { mode: 'plan' })).toBe('deny');
      expect(decide(`${program} ${option}`, { isTrusted: true })).toBe('allow');
    }
  });

  it.each(
    (
      'node python3 deno uv ruff gcc clang make cmake docker kubectl gh jq rg bash openssl npm npx pip gem ruby php java terraform ' +
      'helm aws apt xz'
    ).split(' '),
  )('needs no question if the program does not read the project: %s', (program) => {
    expect(decide(`${program} --version`)).toBe('allow');
  });
});

describe('a command whose words name a program, a library or a script to run', () => {
  it.each([
    'rg --pre=./x a',
    'rg --pre ./x a',
    'rg --hostname-bin=./x a',
    'sort --compress-program=./x a',
    'bat --pager ./x --paging=always a',
    'bat --config-file=x a',
    'ag --pager=./x a',
    'ack --ackrc=x a',
    'nm --plugin ./x.so a',
    'ar --plugin ./x.so t a',
    'objdump --plugin=./x.so a',
    `sqlite3 x.db "select load_extension('lib/x')"`,
    `sqlite3 x.db "select edit('a','./x')"`,
    'openssl list -providers -provider-path . -provider x',
    'openssl dgst -provider-path . -provider x a',
    `awk 'BEGIN { system("./x") }'`,
    `awk 'BEGIN { "./x" | getline }'`,
    `awk '{ print | "./x" }' a`,
    'awk -f x a',
    'awk \'@load "x"\' a',
    "gawk --load=x '{print}' a",
    "gawk -l x '{print}' a",
    "sed '1e ./x' a",
    "sed 's/a/b/e' a",
    'sed -f x a',
    'sed -nf x a',
    'sed --file=x a',
    'tar tf a.tar -I ./x',
    'tar tf a.tar --use-compress-program=./x',
    'tar tf a.tar -F ./x',
    'tar tf a.tar --to-command=./x',
    'mlr --prepipe ./x cat a',
    'cloc --extract-with=./x a',
    'pip --python=./x list',
    'find . -exec ./x {} +',
    'find . -name x | xargs ./x',
    'nm --plug=./x.so a',
    'nm @x',
    'objdump @x',
    'ar t a --plug ./x.so',
    "gawk --loa=x '{print}' a",
    'gawk --fil=x a',
    "gawk --inc=x '{print}' a",
    'gawk \'@ load "x"\' a',
    `gawk 'BEGIN { f = "system"; @f("./x") }'`,
    `gawk 'BEGIN { f = "system"; @ f ("./x") }'`,
    `awk -v c=./x '{ print | c }' a`,
    `awk -v c=./x '{ print ";" | c }' a`,
    `awk -v c=./x 'BEGIN { c | getline }'`,
    `awk 'BEGIN { system ("./x") }'`,
    'awk "$X" a',
    'awk *.txt',
    'awk -v x=$y "$z" a',
    'cloc --extr=./x',
    'cloc -EXTR=./x a',
    'cloc --vcs=./x',
    'ack --pag=./x a',
    'ag --pag=./x a',
    'dc x',
    'echo 1 | dc',
    "dc -e '!./x'",
    "dc -e '?'",
    'cpio -t --rsh-command=./x -F host:a',
    'cpio -t --rsh=./x -F host:a',
    `mlr --icsv --ojson filter '$a > 1 || $b < 2' a.csv`,
    `mlr --icsv filter '$a == "x|y"' a.csv`,
    `mlr -n put 'end { print 1 }'`,
    'mlr --icsv cut -f a then head -n 4 a.csv',
    "dc -e '1 2 + p'",
    'mlr regtest',
    'mlr repl < a',
    'cpio -tF a.cpio',
    'pip freeze --path .',
    'pip list -e',
    "rpm -qp --qf='%{summary:expand}' a.rpm",
    "rpm -qa --queryformat='%{name}'",
    'az --version',
    'gcloud --help',
    'ansible-lint --version',
    'mlr --load ./x cat a',
    'mlr --mload ./x -- cat a',
    'mlr --icsv put -f x a',
    'mlr -s x',
    `mlr --icsv put 'print | "./x"' a`,
    `mlr --icsv put 'print | $a' a`,
    `mlr --icsv put '$b = system("./x")' a`,
    'apt-cache -qoX=./x policy',
    'apt-cache -o X=./x policy',
    `sqlite3 x.db 'select "edit"(a,"x") from t'`,
    `sqlite3 x.db 'select edit/**/(a,"x") from t'`,
    'git help log',
    'git log --help',
    'rg --unknown-option x a',
    'sqlite3 x.db .tables',
    "sqlite3 x.db 'select 1'",
    "sqlite3 x.db 'select edit from t'",
    'git log --some-new-option',
    'ls; rg --pre ./x a',
    'for f in a; do rg --pre ./x "$f"; done',
  ])('asks in a folder that is not trusted: %s', (command) => {
    expect(decide(command)).toBe('ask');
    expect(decide(command, { mode: 'acceptEdits' })).toBe('ask');
    expect(decide(command, { mode: 'plan' })).toBe('deny');
  });

  it.each([
    'rg --pre ./x a',
    'bat --pager ./x a',
    `awk 'BEGIN { system("./x") }'`,
    'sed -f x a',
    'git log --help',
  ])('runs in the view in a trusted folder: %s', (command) => {
    expect(decide(command, { isTrusted: true })).toBe('allow');
  });

  it.each([
    'bat a.ts',
    'nm -C a.o',
    'openssl dgst -sha256 a',
    `awk '$3 > 100 { print $1 }' a`,
    "sed -n '/a/,/b/{p;q}' a",
    'tar tzvf a.tgz',
    `awk '/user@example/ {print $1}' a`,
    `awk '/operating system/ {print}' a`,
    `awk '/foo|bar/ { print $1 }' a`,
    `awk '$1 > 1 || $2 < 2 { print $1 }' a`,
    `awk -vid=3 '$1 == id' a`,
    'awk -F: "{ print }" a',
    `for f in a b; do awk '/x@y/ { n++ } END { print n }' "$f"; done`,
    `awk '/x@y/ { print $1 }' src/*.txt`,
    "echo '1 + 1' | bc -l",
    'pip list',
    'jq -f x a',
  ])('needs no question without such words: %s', (command) => {
    expect(decide(command)).toBe('allow');
  });
});

describe('a client of docker', () => {
  const COMMANDS = [
    'docker ps',
    'docker ps -a | head',
    'docker images',
    'docker version',
    'docker container ls',
    'docker image ls',
    'docker volume ls',
    'docker network ls',
    '/usr/bin/docker ps',
    'for f in a; do docker ps; done',
  ];

  it.each([true, false])('asks if its service is on another machine (view: %s)', (view) => {
    for (const command of COMMANDS) {
      expect([command, decide(command, { view })]).toEqual([command, 'allow']);
      for (const isTrusted of [true, false])
        expect([command, decide(command, { table: { hasRemoteDocker: true }, view, isTrusted })]).toEqual([
          command,
          'ask',
        ]);
    }
    expect(decide('docker --version', { table: { hasRemoteDocker: true }, view })).toBe('allow');
    for (const command of [
      'docker --help',
      '/usr/bin/docker --help',
      'docker --help | head',
      'if docker --help; then ls; fi',
    ]) {
      expect(decide(command, { view })).toBe('allow');
      expect(decide(command, { table: { hasRemoteDocker: true }, view })).toBe('ask');
    }
  });

  it.each([
    'docker -H ssh://host ps',
    'docker --host=tcp://host ps',
    'docker --context x ps',
    'docker -c x ps',
    'DOCKER_HOST=ssh://host docker ps',
    'DOCKER_CONTEXT=x docker ps',
    'export DOCKER_HOST=ssh://host; docker ps',
    'env DOCKER_HOST=ssh://host docker ps',
    'docker --config . ps',
    'podman ps',
    'podman --remote ps',
    'podman --url ssh://host ps',
    'podman --connection x images',
    'CONTAINER_HOST=ssh://host podman version',
    'kubectl get pods',
    'helm list',
  ])('asks if its words may name another service: %s', (command) => {
    expect(decide(command)).toBe('ask');
    expect(decide(command, { view: false })).toBe('ask');
  });
});

const HOME = '/people/user';
const SHIMS = [
  '.asdf/shims',
  '.pyenv/shims',
  '.rbenv/shims',
  '.nodenv/shims',
  '.jenv/shims',
  '.goenv/shims',
  '.local/share/mise/shims',
  '.proto/shims',
  '.tfenv/bin',
  '.volta/bin',
  '.tenv/bin',
];
const COMMANDS = [
  'node --version',
  'node -v',
  'python3 --version',
  'python3 -V',
  'perl -v',
  'jq . a.json',
  'rg x src',
  'ls | xargs jq .',
  'find . -name x -exec cat {} +',
  'fd x',
  'java -version',
  'terraform --version',
  'pip list',
  'npm ls',
  'git log',
  'git status',
  'NO_COLOR=1 rg x',
  'timeout 5 rg x',
  'if true; then rg x; fi',
  'for f in a b; do jq . "$f"; done',
  'echo "$(node --version)"',
];
const NAMES = 'node python3 perl jq rg fd java terraform pip npm git cat'.split(' ');

function tableWith(folder: string, links: Readonly<Record<string, string>> = {}): WorldTable {
  const files = NAMES.map((name) => `${folder}/${name}`);
  return { files, links, environment: { PATH: `${folder}:/usr/bin:/bin` } };
}

describe('a program of a version manager', () => {
  it.each(SHIMS)('needs trust in the view: ~/%s', (folder) => {
    const table = tableWith(`${HOME}/${folder}`);
    for (const command of COMMANDS) {
      expect([command, decide(command, { table })]).toEqual([command, 'ask']);
      expect([command, decide(command, { table, mode: 'plan' })]).toEqual([command, 'deny']);
      expect([command, decide(command, { table, isTrusted: true })]).toEqual([command, 'allow']);
    }
  });

  it.each([
    'rustup',
    'mise',
    'volta-shim',
    'aqua-proxy',
    'swiftly',
    'elan',
    'asdf',
    'bazelisk-linux-amd64',
    'julialauncher',
    'corepack/dist/yarn.js',
  ])('is known by the target of its link: %s', (manager) => {
    const folder = `${HOME}/.programs/bin`;
    const links = Object.fromEntries(NAMES.map((name) => [`${folder}/${name}`, `/opt/${manager}`]));
    const table = tableWith(folder, links);
    for (const command of COMMANDS) expect([command, decide(command, { table })]).toEqual([command, 'ask']);
  });

  const PROVEN = ['node -v', 'jq . a.json', 'rg x src', 'fd x', 'git log', 'timeout 5 rg x'];

  it.each(['.asdf/shims', '.local/share/mise/shims', '.pyenv/shims'])(
    'is proven in a trusted folder: ~/%s',
    (folder) => {
      const table = tableWith(`${HOME}/${folder}`);
      for (const command of PROVEN) {
        expect([command, decide(command, { table, view: false, isTrusted: true })]).toEqual([
          command,
          'allow',
        ]);
        expect([command, decide(command, { table, view: false })]).toEqual([command, 'ask']);
      }
      for (const name of ['MISE_ENV', 'ASDF_DEFAULT_TOOL_VERSIONS_FILENAME']) {
        const other = { ...table, environment: { ...table.environment, [name]: 'x' } };
        expect(decide('rg x', { table: other, view: false, isTrusted: true })).toBe('ask');
      }
    },
  );

  it.each(['.volta/bin', '.proto/shims', '.nodenv/shims', '.tfenv/bin'])(
    'is not proven in a trusted folder if edits can choose its version: ~/%s',
    (folder) => {
      for (const command of PROVEN)
        expect([
          command,
          decide(command, { table: tableWith(`${HOME}/${folder}`), view: false, isTrusted: true }),
        ]).toEqual([command, 'ask']);
    },
  );

  it.each(['.tool-versions', 'mise.toml', '.nvmrc', 'sub/.node-version', '.python-version', '.ruby-version'])(
    'asks about edits of the file that chooses its version: %s',
    (name) => {
      expect(decide(`touch ${name}`, { mode: 'acceptEdits', isTrusted: true })).toBe('ask');
    },
  );

  it('does not count after an ordinary program of the same name', () => {
    const folder = `${HOME}/.asdf/shims`;
    const system = NAMES.map((name) => `/usr/bin/${name}`);
    const shims = tableWith(folder).files ?? [];
    const table = { files: [...shims, ...system], environment: { PATH: `/usr/bin:${folder}` } };
    for (const command of COMMANDS) expect([command, decide(command, { table })]).toEqual([command, 'allow']);
  });

  it('counts after a program of the project, a folder, or a link without a target', () => {
    const folder = `${HOME}/.asdf/shims`;
    const shims = tableWith(folder).files ?? [];
    const PATH = `/repo/project/tools:/opt/bin:${folder}`;
    for (const table of [
      { files: [...shims, '/repo/project/tools/rg'] },
      { files: [...shims, '/opt/bin/rg', '/opt/bin/rg/.'] },
      { files: [...shims, '/opt/bin/rg'], links: { '/opt/bin/rg': '/opt/missing' } },
    ])
      expect(decide('rg x', { table: { ...table, environment: { PATH } } })).toBe('ask');
  });

  it('is an ordinary program in an ordinary folder', () => {
    for (const folder of ['/usr/local/bin', `${HOME}/.local/bin`, '/opt/tools/bin'])
      for (const command of COMMANDS)
        expect([command, decide(command, { table: tableWith(folder) })]).toEqual([command, 'allow']);
  });

  it.each([
    'command node -v',
    'ls | xargs -n1 jq .',
    'ls | xargs -n 1 jq .',
    'ls | xargs env jq .',
    'find . -exec jq . {} +',
    "find . -name x -exec env jq . {} ';'",
  ])('is found behind a program that starts it: %s', (command) => {
    expect(decide(command, { table: tableWith(`${HOME}/.asdf/shims`) })).toBe('ask');
  });

  it('does not concern commands that only name it', () => {
    const table = tableWith(`${HOME}/.asdf/shims`);
    for (const command of [
      'ls',
      'grep node a',
      'echo jq',
      'wc -l a',
      'cd src && ls',
      'command -v node',
      'command -v cargo && echo y',
      'find . -name node',
      'find . -path ./node_modules -prune -o -name jq -print',
      'find . -name x -exec grep -l jq {} +',
      'ls | xargs -n1 echo node',
      'ls | xargs -n 1 echo node',
    ])
      expect([command, decide(command, { table })]).toEqual([command, 'allow']);
  });
});

describe('a compiler behind a cache', () => {
  const COMPILERS = 'gcc g++ cc c++ clang clang++'.split(' ');
  const commandsFor = (name: string): readonly string[] => [
    `${name} --version`,
    `${name} --help`,
    `${name} --version | head -n 1`,
    `timeout 5 ${name} --version`,
    `echo "$(${name} --version)"`,
    `if ${name} --version; then echo y; fi`,
  ];

  const expectQuestions = (table: WorldTable): void => {
    for (const name of COMPILERS)
      for (const command of commandsFor(name)) {
        for (const view of [true, false])
          expect([command, decide(command, { table, view })]).toEqual([command, 'ask']);
        expect([command, decide(command, { table, view: false, isTrusted: true })]).toEqual([command, 'ask']);
        expect([command, decide(command, { table, mode: 'plan' })]).toEqual([command, 'deny']);
      }
  };

  it.each([
    '/usr/bin/ccache',
    '/usr/bin/distcc',
    '/opt/bin/sccache',
    '/usr/bin/icecc',
    '/usr/bin/colorgcc',
    '/opt/goma/gomacc',
    '/opt/buildcache/bin/buildcache',
    '/usr/bin/ccache-4.9',
    '/opt/homebrew/Cellar/ccache/4.9/bin/ccache',
    '/usr/bin/rewrapper',
  ])('asks if the compiler is a link to it: %s', (cache) => {
    const files = COMPILERS.map((name) => `/opt/compilers/${name}`);
    const links = Object.fromEntries(files.map((file) => [file, cache]));
    const environment = { PATH: '/opt/compilers:/usr/bin' };
    expectQuestions({ files: [...files, cache], links, environment });
  });

  it.each([
    '/usr/lib/ccache',
    '/usr/lib64/ccache',
    '/usr/lib/distcc',
    '/usr/lib/icecc/bin',
    `${HOME}/.ccache/bin`,
  ])('asks if the compiler is in its folder: %s', (folder) => {
    const files = COMPILERS.flatMap((name) => [`${folder}/${name}`, `/usr/bin/${name}`]);
    expectQuestions({ files, environment: { PATH: `${folder}:/usr/bin` } });
    for (const name of COMPILERS)
      for (const command of commandsFor(name))
        expect([
          command,
          decide(command, { table: { files, environment: { PATH: `/usr/bin:${folder}` } } }),
        ]).toEqual([command, 'allow']);
  });

  it('needs no question if the compiler is behind other links', () => {
    const files = COMPILERS.map((name) => `/usr/bin/${name}`);
    const links = Object.fromEntries(
      COMPILERS.flatMap((name) => [
        [`/usr/bin/${name}`, `/etc/alternatives/${name}`],
        [`/etc/alternatives/${name}`, `/usr/bin/x86_64-linux-gnu-${name}-14`],
      ]),
    );
    const table = { files: [...files, ...Object.values(links)], links, environment: { PATH: '/usr/bin' } };
    for (const name of COMPILERS)
      for (const command of commandsFor(name))
        expect([command, decide(command, { table })]).toEqual([command, 'allow']);
  });
});
