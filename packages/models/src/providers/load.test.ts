import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Module } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { configFolderIn } from '../secrets/environment.ts';
import { findPackage, loadPackage } from './load.ts';

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

/** A package that is not in the user's own folder, and how the search could reach it. Returns that folder. */
const ELSEWHERE: Readonly<Record<string, (top: string) => string>> = {
  'above the folder': (top) => {
    install(top, 'throw new Error()');
    return path.join(top, '.heddle');
  },
  'two folders above it': (top) => {
    install(top, 'throw new Error()');
    return path.join(top, 'a/.heddle');
  },
  'in a folder of packages that contains it': (top) => {
    install(top, 'throw new Error()');
    return path.join(top, 'node_modules/a');
  },
  'behind a link to a package': (top) => {
    install(path.join(top, 'project'), 'throw new Error()');
    mkdirSync(path.join(top, '.heddle/node_modules/@example'), { recursive: true });
    symlinkSync(
      path.join(top, 'project/node_modules', wanted.name),
      path.join(top, '.heddle/node_modules', wanted.name),
    );
    return path.join(top, '.heddle');
  },
  'behind a link to its scope': (top) => {
    install(path.join(top, 'project'), 'throw new Error()');
    mkdirSync(path.join(top, '.heddle/node_modules'), { recursive: true });
    symlinkSync(
      path.join(top, 'project/node_modules/@example'),
      path.join(top, '.heddle/node_modules/@example'),
    );
    return path.join(top, '.heddle');
  },
  'behind a link to its file': (top) => {
    const own = path.join(top, '.heddle/node_modules', wanted.name);
    mkdirSync(own, { recursive: true });
    writeFileSync(path.join(top, 'x.js'), 'throw new Error()');
    symlinkSync(path.join(top, 'x.js'), path.join(own, 'index.js'));
    return path.join(top, '.heddle');
  },
  'behind the main file of the package': (top) => {
    const own = path.join(top, '.heddle/node_modules', wanted.name);
    mkdirSync(own, { recursive: true });
    writeFileSync(path.join(top, 'x.js'), 'throw new Error()');
    writeFileSync(path.join(own, 'package.json'), JSON.stringify({ main: '../../../../x.js' }));
    return path.join(top, '.heddle');
  },
  'in a folder of NODE_PATH': (top) => {
    const folder = path.join(top, 'lib/node_modules');
    install(path.join(top, 'lib'), 'throw new Error()');
    searchAlso({ NODE_PATH: folder });
    return path.join(top, '.heddle');
  },
  'in a global folder of the home folder': (top) => {
    install(top, 'throw new Error()');
    symlinkSync(path.join(top, 'node_modules'), path.join(top, '.node_modules'));
    searchAlso({ HOME: top });
    return path.join(top, 'config/.heddle');
  },
};

/** Node reads these variables at its start. */
function searchAlso(variables: Readonly<Record<string, string>>): void {
  const read: unknown = Reflect.get(Module, '_initPaths');
  if (typeof read !== 'function') throw new Error('Node has no function to read NODE_PATH.');
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  Reflect.apply(read, Module, []);
  vi.unstubAllEnvs();
}

describe("a package that is not really in the user's own folder", () => {
  afterAll(() => searchAlso({}));

  it.each(Object.entries(ELSEWHERE))('is not found %s', (_, build) => {
    const top = mkdtempSync(path.join(home, 'top-'));
    expect(findPackage(wanted, build(top))).toBeUndefined();
  });

  it('is found if the whole folder is a link', () => {
    const top = mkdtempSync(path.join(home, 'top-'));
    install(path.join(top, 'real'), '');
    symlinkSync(path.join(top, 'real'), path.join(top, '.heddle'));
    const file = path.join(top, 'real/node_modules', wanted.name, 'index.js');
    expect(findPackage(wanted, path.join(top, '.heddle'))).toBe(file);
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
