/** Formatters, linters and scanners, which work on files below the working folder. */
import { describe, expect, it } from 'vitest';
import { shell, type Setting } from './test/ask.ts';
import { ROOT } from './test/world.ts';

const FILES = [
  '.env',
  'terraform.tfvars',
  'main.tf',
  'prod/main.tf',
  'prod/a.py',
  'config/secret.json',
  'src/a.ts',
];
const world = { files: FILES.map((file) => `${ROOT}/${file}`) };
const beside = (...deny: readonly string[]): Setting => ({ rules: { allow: ['Bash'], deny }, world });

describe('a formatter, a linter or a scanner', () => {
  it.each([
    ['Read(./terraform.tfvars)', 'terraform fmt -diff -check'],
    ['Read(./terraform.tfvars)', 'tofu fmt'],
    ['Edit(./prod/**)', 'terraform fmt -recursive'],
    ['Edit(./prod/**)', 'ruff format'],
    ['Edit(./prod/**)', 'python3 -m ruff check --fix'],
    ['Read(./prod/a.py)', 'ruff check'],
    ['Read(./config/secret.json)', 'prettier --check .'],
    ['Read(./config/secret.json)', 'npx prettier --write config'],
    ['Read(./config/secret.json)', 'eslint -f codeframe config'],
    ['Read(./config/secret.json)', 'biome check'],
    ['Edit(./config/**)', 'prettier --write .'],
    ['Edit(./config/**)', 'eslint --fix config'],
    ['Read(./.env)', 'gitleaks detect -v'],
    ['Read(./.env)', 'repomix --stdout'],
    ['Read(./.env)', 'semgrep --config auto'],
    ['Read(./.env)', 'direnv export json'],
    ['Read(./.env)', 'dotenv list'],
    ['Read(./.env)', 'dotenv -- npm test'],
  ])('is not allowed beside %s: %s', (rule, command) => {
    expect(shell(command, beside(rule)).decision).not.toBe('allow');
  });

  it.each([
    ['Read(./.env)', 'terraform fmt -recursive'],
    ['Edit(./prod/**)', 'terraform fmt -check -recursive'],
    ['Edit(./prod/**)', 'terraform fmt'],
    ['Edit(./prod/**)', 'terraform plan'],
    ['Edit(./prod/**)', 'ruff check'],
    ['Read(./.env)', 'ruff check --fix'],
    ['Read(./.env)', 'prettier --write .'],
    ['Read(./.env)', 'eslint --fix .'],
    ['Read(./.env)', 'biome check --write'],
    ['Read(./config/secret.json)', 'prettier --write src'],
    ['Read(./config/secret.json)', 'eslint src/a.ts'],
    ['Read(./.env)', 'npm run lint'],
    ['Read(./.env)', 'docker config ls'],
  ])('needs no question beside a rule for other files, %s: %s', (rule, command) => {
    expect(shell(command, beside(rule)).decision).toBe('allow');
  });
});
