/** Deny and ask rules for commands that other names of their program run: versions of packages, toolchains, and aliases. */
import { describe, expect, it } from 'vitest';
import { shell } from './test/ask.ts';

/** An allowed command runs unasked, in a mode that allows all commands. */
function decide(rule: string, command: string): string {
  const rules = { deny: [rule], allow: ['Bash', 'Bash(npx:*)', 'Bash(unknown:*)'] };
  return shell(command, { mode: 'bypassPermissions', rules }).decision;
}

/** A rule, commands that it covers, and commands that it does not. */
type Row = readonly [rule: string, covered: readonly string[], others: readonly string[]];

const PACKAGES: readonly Row[] = [
  [
    'Bash(npm publish:*)',
    [
      'npx npm@latest publish',
      'npx -y npm@10 publish',
      'npx -- npm@9 publish',
      'npx "npm@>=9 <11" publish',
      'npx npm@9 --silent publish',
      'npx npm@9 -- publish',
      'npx npm@9 "$X"',
      'npx npm@9 $(cat x)',
      'npx foo@npm:npm@9 publish',
      'npx @scope/npm@1 publish',
      'npx github:npm/cli publish',
      'npx https://example.com/npm-10.0.0.tgz publish',
      'npx --package=npm@latest npm publish',
      'pnpm dlx npm@latest publish',
      'pnpm npm@9 publish',
      'pnpx npm@9 publish',
      'bunx npm@9 publish',
      'bun x npm@9 publish',
      'yarn dlx npm@9 publish',
      'npm exec -- npm@latest publish',
      'npm exec npm@latest -- publish',
      'npm --prefix x exec npm@9 pub',
      'deno run -A npm:npm@10 publish',
      'corepack npm@9 publish',
      'sudo -u x npx npm@9 publish',
      'timeout 5 npx npm@9 publish',
      'bash -c "npx npm@9 publish"',
      'find . -exec npx npm@9 publish \\;',
      'echo publish | xargs npx npm@9',
      'x="npm@9 publish"; npx $x',
      'node /usr/lib/node_modules/npm/bin/npm-cli.js publish',
    ],
    [
      'npx npm@9 run build',
      'npx npm@9 view publish',
      'npx prettier@3 --check .',
      'npx create-x@5 publish',
      'pnpm add npm@9',
      'echo npm@9 publish',
      './npm/release.sh publish',
    ],
  ],
  [
    'Bash(twine upload:*)',
    [
      'uvx twine@5 upload x',
      'uvx twine==5 upload x',
      'uvx "twine[keyring]>=5" upload x',
      'uv tool run twine@5 upload x',
      'uv run python -m twine upload x',
      'pipx run twine==5.0 upload x',
      'python3 -m twine upload x',
      'python3 -W error -m twine upload x',
    ],
    ['uvx twine@5 check x', 'pipx run black==24 src'],
  ],
  [
    'Bash(docker push:*)',
    ['nix run nixpkgs#docker push x', 'docker run docker:24 push x', 'docker.exe push x'],
    ['docker run node:20 push', 'nix run nixpkgs#docker build', './docker/build.sh push'],
  ],
  [
    'Bash(npx prisma migrate reset:*)',
    ['npx prisma@5 migrate reset', 'npm exec -- prisma@5 migrate reset', 'npm x prisma migrate reset'],
    ['npx prisma@5 migrate dev', 'npm exec prisma generate'],
  ],
  [
    'Bash(npm install left-pad:*)',
    ['npm install left-pad@1', 'npm i left-pad@latest'],
    ['npm install left-pads@1', 'npm ci'],
  ],
];

const UNKNOWN_RUNNERS: readonly Row[] = [
  [
    'Bash(npm publish:*)',
    [
      'unknown npm --silent publish',
      'unknown run -- npm --silent publish',
      'unknown run -- npm -w a --silent publish',
      'unknown run -- /usr/bin/npm --silent publish',
      'unknown run -- ~/bin/npm publish',
      'unknown run -- npx npm@9 publish',
      'unknown npm^9 publish',
      'unknown --hook "npm --silent publish"',
      'unknown --hook="cd x; npm --silent publish"',
      'x="npm --silent publish"; unknown $x',
      'volta run npm --tag x publish',
    ],
    ['unknown npm --silent view', 'unknown run -- npm run -s publish'],
  ],
  [
    'Bash(git push:*)',
    [
      'unknown git -c a=b push',
      'unknown git --git-dir=x push',
      'unknown git-push',
      'unknown --hook "git -C x push"',
      'unknown "git -C x push"',
      'unknown "cd a && git -C x push"',
      'nix run nixpkgs#git -- push',
      'GIT -C x push',
    ],
    ['unknown git -C x status', 'unknown git -c a=push log'],
  ],
  [
    'Bash(kubectl delete:*)',
    [
      'kubectl1.27 delete pod x',
      'kubectl-1.27 -n x delete pod y',
      'minikube kubectl -- delete pod x',
      'k3s kubectl -n x delete pod y',
    ],
    ['minikube kubectl -- get pod x', 'k3s kubectl -n x get pod y'],
  ],
];

const TOOLCHAINS: readonly Row[] = [
  [
    'Bash(cargo publish:*)',
    [
      'cargo +nightly publish',
      'cargo +1.70 --locked publish',
      'cargo +nightly -v publish',
      'cargo +$T publish',
      'cargo +nightly $X',
      'CARGO +nightly publish',
      'cargo.exe +nightly publish',
      '~/.cargo/bin/cargo +nightly publish',
      'env cargo +nightly publish',
      'sudo -u x cargo +nightly publish',
      'bash -c "cargo +nightly publish"',
      'unknown run -- cargo +nightly publish',
      'rustup run nightly cargo publish',
      'rustup run nightly cargo --locked publish',
    ],
    ['cargo +nightly build', 'cargo +nightly add publish', 'rustup run nightly cargo build'],
  ],
  ['Bash(rustc:*)', ['rustc +nightly x.rs', 'rustup run nightly rustc x.rs'], ['cargo +nightly build']],
  [
    'Bash(cargo clippy --fix:*)',
    ['cargo +nightly clippy --fix', 'cargo-clippy clippy --fix'],
    ['cargo-clippy clippy'],
  ],
];

const ALIASES: readonly Row[] = [
  [
    'Bash(docker compose push:*)',
    [
      'docker-compose push',
      'docker-compose -f x push',
      'docker-compose --ansi never push',
      'docker-compose $X',
      'podman-compose push',
      'podman compose push',
      '/usr/local/bin/docker-compose push',
      'sudo docker-compose push',
      'unknown run -- docker-compose push',
    ],
    ['docker-compose up', 'docker compose up', 'podman-compose up'],
  ],
  [
    'Bash(docker-compose push:*)',
    [
      'docker compose push',
      'docker compose -f x push',
      'docker --context y compose push',
      'podman-compose push',
      'podman compose push',
    ],
    ['docker compose up', 'docker push x', 'docker ps'],
  ],
  ['Bash(docker-compose*)', ['docker compose up'], ['docker ps']],
  ['Bash(docker:*)', ['docker-compose up'], ['podman ps', 'podman-compose up']],
  [
    'Bash(python:*)',
    [
      'python3 x.py',
      'python3.12 x.py',
      '/usr/bin/python3 x.py',
      'env python3 x.py',
      'python3.12-dbg x.py',
      'python3.13t x.py',
      'py -3 x.py',
    ],
    ['pypy x.py', 'node x.js'],
  ],
  ['Bash(python3:*)', ['python x.py', 'python3.12 x.py', 'unknown python3.11 x.py'], ['ls']],
  ['Bash(python3.12*)', ['python x.py', 'python3 x.py'], ['ls']],
  [
    'Bash(pip install:*)',
    [
      'pip3 install x',
      'pip3.12 install x',
      'pip3 --quiet install x',
      'python -m pip install x',
      'python3.12 -m pip install x',
      'python3 -I -m pip install x',
      'python3 -Im pip install x',
      'python3 -mpip install x',
      'python3 -mpip --quiet install x',
    ],
    ['pip3 list', 'python3 -m pip list', 'python3 -m venv install', 'uv pip install x'],
  ],
  [
    'Bash(python3 -m pip install:*)',
    ['pip install x', 'pip3 install x', 'python -mpip install x'],
    ['pip list'],
  ],
  ['Bash(node:*)', ['nodejs x.js', '/usr/bin/nodejs x.js', 'node20 x.js'], ['npm run x']],
  ['Bash(nodejs:*)', ['node x.js'], ['npm run x']],
  ['Bash(npx:*)', ['npm exec x', 'npm x x', 'npm --yes x foo'], ['npm install x', 'npm run x']],
  ['Bash(npm exec:*)', ['npx x'], ['npm install x']],
  ['Bash(uvx ruff:*)', ['uv tool run ruff x', 'uvx ruff@1 x'], ['uvx black x']],
  ['Bash(make deploy:*)', ['gmake deploy', 'gmake -j 4 deploy'], ['gmake test']],
  ['Bash(rm:*)', ['grm a', 'RM a', '/opt/bin/grm -rf a'], ['npm rm a']],
];

describe.each([
  ['a package with a version or a source', PACKAGES],
  ['a command with options behind an unknown runner', UNKNOWN_RUNNERS],
  ['a command of a chosen toolchain', TOOLCHAINS],
  ['a program with several names', ALIASES],
])('%s', (_, rows) => {
  it.each(rows)('is never allowed beside a deny rule that covers it: %s', (rule, covered) => {
    expect(covered.filter((command) => decide(rule, command) === 'allow')).toEqual([]);
  });

  it.each(rows)('needs no question beside a deny rule for other commands: %s', (rule, _, others) => {
    expect(others.filter((command) => decide(rule, command) !== 'allow')).toEqual([]);
  });
});

it('denies a command of a chosen toolchain like the plain command', () => {
  expect(decide('Bash(cargo publish:*)', 'cargo +nightly publish')).toBe('deny');
  expect(decide('Bash(cargo publish:*)', 'env cargo +nightly publish')).toBe('deny');
});

it('asks about another name of a program beside an ask rule', () => {
  const setting = { mode: 'bypassPermissions', rules: { ask: ['Bash(docker compose push:*)'] } } as const;
  expect(shell('docker-compose push', setting).decision).toBe('ask');
  expect(shell('docker-compose up', setting).decision).toBe('allow');
});
