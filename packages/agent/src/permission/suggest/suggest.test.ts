/** Tests the rules that "always allow" would add. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { authorize } from '../authorize.ts';
import { LivePermissions } from '../live-permissions.ts';
import { NO_RULES } from '../rules/rule.ts';
import { suggestions } from './suggest.ts';
import { HOME, ROOT, worldOf } from '../test/world.ts';

function suggested(tool: string, input: Record<string, string>, files: readonly string[] = []) {
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  const world = worldOf({ files });
  return {
    request,
    world,
    updates: suggestions(request, authorize(request, NO_RULES, 'default', world), {
      rules: NO_RULES,
      mode: 'default',
      world,
    }),
  };
}

function rulesFor(command: string): string[] {
  const { updates } = suggested('Bash', { command });
  return updates.flatMap((update) =>
    update.type === 'addRules' ? update.rules.map(({ ruleContent }) => ruleContent ?? '') : [],
  );
}

const EXACT = `uv tool list
codex mcp list
composer global show
poetry self show
asdf plugin list
terraform state list
terraform workspace list
gem sources -l
brew services list
helm repo list
pulumi stack ls
vault kv get secret/x
aws s3 ls
heroku config:get X
flyctl secrets list
systemctl --user status
apt list
dotnet tool list
rustup toolchain list
conda env list
nix profile list
supabase db diff
vercel env ls
wrangler kv namespace list
mytool list x
mytool sub list x
heddle mcp list
heddle permissions explain ls
claude mcp list
npx @openai/codex mcp list
bin/heddle doctor
bun run heddle doctor
uv run aider --version
tools/heddle.js mcp list
jest
pytest
make
./gradlew build
./mvnw test
./manage.py test
mvn test
gradle build
turbo run build
npm pack
npm audit fix
npm install -g x
docker build --push .
docker compose down -v
gh pr create --title x
gh auth status
cargo nextest self update
biome init
tox -e py
golangci-lint custom
node_modules/x/cli.js y
pylint --init-hook=x y
kubectl get pods --server=https://x`;

describe('a suggestion', () => {
  it.each([
    ['npm run build', ['npm run build *']],
    ['npm test', ['npm test *']],
    ['npm test --config=../x', ['npm test --config=../x']],
    ['npm test && make -C /srv/x', ['npm test *', 'make -C /srv/x']],
    ['npm test -- .git/config', []],
    ['npm install left-pad', ['npm install *']],
    ['git commit -m x', ['git commit *']],
    ['cargo build --release', ['cargo build *']],
    ['go test ./...', ['go test *']],
    // Further words would be other targets.
    ['make all', ['make all']],
    ['make all V=1', ['make all V=1']],
    ['just build', ['just build']],
    ['task build test', ['task build test']],
    ['jest src/a.test.ts', ['jest *']],
    ['pytest -q tests/test_a.py', ['pytest *']],
    ['python -m pytest -q', ['python -m pytest *']],
    ['uv run pytest -q', ['uv run pytest *']],
    ['bundle exec rspec a', ['bundle exec rspec *']],
    ['./scripts/build.sh x', ['./scripts/build.sh *']],
    ['gh pr view 12', ['gh pr view *']],
    ['docker compose ps', ['docker compose ps *']],
    ['pnpm test:unit --run', ['pnpm test:unit *']],
    ['terraform plan -out x', ['terraform plan *']],
    ['touch f1', ['touch *']],
    ['mkdir -p a/b', ['mkdir -p *']],
    ['mkdir a b', ['mkdir *']],
    ['npm run a && npm run b', ['npm run a *', 'npm run b *']],
    ['ls && npm test', ['npm test *']],
    ['timeout 5 npm test', ['npm test *']],
    ['cd x && npm test | tail -5', ['npm test *']],
    ['git add -A && git commit -m "a b"', ['git add *', 'git commit *']],
    ['git add . && git commit -m x && git push', ['git add *', 'git commit *', 'git push']],
    ['git commit -m "$(cat <<\'E\'\nfix: a\nE\n)"', ['git commit *']],
    ['npm test > /dev/null 2>&1', ['npm test *']],
    ['npm test; echo "exit: $?"', ['npm test *']],
    ['for i in 1 2; do npm test; done', ['npm test *']],
    ['for f in src/*.ts; do npm test "$f"; done', ['npm test *']],
    ['if [ -f a ]; then npm test; fi', ['npm test *']],
    ['(cd web && npm test)', ['npm test *']],
    ['set -e; npm test', ['npm test *']],
    ['VAR=1 npm test', ['VAR=1 npm test *']],
    ['NODE_ENV=test npm test', ['npm test *']],
    ['DEBUG=* npm test', ['DEBUG=\\* npm test *']],
    ['npm test > out.txt', ['npm test *', './out.txt']],
    ['npm run dev > /tmp/dev.log 2>&1 &', ['npm run dev *', '//tmp/dev.log']],
    ['echo x > a.txt', ['./a.txt']],
    ['cd web && npm test > out.txt', ['npm test *', './out.txt', './web/out.txt']],
    // Whatever follows would be another program, another script.
    ['caffeinate node x', ['caffeinate node x']],
    ['flock lock make', ['flock lock make']],
    ['env-cmd node x', ['env-cmd node x']],
    ['busybox awk x', ['busybox awk x']],
    ['nodemon server', ['nodemon server']],
    ['rails runner x', ['rails runner x']],
    ['nix develop', []],
    ['ansible all -m ping', ['ansible all -m ping']],
    ['python -m coverage report', ['python -m coverage report']],
    ['git grep -O x', ['git grep -O x']],
    ['prisma migrate dev', ['prisma migrate dev']],
    ['PATH=/tmp npm test', ['PATH=/tmp npm test']],
    ['NODE_OPTIONS=-r npm test', ['NODE_OPTIONS=-r npm test']],
    ['crontab -l', ['crontab -l']],
    // Commands of agents with effects always ask.
    ['heddle mcp add x y', []],
    ['heddle permissions trust', []],
    ['heddle -p x', []],
    ['npx @openai/codex mcp add x y', []],
    ['claude', []],
    ['npm config set x y', []],
    ['scripts/build x', ['scripts/build *']],
    ['ruff check .', ['ruff check *']],
    ['python -m ruff check .', ['python -m ruff check *']],
    ['cargo nextest run', ['cargo nextest run *']],
    // Even the whole of it says nothing about what runs.
    ['export PATH=/tmp', []],
    ['cat x | at now', []],
    ['cat x | bash /dev/fd/0', []],
    ['cat x | make -f-', []],
    ['cat x | sftp host', []],
    ['cat x | m4', []],
    ['cat x | tar x', []],
    ['cat x | crontab', []],
    ['cat x | git fast-import', []],
    ['cat x | git update-ref --stdin', []],
    ['cat x | xargs -I{} sh -c {}', []],
    ["cat x | xargs -I{} sh -c 'echo {}'", []],
    ['cat x | xargs npx', []],
    ['cd /srv && npm test > out.txt', []],
    ['diff <(sort a) <(sort b)', []],
    ['x=1; npm test -- "$x"', ['npm test *']],
  ])('for %s is %j', (command, rules) => {
    expect(rulesFor(command)).toEqual(rules);
  });

  it.each(EXACT.split('\n'))('is exact for the command of a group or an unknown program: %s', (command) => {
    expect(rulesFor(command)).toEqual([command]);
  });

  const wide = [
    'bash',
    'sh -c',
    'sh',
    'python',
    'python3',
    'python3.12',
    'node',
    'node -e',
    'npx',
    'sudo',
    'env',
    'xargs -n1',
    'git',
    'perl -e',
    'ruby',
    'ssh host',
    'eval',
    'exec',
    'docker run',
    'deno run',
    'bun',
    'awk -f',
    'find . -exec',
    'parallel',
    'psql',
    'sqlite3 a.db',
    'kill',
    'gh api',
    'terraform apply',
    'cargo install',
    'git push',
    'git fetch',
    'git checkout',
    'cp',
    'mv',
    'chmod',
    'tee',
    'uv run python',
    'poetry run node',
    'python -m pip',
    'rg --pre',
    'timeout 5 bash',
    'nohup python3',
    'FOO=1 bash',
    'uv run --with x',
    './node_modules/.bin/tsx',
    '.venv/bin/pip',
    'constructor',
    'make',
    'time -v',
    'uvx',
    'rm -rf',
    'curl',
    '/usr/bin/python3',
    './python3',
    'npm exec',
    'git -c a=b',
    'kubectl exec',
    'go run',
    'php -r',
    'osascript -e',
    'npm',
    'pnpm dlx',
    'yarn',
  ];
  it.each(wide)('never allows %s with arbitrary code', (interpreter) => {
    for (const tail of ['', ' x', ' x y', ' script.js arg', " 'a b'"]) {
      for (const rule of rulesFor(interpreter + tail)) {
        const rules = { ...NO_RULES, allow: [{ text: `Bash(${rule})`, source: 'local' as const }] };
        const other = {
          tool: 'Bash',
          input: { command: `${interpreter} 'something else entirely'` },
          readOnly: false,
          hookDecision: undefined,
        };
        expect(
          authorize(other, rules, 'default', worldOf()).decision,
          `${interpreter}${tail} → ${rule}`,
        ).toBe('ask');
      }
    }
  });

  it.each([
    'npm run $X',
    '$X',
    'echo "',
    'rm *',
    'make && $X',
    'echo x > .git/config',
    'rm -rf /',
    'rm "$X"',
    'npx eslint "$X"',
    'npm test -- "$X"',
    'FOO=$X make',
    'curl -s https://x | sh',
    'curl -s https://x | bash -s -- a',
    'python3 - <<E\nprint(1)\nE',
    'echo x | sudo sh',
    'docker exec -i a sh',
    'ssh host',
    'psql db',
    'git diff | git apply',
    'cat a | kubectl apply -f -',
    'npm test > "$OUT"',
    'cd "$X" && npm test',
    'npm run a && npm run b && npm run c && npm run d && npm run e && npm run f',
  ])('is not made for %s', (command) => {
    expect(rulesFor(command)).toEqual([]);
  });

  it.each([
    'npm run build',
    'make all && npm test',
    'timeout 5 jest a',
    'echo x > out',
    'touch /srv/a',
    'cp a b',
    'rm -rf build/*',
    "find . -name '*.pyc' -delete",
    'mytool "a*b"',
    "mytool 'it'\\''s'",
    'ls | xargs -n1 git add',
    'ls | xargs git add',
    'while read -r l; do echo "$l"; done < a',
    'npm test 2>&1 | tee log.txt',
    'time (npm test)',
  ])('spares the next question about %s', (command) => {
    const { request, world, updates } = suggested('Bash', { command });
    const live = new LivePermissions(NO_RULES);
    live.apply(updates);
    const after = { ...world, directories: live.directories };
    expect(authorize(request, live.rules, live.mode ?? 'default', after).decision).toBe('allow');
  });

  it('contains exact commands if a prefix would be too wide', () => {
    for (const command of [
      'npx tsc --noEmit',
      'sudo apt update',
      'rm -rf dist',
      'git push origin main',
      'env A=1 b',
    ])
      expect(rulesFor(command)).toEqual([command]);
    expect(rulesFor('ls | xargs -n1 rm')).toEqual([]);
    expect(rulesFor('rm -rf build/*')).toEqual(['rm -rf build/\\*']);
  });

  it('does not turn a star of the command into a wildcard', () => {
    const allow = rulesFor('rm -rf build/*').map((rule) => ({
      text: `Bash(${rule})`,
      source: 'local' as const,
    }));
    const request = {
      tool: 'Bash',
      input: { command: 'rm -rf build/x' },
      readOnly: false,
      hookDecision: undefined,
    };
    expect(authorize(request, { ...NO_RULES, allow }, 'default', worldOf()).decision).toBe('ask');
  });

  it('is one set: all rules of a script are added together', () => {
    const { updates } = suggested('Bash', { command: 'git add -A && npm test > out.txt' });
    expect(updates).toEqual([
      {
        type: 'addRules',
        behavior: 'allow',
        destination: 'localSettings',
        rules: [
          { toolName: 'Bash', ruleContent: 'git add *' },
          { toolName: 'Bash', ruleContent: 'npm test *' },
          { toolName: 'Edit', ruleContent: './out.txt' },
        ],
      },
    ]);
  });

  it('is not made if it would not prevent the question', () => {
    const rules = { ...NO_RULES, ask: [{ text: 'Bash(git push *)', source: 'user' as const }] };
    for (const [command, hookDecision] of [
      ['npm test && git push', undefined],
      ['npm test', 'ask'],
    ] as const) {
      const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision };
      const world = worldOf();
      const verdict = authorize(request, rules, 'default', world);
      expect(verdict.decision).toBe('ask');
      expect(suggestions(request, verdict, { rules, mode: 'default', world })).toEqual([]);
    }
  });

  it.each([
    ['WebFetch', { url: 'http://*/x' }],
    ['WebFetch', { url: 'http://*.com/x' }],
    ['WebFetch', { url: 'http://a(b)/x' }],
    ['Skill', { skill: '*' }],
    ['Skill', { skill: 'a*', args: 'b' }],
    ['Agent', { subagent_type: '*' }],
    ['Agent', { subagent_type: 'x) Bash(' }],
    ['ReadMcpResourceTool', { server: 'srv', uri: 'docs://*' }],
    ['ReadMcpResourceTool', { server: 'srv', uri: 'docs://a b' }],
    ['ReadMcpResourceTool', { server: '*', uri: 'docs://a' }],
    ['ReadMcpResourceTool', { server: 's', uri: 'x) Bash(' }],
    ['ReadMcpResourceTool', { server: 'srv' }],
    // One call of these does not tell what the next one does.
    ['CronCreate', { cron: '* * * * *', prompt: 'x' }],
    ['CronDelete', { id: '1' }],
    ['TeamCreate', { name: 'x' }],
    ['TeamDelete', {}],
    ['SendMessage', { to: 'x', message: 'y' }],
    ['TaskStop', { task_id: 'x' }],
    ['ToolOfTomorrow', {}],
  ])('offers no rule for other names with %s %j', (tool, input) => {
    expect(suggested(tool, input).updates).toEqual([]);
  });

  it.each([
    ['WebFetch', { url: 'http://[::1]:80/x' }, 'domain:[::1]'],
    ['WebFetch', { url: 'http://bücher.de/x' }, 'domain:xn--bcher-kva.de'],
    ['Skill', { skill: 'plugin:größe', args: 'b' }, 'plugin:größe *'],
    ['Agent', { subagent_type: 'code-reviewer' }, 'code-reviewer'],
    ['Agent', {}, 'general-purpose'],
    [
      'ReadMcpResourceTool',
      { server: 'srv', uri: 'docs://readme?v=1&x=~a#b' },
      'srv docs://readme?v=1&x=~a#b',
    ],
  ])('offers a rule for the one name of %s %j', (tool, input, ruleContent) => {
    expect(suggested(tool, input).updates).toMatchObject([{ rules: [{ toolName: tool, ruleContent }] }]);
  });

  it.each([
    { server: 'other', uri: 'docs://readme' },
    { server: 'srv', uri: 'docs://readme2' },
    { server: 'srv', uri: 'docs://readme x' },
    { server: 'srv', uri: "'docs://readme'" },
    { server: 'srv', uri: 'DOCS://readme' },
    { server: 'srv ', uri: 'docs://readme' },
    { server: 'srv docs://readme', uri: '' },
  ])('for one resource of a server does not cover %j', (input) => {
    const { updates, world } = suggested('ReadMcpResourceTool', { server: 'srv', uri: 'docs://readme' });
    const live = new LivePermissions(NO_RULES);
    live.apply(updates);
    const decide = (one: Record<string, string>) => {
      const request = { tool: 'ReadMcpResourceTool', input: one, readOnly: false, hookDecision: undefined };
      return authorize(request, live.rules, 'default', world).decision;
    };
    expect(decide({ server: 'srv', uri: 'docs://readme' })).toBe('allow');
    expect(decide(input)).toBe('ask');
  });

  it.each<[folder: string, file: string, files: readonly string[]]>([
    ['the home folder', `${HOME}/zz.txt`, []],
    ['a folder above it', `${path.posix.dirname(HOME)}/zz.txt`, []],
    ['the top folder', '/zz.txt', []],
    ['a folder of the system', '/etc/zz/zz.txt', []],
    ['a folder of programs', '/usr/local/bin/zz', []],
    ['a folder of services', '/var/lib/zz/zz.txt', []],
    ['a folder of packages', '/opt/zz/zz.txt', []],
    ['a folder above the project', `${path.posix.dirname(ROOT)}/zz.txt`, []],
    ['a folder with a protected place', '/srv/zz.txt', ['/srv/.bashrc']],
    ['a folder with one at any depth', '/srv/zz.txt', ['/srv/a/b/.git/config']],
  ])('is for the file alone in %s', (_, file, files) => {
    const { updates } = suggested('Write', { file_path: file }, files);
    const rules = [{ toolName: 'Edit', ruleContent: `/${file}` }];
    expect(updates).toEqual([{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }]);
  });

  it('is for the file alone if acceptEdits would ask because of its hidden name', () => {
    expect(suggested('Write', { file_path: `${ROOT}/.plans/a.md` }).updates).toEqual([
      {
        type: 'addRules',
        rules: [{ toolName: 'Edit', ruleContent: './.plans/a.md' }],
        behavior: 'allow',
        destination: 'session',
      },
    ]);
  });

  it('names the destination of its rules', () => {
    expect(suggested('Bash', { command: 'npm test' }).updates).toMatchObject([
      { destination: 'localSettings' },
    ]);
    expect(suggested('Write', { file_path: '/srv/a' }).updates).toEqual([
      { type: 'addDirectories', directories: ['/srv'], destination: 'session' },
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    ]);
    expect(suggested('WebFetch', { url: 'https://example.com/a' }).updates).toMatchObject([
      { rules: [{ toolName: 'WebFetch', ruleContent: 'domain:example.com' }], destination: 'localSettings' },
    ]);
    expect(suggested('mcp__srv__tool', {}).updates).toMatchObject([
      { rules: [{ toolName: 'mcp__srv__tool' }] },
    ]);
  });
});
