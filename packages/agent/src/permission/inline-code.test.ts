/** Code that a program gets in its words or on its input, beside a rule that denies a command. */
import { describe, expect, it } from 'vitest';
import { shell, type Setting } from './test/ask.ts';

const DENIED: Setting = { mode: 'bypassPermissions', rules: { deny: ['Bash(rm:*)'] } };

describe('beside a rule that denies a command, a question is needed for', () => {
  it.each([
    'uv run - <<E\nimport os\nE',
    "echo 'import os' | uv run -",
    'uv run --with x - <<< x',
    'uv run -q - <<< x',
    'uv run /dev/stdin <<< x',
    'echo x | bun run -',
    'bun run --cwd src - <<< x',
    'hatch run - <<< x',
    'bundle exec rails runner - <<< x',
    'deno run - <<< x',
    'deno run -A --config a.json - <<< x',
    'npx zx - <<< x',
    'npx tsx@4 - <<< x',
    'pnpm dlx tsx@latest <<< x',
    'wp eval-file - < a',
  ])('standard input behind a runner: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('ask');
  });

  it.each([
    "pnpm dlx tsx -e 'a(1)'",
    "pnpm exec tsx -e 'a(1)'",
    "yarn dlx tsx -e 'a(1)'",
    "npx tsx -e 'a(1)'",
    "npx -y tsx@latest --eval 'a(1)'",
    "npm exec -- tsx -e 'a(1)'",
    "bun run -e 'a(1)'",
    "deno eval 'a(1)'",
    "deno run 'data:text/javascript,a(1)'",
    "npx deno@2 eval 'a(1)'",
    "uvx --from ipython ipython -c 'a'",
    "bb '(shell x)'",
    "swipl -g 'shell(x)'",
    `mongosh --nodb --eval 'require("child_process")'`,
  ])('code for an interpreter behind a runner: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('ask');
  });

  it.each([
    "python manage.py shell -c 'import os'",
    './manage.py shell < a.py',
    "python -m django shell --command 'a()'",
    "php artisan tinker --execute='a();'",
    'php artisan tinker --execute=$CODE',
    "./vendor/bin/sail tinker <<< 'a()'",
    "rails runner 'a(1)'",
    'bin/rails runner "$X"',
    "bundle exec rails r 'a(1)'",
    "timeout 5 rails runner 'a(1)'",
    'echo x | rails console',
    'rails c <<< x',
    'flask shell <<< x',
    "mix run -e 'System.cmd(x)'",
    "mix run --no-halt -e'System.cmd(x)'",
    "mix eval 'System.cmd(x)'",
    "iex -e 'a'",
    "wp eval 'unlink(1);'",
    "wp --path=x eval 'unlink(1);'",
    "drush php:eval 'unlink(1);'",
    "drush ev 'unlink(1);'",
    'drush php <<< x',
    "n98-magerun dev:console 'a();'",
    "docker-compose exec web rails runner 'a(1)'",
  ])('code for a console: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('ask');
  });

  it.each([
    "mytool -e 'a(1)'",
    "mytool -e'a(1)'",
    "mytool -pe 'a b'",
    "mytool -c 'import os'",
    "mytool --eval='a(1)'",
    "mytool --execute 'a; b'",
    "mytool --eval-code 'a(1)'",
    'x=\'a(1)\'; mytool -e "$x"',
    `mytool -x 'system("r" + "m")'`,
    `mytool "system('r' . 'm')"`,
    `mytool --run='call("r" + "m")'`,
    "nohup mytool -e 'a(1)'",
    "npx mytool -e 'a(1)'",
  ])('a text that may be code for any other program: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('ask');
  });
});

it.each(['docker-compose exec web rm -rf x', 'docker-compose -f a.yml run web rm x', 'pnpm x rm x'])(
  'finds the denied command behind a runner: %s',
  (command) => {
    expect(shell(command, DENIED).decision).toBe('deny');
  },
);

describe('beside a rule that denies a command, no question is needed for', () => {
  it.each([
    'uv run pytest',
    'uv run ruff check - < a',
    'uv run black - < a',
    'uv pip install -r - < a',
    'npx prettier --stdin-filepath a.ts - < a.ts',
    'deno run -A main.ts',
    'deno run --allow-net=x main.ts',
    'bun run dev',
    'bun run -b dev',
    'bun run src/a.ts',
    'pnpm exec eslint src',
    'npx tsx@4 src/a.ts',
    'rails runner script/a.rb',
    'rails server -e production',
    'python manage.py migrate',
    'php artisan migrate',
    'npm run shell',
    'promptfoo eval -c promptfooconfig.yaml',
    'docker compose logs console',
    'docker-compose rm -f web',
    'docker-compose run web npm test',
  ])('a runner or a console without code: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('allow');
  });

  it.each([
    'mytool -c config.yml -e production',
    "mytool -e 'A=b c'",
    `mytool -c '{"a": [1]}'`,
    "mytool --ignore '**/*.{ts,js}'",
    "notify 'build (1) done'",
    `mytool --title 'f("x")'`,
    'gcc -c src/a.c',
    "stat -c '%n %s' a",
    "ansible-playbook a.yml -e 'a=b c=d'",
    "docker run -e 'A=b c' x",
    "jest -t 'a (b)'",
    "mypy -c 'a = 1'",
    "mongosh --eval 'db.users.find({ a: 1 })'",
    'fd -e ts a',
    'npx nodemon -e ts,json src/a.ts',
  ])('values that are not code: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('allow');
  });
});
