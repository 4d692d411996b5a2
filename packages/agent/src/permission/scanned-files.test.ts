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
  'gen/mod.rs',
  'gen/x.go',
  'gen/x.ex',
  'gen/x.php',
  'gen/x.proto',
];
const world = { files: FILES.map((file) => `${ROOT}/${file}`) };
const beside = (...deny: readonly string[]): Setting => ({ rules: { allow: ['Bash'], deny }, world });

describe('a formatter, a linter or a scanner', () => {
  it.each([
    ['Read(./terraform.tfvars)', 'terraform fmt -diff -check'],
    ['Read(./terraform.tfvars)', 'tofu fmt'],
    ['Edit(./prod/**)', 'terraform fmt -recursive'],
    ['Edit(./prod/**)', 'ruff format'],
    ['Edit(./prod/**)', 'ruff check'],
    ['Edit(./prod/**)', 'uvx ruff check -q'],
    ['Edit(./prod/**)', 'dprint fmt'],
    ['Edit(./prod/**)', 'oxfmt'],
    ['Edit(./prod/**)', 'python3 -m ruff check --fix'],
    ['Read(./prod/a.py)', 'ruff check'],
    ['Read(./config/secret.json)', 'prettier --check .'],
    ['Read(./config/secret.json)', 'npx prettier --write config'],
    ['Read(./config/secret.json)', 'eslint -f codeframe config'],
    ['Read(./config/secret.json)', 'biome check'],
    ['Edit(./config/**)', 'prettier --write .'],
    ['Edit(./config/**)', 'eslint --fix config'],
    ['Read(./.env)', 'gitleaks detect -v'],
    ['Edit(./prod/**)', 'python3 -m black .'],
    ['Edit(./prod/**)', 'python3 -m isort prod'],
    ['Edit(./prod/**)', 'python -Im autopep8 -ri .'],
    ['Read(./prod/a.py)', 'python3 -m tabnanny -v prod'],
    ['Read(./prod/a.py)', 'python3 -m flake8 --show-source .'],
    ['Read(./prod/a.py)', 'flake8 --show-source'],
    ['Read(./prod/a.py)', 'python3 -mbandit -r .'],
    ['Read(./prod/a.py)', 'python3 -m mypy --pretty .'],
    ['Read(./prod/a.py)', 'python3.12 -m pycodestyle --show-source .'],
    ['Edit(./gen/**)', 'cargo fmt --all'],
    ['Edit(./gen/**)', 'cargo clippy --fix'],
    ['Edit(./gen/**)', 'cargo fix -p x'],
    ['Edit(./gen/**)', 'go fmt ./...'],
    ['Edit(./gen/**)', 'mix format'],
    ['Edit(./gen/**)', 'php-cs-fixer fix'],
    ['Edit(./gen/**)', 'pint'],
    ['Edit(./gen/**)', 'buf format -w'],
    ['Edit(./src/**)', 'ast-grep run -p a -r b -U'],
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
    ['Edit(./prod/**)', 'ruff check --diff'],
    ['Edit(./prod/**)', 'ruff format --check'],
    ['Edit(./prod/**)', 'dprint check'],
    ['Read(./.env)', 'ruff check --fix'],
    ['Read(./.env)', 'prettier --write .'],
    ['Read(./.env)', 'eslint --fix .'],
    ['Read(./.env)', 'biome check --write'],
    ['Read(./config/secret.json)', 'prettier --write src'],
    ['Read(./config/secret.json)', 'eslint src/a.ts'],
    ['Read(./.env)', 'npm run lint'],
    ['Read(./.env)', 'python3 -m flake8'],
    ['Read(./.env)', 'python3 -m mypy src'],
    ['Read(./.env)', 'python3 -m pytest'],
    ['Edit(./prod/**)', 'python3 -m black --check .'],
    ['Edit(./prod/**)', 'python3 -m mypy .'],
    ['Edit(./prod/**)', 'cargo fmt'],
    ['Edit(./gen/**)', 'cargo fmt --check'],
    ['Edit(./gen/**)', 'cargo test'],
    ['Edit(./gen/**)', 'cargo clippy'],
    ['Edit(./gen/**)', 'go test ./...'],
    ['Edit(./gen/**)', 'buf format -d'],
    ['Read(./.env)', 'docker config ls'],
  ])('needs no question beside a rule for other files, %s: %s', (rule, command) => {
    expect(shell(command, beside(rule)).decision).toBe('allow');
  });
});

describe('a package manager', () => {
  it.each([
    ['Edit(./package.json)', 'npm pkg set scripts.test=x'],
    ['Edit(./package.json)', 'npm pkg delete scripts.test'],
    ['Edit(./package.json)', 'npm version patch'],
    ['Edit(./package.json)', 'npm install left-pad'],
    ['Edit(./package.json)', 'npm --silent pkg set a=b'],
    ['Edit(./package.json)', 'pnpm add x'],
    ['Edit(./package.json)', 'yarn remove x'],
    ['Edit(./package.json)', 'npx npm pkg set a=b'],
    ['Edit(./Cargo.toml)', 'cargo add serde'],
    ['Edit(./go.mod)', 'go mod edit -require=x@v1'],
    ['Edit(./go.mod)', 'go get x'],
    ['Edit(./pyproject.toml)', 'uv add x'],
    ['Edit(./pyproject.toml)', 'poetry remove x'],
  ])('counts as changing the file that names the packages beside %s: %s', (rule, command) => {
    expect(shell(command, beside(rule)).decision).not.toBe('allow');
  });

  it.each([
    ['Edit(./package.json)', 'npm ci'],
    ['Edit(./package.json)', 'npm install'],
    ['Edit(./package.json)', 'npm test'],
    ['Edit(./package.json)', 'npm run build'],
    ['Edit(./package.json)', 'npm pkg get name'],
    ['Edit(./Cargo.toml)', 'cargo build'],
    ['Edit(./go.mod)', 'go test ./...'],
    ['Edit(./pyproject.toml)', 'uv run pytest'],
    ['Edit(./src/**)', 'npm install left-pad'],
  ])('needs no question if it changes no such file, %s: %s', (rule, command) => {
    expect(shell(command, beside(rule)).decision).toBe('allow');
  });
});
