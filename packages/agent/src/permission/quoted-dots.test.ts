/** Patterns that a program expands itself, and that may match names with a leading dot. */
import { describe, expect, it } from 'vitest';
import { shell, type Setting } from './test/ask.ts';
import { ROOT } from './test/world.ts';

const FILES =
  '.github/workflows/ci.yml .github/a/b/c/d/deep.yaml .vscode/settings.json .storybook/main.js .prettierrc.json .env ' +
  'src/a.ts src/.hidden/a.ts lib/.cfg/x/y.yml docs/b.md package.json a.yml';
const world = { files: FILES.split(' ').map((file) => `${ROOT}/${file}`) };
const beside = (rule: string): Setting => ({ mode: 'bypassPermissions', world, rules: { deny: [rule] } });

describe('a pattern that a program expands', () => {
  it.each([
    ['Edit(./.github/**)', "npx prettier --write '**/*.yml'"],
    ['Edit(./.github/**)', "npx prettier --write '**/*.{yml,yaml}'"],
    ['Edit(./.github/a/b/c/d/**)', "npx prettier --write '**/*.yaml'"],
    ['Edit(./.github/**)', "prettier --write '**'"],
    ['Edit(./.github/**)', "prettier --write './**/*'"],
    ['Edit(./.github/**)', "prettier --write '**/ci.yml'"],
    ['Edit(./.github/**)', "prettier --write '{**/*,x}.yml'"],
    ['Edit(./.github/**)', "prettier --write '*/*/*.yml'"],
    ['Edit(./.github/**)', "prettier --write '*/workflows/ci.yml'"],
    ['Edit(./.github/**)', "prettier --write '*hub/workflows/*.yml'"],
    ['Edit(./.github/**)', "prettier --write '@(*)/workflows/*.yml'"],
    ['Edit(./.github/**)', "prettier --write '!(x)/workflows/*'"],
    ['Edit(./.github/**)', "yamlfmt '**/*.yml'"],
    ['Edit(./.github/**)', "yamlfmt '**.yml'"],
    ['Edit(./.github/**)', "yamlfmt '**/workflows/**'"],
    ['Edit(./.github/**)', `yamlfmt "**/"*.yml`],
    ['Edit(./.github/**)', String.raw`yamlfmt '\*\*/*.yml'`],
    ['Edit(./.github/**)', `yamlfmt '${ROOT}/**/*.yml'`],
    ['Edit(./.github/**)', "mytool --in='**/*.yml'"],
    ['Edit(./.github/**)', "npm run format -- '**/*.yml'"],
    ['Edit(./.github/**)', `bash -c 'yamlfmt "**/*.yml"'`],
    ['Edit(./.github/**)', "rimraf '*/workflows'"],
    ['Edit(./.vscode/**)', "npx prettier --write '*/settings.json'"],
    ['Edit(./.storybook/**)', "eslint --fix '**/*.js'"],
    ['Edit(./.storybook/**)', "eslint --fix '*/*.js'"],
    ['Edit(./.prettierrc.json)', "prettier --write '*.json'"],
    ['Edit(./src/.hidden/**)', "prettier --write 'src/*/*.ts'"],
    ['Edit(./lib/.cfg/**)', "cd lib && yamlfmt '*/*/*.yml'"],
    ['Read(./.env)', "mytool '**/*'"],
    ['Read(./.env)', "mytool '*env'"],
  ])('asks beside %s: %s', (rule, command) => {
    expect(shell(command, beside(rule)).decision).toBe('ask');
  });

  it.each([
    ['Edit(./.vscode/**)', 'npx prettier --write */settings.json'],
    ['Edit(./.github/**)', 'npx prettier --write **/workflows/*.yml'],
    ['Edit(./.github/**)', 'yamlfmt **/ci.yml'],
  ])('asks if the shell finds no match, so that the program gets it, beside %s: %s', (rule, command) => {
    expect(shell(command, beside(rule)).decision).toBe('ask');
  });

  it.each([
    ['Edit(./.github/**)', "prettier --write '**/*.ts'"],
    ['Edit(./.github/**)', "prettier --write 'src/**/*.yml'"],
    ['Edit(./.vscode/**)', "prettier --write '*.json'"],
    ['Edit(./.github/**)', 'yamlfmt *.yml'],
    ['Edit(./.github/**)', "eslint . --ignore-pattern '**/*.yml'"],
    ['Edit(./.github/**)', "cron '*/5 * * * *'"],
    ['Read(./.env)', "prettier --check '**/*'"],
    ['Read(./.env)', "mocha 'test/**/*.js'"],
    ['Read(./.env)', "notify '**bold** text'"],
    ['Read(./.env)', "mytool --origin '*'"],
    ['Read(./.env)', 'mytool *'],
    ['Read(**/*.pem)', "prettier --write '**/*.ts'"],
  ])('needs no question if it matches no such file, beside %s: %s', (rule, command) => {
    expect(shell(command, beside(rule)).decision).toBe('allow');
  });
});

describe('in a project with more files than Heddle looks at', () => {
  const many = Array.from({ length: 4_000 }, (_, index) => `${ROOT}/src/m${index}.ts`);
  const large = (rule: string, files: readonly string[]): Setting => ({
    ...beside(rule),
    world: { files: [...world.files, ...files] },
  });

  it.each(["prettier --write '**/*.ts'", 'prettier --write .'])(
    'a file with another ending does not count: %s',
    (command) => {
      expect(shell(command, large('Read(./.env)', many)).decision).toBe('allow');
      expect(shell(command, large('Edit(./src/m1.ts)', many)).decision).toBe('ask');
    },
  );

  it('installed packages do not count', () => {
    const installed = many.map((file) => file.replace('/src/', '/node_modules/'));
    expect(shell("prettier --write '**/*.ts'", large('Edit(**/a.ts)', installed)).decision).toBe('ask');
    expect(shell("prettier --write '**/*.ts'", large('Edit(**/b.ts)', installed)).decision).toBe('allow');
  });
});

describe('a whole folder', () => {
  it.each(['rm -rf dist', 'cp -r dist b', 'mv dist b'])(
    'needs no question if it cannot contain a file of the rule: %s',
    (command) => {
      expect(shell(command, beside('Read(./.env.*)')).decision).toBe('allow');
    },
  );

  it.each([
    ['Read(./.env.*)', 'rm -rf .'],
    ['Read(.env.*)', 'rm -rf dist'],
    ['Edit(./*/b.md)', 'rm -rf docs'],
    ['Read(./.env.*)', 'cp -r dist/. .'],
  ])('asks if it may contain one, beside %s: %s', (rule, command) => {
    expect(shell(command, beside(rule)).decision).not.toBe('allow');
  });
});
