/** Package managers that run a command from their words. */
import { describe, expect, it } from 'vitest';
import { shell, type Setting } from './test/ask.ts';

const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun', 'bundle'].map((name) => `Bash(${name}:*)`);
const BESIDE_DENIED: Setting = {
  rules: { allow: MANAGERS, deny: ['Bash(rm:*)', 'Bash(curl:*)', 'Bash(git push:*)'] },
};

describe('a package manager', () => {
  it.each([
    'npm exec rm src/a.py',
    'npm exe rm src/a.py',
    'npm explore p rm x.js',
    'npm explore p git push ./x',
    'npm explore p -- git push ./x',
    'npm explo p git push',
    'npm --prefix x explore p rm y',
    'pnpm curl http://x.y',
    'pnpm git push',
    'pnpm --silent curl x',
    'pnpm --dir add curl x',
    'pnpm --unknown add curl x',
    'pnpm recursive exec rm x',
    'bun run rm x',
    'bun --bun run rm x',
    'yarn rm x',
    'yarn run rm x',
    'yarn workspace w rm x',
    'yarn workspaces foreach -A run rm x',
    'bundle e rm x',
    'bundle exe rm x',
  ])('does not run a denied command: %s', (command) => {
    expect(shell(command, BESIDE_DENIED).decision).toBe('deny');
  });

  it.each([
    'npm install rm',
    'npm rm left-pad',
    'npm run build',
    'npm view rm',
    'pnpm add curl',
    'pnpm -r --save-dev add curl',
    'pnpm --filter web add curl',
    'pnpm rm left-pad',
    'pnpm build',
    'pnpm jest src',
    'pnpm why curl',
    'yarn add curl',
    'yarn workspace w add curl',
    'yarn build',
    'bun rm left-pad',
    'bun run build',
    'bundle install',
  ])('needs no question for its own commands, scripts and other programs: %s', (command) => {
    expect(shell(command, BESIDE_DENIED).decision).toBe('allow');
  });

  it('reads files from the folder of a package', () => {
    const setting: Setting = { mode: 'bypassPermissions', rules: { deny: ['Read(./.env)'] } };
    const commands = [
      'npm explore p cat ../../.env',
      'npm -w p exec cat ../../.env',
      'pnpm --filter p cat ../../.env',
      'yarn workspace p exec cat ../../.env',
    ];
    expect(commands.filter((command) => shell(command, setting).decision !== 'ask')).toEqual([]);
    expect(shell('pnpm --filter p jest src/a.test.ts', setting).decision).toBe('allow');
  });

  it('may run each script whose name its pattern matches', () => {
    const setting: Setting = {
      rules: { allow: MANAGERS, deny: ['Bash(pnpm run deploy:*)', 'Bash(bun run deploy:*)'] },
    };
    const asked = [
      "pnpm run '/^deploy$/'",
      'pnpm run /deploy/',
      'pnpm run "/^depl.y$/"',
      'pnpm "/deploy/"',
      'pnpm run-script /d/',
      'pnpm -r run /d/',
      'pnpm --filter web run --parallel /d/',
      'pnpm run /d/u',
      String.raw`pnpm run '/\/|d/'`,
      "pnpm run '/a b|d/'",
      'pnpm run /d.*/',
      "bun run 'dep*'",
      "bun run --parallel '*y'",
    ];
    expect(asked.filter((command) => shell(command, setting).decision !== 'ask')).toEqual([]);
    const allowed = [
      'pnpm run build',
      'pnpm run build /x/',
      'pnpm run test -- /x/',
      'pnpm exec jest /x/',
      "pnpm run '/^deploy$'",
      "pnpm --filter '/x/' run build",
      "bun run --filter '*' build",
      "bun run 'build:*'",
      "bun test 'src/*.ts'",
    ];
    expect(allowed.filter((command) => shell(command, setting).decision !== 'allow')).toEqual([]);
  });
});
