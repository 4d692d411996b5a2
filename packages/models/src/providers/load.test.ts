import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configFolderIn, loadPackage } from './load.ts';

const wanted = { name: '@example/missing', version: '1.2.3' };
let home = '';
beforeAll(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'heddle-packages-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The layout that `npm install --prefix` creates. */
function install(folder: string, code: string): void {
  const own = path.join(folder, 'node_modules', wanted.name);
  mkdirSync(own, { recursive: true });
  writeFileSync(path.join(own, 'index.js'), code);
  const manifest = {
    name: wanted.name,
    type: 'module',
    exports: { '.': { import: './index.js', default: './index.js' } },
  };
  writeFileSync(path.join(own, 'package.json'), JSON.stringify(manifest));
}

describe('a package', () => {
  it('that is missing is reported with the command that installs it in the right folder', async () => {
    await expect(loadPackage(wanted, path.join(home, 'empty'))).rejects.toThrow(
      `the package @example/missing is not installed. Install it with:\nnpm install --prefix ${home}/empty @example/missing@1.2.3`,
    );
    await expect(loadPackage(wanted, path.join(home, 'with space'))).rejects.toThrow(
      `--prefix "${home}/with space" @example`,
    );
  });

  it("is found in the user's own folder", async () => {
    install(path.join(home, 'config'), 'export const here = 42;');
    expect(await loadPackage(wanted, path.join(home, 'config'))).toMatchObject({ here: 42 });
  });

  it('that comes with Heddle is found first', async () => {
    const own = { name: '@ai-sdk/openai', version: 'any' };
    expect(await loadPackage(own, home)).toMatchObject({ createOpenAI: expect.any(Function) });
  });

  it('that is broken is reported as broken, not as missing', async () => {
    install(path.join(home, 'broken'), "throw new Error('I am broken');");
    await expect(loadPackage(wanted, path.join(home, 'broken'))).rejects.toThrow('I am broken');
  });
});

describe('the folder', () => {
  it.each([
    [{ HEDDLE_CONFIG_DIR: '/a', CLAUDE_CONFIG_DIR: '/b', HOME: '/h' }, '/a'],
    [{ CLAUDE_CONFIG_DIR: '/b', HOME: '/h' }, '/b'],
    [{ HOME: '/h' }, '/h/.heddle'],
  ])('for %j is %s', (environment, folder) => {
    expect(configFolderIn(environment)).toBe(folder);
  });
});
