/** Programs that load a file with variables, and print it or pass it to another program. */
import { describe, expect, it } from 'vitest';
import { shell, type Setting } from './test/ask.ts';
import { ROOT } from './test/world.ts';

const world = { files: ['.env', '.env.test', '.env.example', 'a.js'].map((file) => `${ROOT}/${file}`) };
const DENIED: Setting = { mode: 'bypassPermissions', world, rules: { deny: ['Read(./.env)'] } };

describe('beside a rule that denies reading .env, a command may not run without a question', () => {
  it.each([
    'docker compose config',
    'docker-compose config',
    'docker-compose -f a.yml config',
    'docker-compose --verbose convert',
    'podman-compose config',
    'nerdctl compose config',
    'sudo docker compose config',
    'sudo -u x docker-compose config',
    'docker buildx bake --print',
    'docker compose run -e A web env',
    'docker-compose exec -eA web env',
  ])('if it reads the file of a project with containers: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('ask');
  });

  it.each([
    'dotenvx run -- printenv',
    'dotenvx get A',
    'dotenvx decrypt',
    'npx @dotenvx/dotenvx run -- env',
    'pnpm dotenvx run -- env',
    'cd src/.. && dotenvx run -- env',
    'env-cmd printenv',
    'npx env-cmd npm test',
    'env-cmd --fallback -f .env.test printenv',
    'dotenv -- printenv',
    'dotenv printenv -f .env.test',
    'dotenv -c -e .env.test printenv',
    'dotenv-cli -- printenv',
    'npx dotenv-cli@7 -- printenv',
    'pnpm dlx dotenv-cli -- env',
    'bundle exec dotenv env',
    'python3 -m dotenv run -- env',
    'godotenv env',
    'pipenv run env',
    "honcho run sh -c 'env'",
    'heroku local:run printenv',
    'bun --print process.env',
    'deno run --env-file a.ts',
    'node -r dotenv/config a.js',
    'node --import=dotenv/config -p process.env',
    'ruby -rdotenv/load a.rb',
  ])('if it loads the file with a fixed name: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('ask');
  });

  it.each([
    'node --env-file=.env a.js',
    'node --env-file-if-exists .env a.js',
    'docker run --env-file .env alpine env',
    'docker run --env-file=./.env alpine env',
    'docker compose --env-file .env up',
    'docker-compose --env-file=.env up',
    'dotenvx run -f .env -- env',
    'env-cmd -f ./.env env',
    'dotenv list',
    'uv run --env-file .env env',
    'UV_ENV_FILE=.env uv run env',
    'COMPOSE_ENV_FILES=a.env,.env docker compose up',
    'NODE_OPTIONS=--env-file=.env node a.js',
    'X=.env mytool',
  ])('if an option or a variable names the file: %s', (command) => {
    expect(shell(command, DENIED).decision).not.toBe('allow');
  });

  it.each([
    'docker compose up -d',
    'docker-compose up -d',
    'docker-compose ps',
    'docker compose run -e A=b web npm test',
    'docker config ls',
    'docker run --env-file .env.example x env',
    'dotenvx run -f .env.test -- npm test',
    'env-cmd -f .env.test npm test',
    'dotenv -e .env.test -- npm test',
    'dotenvx --version',
    'node --env-file=.env.example a.js',
    'pipenv run pytest',
    'honcho start',
    'bun run dev',
    'deno run --env-file=.env.example a.ts',
    'NODE_ENV=test npm test',
    'PATH=./node_modules/.bin:/bin tsc',
  ])('unless it loads another file, or none: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('allow');
  });
});

it('asks about a changed file with variables beside a rule that denies edits', () => {
  const rules = { deny: ['Edit(./.env)'] };
  expect(shell('dotenvx set A b', { ...DENIED, rules }).decision).toBe('ask');
});
