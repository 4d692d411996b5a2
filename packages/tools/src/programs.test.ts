import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { contextOf } from '@heddle/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { scratch, shellIn } from './bash/test/shell.ts';
import { findBash, findProgram, ownEnvironment } from './programs.ts';

const NAMES = ['mkfifo', 'bash', 'sh', 'ps', 'git'];

/** A project with programs of these names, which leave a mark. */
function project(): { folder: string; bin: string; mark: string } {
  const folder = scratch();
  const [bin, mark] = [path.join(folder, 'bin'), path.join(folder, 'mark')];
  mkdirSync(bin);
  for (const name of NAMES) {
    const file = path.join(bin, name);
    writeFileSync(file, `#!/bin/sh\n: > '${mark}'\nexec /usr/bin/${name} "$@"\n`);
    chmodSync(file, 0o755);
  }
  return { folder, bin, mark };
}

afterEach(() => vi.unstubAllEnvs());

describe('programs that Heddle starts by name', () => {
  it.each(NAMES)('are not found in the project: %s', (name) => {
    const { folder, bin } = project();
    const link = path.join(scratch(), 'link');
    symlinkSync(bin, link);
    for (const entry of [bin, link, 'bin', './bin', '.', ''])
      expect(findProgram(entry, name, [folder])).toBeUndefined();
    expect(findProgram(`${bin}:/usr/bin:/bin`, name, [folder])).toMatch(/^(?:\/usr)?\/bin\/\w+$/);
    expect(findBash(`${bin}:./bin`, [folder])).toBe('/bin/bash');
  });

  it('load no libraries and settings of the project', () => {
    const { folder } = project();
    for (const place of ['lib', './lib', '', `${folder}/lib`, `:${folder}`]) {
      vi.stubEnv('LD_LIBRARY_PATH', place);
      vi.stubEnv('RIPGREP_CONFIG_PATH', place);
      const { LD_LIBRARY_PATH, RIPGREP_CONFIG_PATH, HOME } = ownEnvironment([folder]);
      expect([place, LD_LIBRARY_PATH, RIPGREP_CONFIG_PATH]).toEqual([place, undefined, undefined]);
      expect(HOME).toBe(process.env['HOME']);
    }
    vi.stubEnv('LD_LIBRARY_PATH', 'lib:/opt/x/lib');
    expect(ownEnvironment()['LD_LIBRARY_PATH']).toBe('/opt/x/lib');
  });

  it.each([
    '.asdf/shims',
    '.local/share/mise/shims',
    '.pyenv/shims',
    '.proto/shims',
    '.volta/bin',
    '.nodenv/bin',
    '.tenv/bin',
  ])('are not those of a version manager: ~/%s', (name) => {
    const { folder, bin } = project();
    const shims = path.join(scratch(), name);
    mkdirSync(path.dirname(shims), { recursive: true });
    cpSync(bin, shims, { recursive: true });
    const links = path.join(scratch(), 'tools');
    mkdirSync(links);
    symlinkSync(path.join(shims, 'git'), path.join(links, 'git'));
    for (const entry of [shims, links]) {
      expect(findProgram(entry, 'git', [folder])).toBeUndefined();
      expect(findProgram(`${entry}:/usr/bin:/bin`, 'git', [folder])).toMatch(/^(?:\/usr)?\/bin\/git$/);
    }
  });

  it.each(['mise', 'asdf', 'aqua-proxy', 'pkgx', 'volta-shim', 'dotslash'])(
    'are not links to a version manager: %s',
    (manager) => {
      const { folder, bin } = project();
      const other = scratch();
      cpSync(path.join(bin, 'git'), path.join(other, manager));
      symlinkSync(manager, path.join(other, 'git'));
      expect(findProgram(other, 'git', [folder])).toBeUndefined();
      cpSync(path.join(bin, 'bash'), path.join(other, 'bash'));
      expect(findProgram(other, 'bash', [folder])).toBe(path.join(other, 'bash'));
    },
  );

  it.each([true, false])(
    'are not programs of the project when a command runs (background: %s)',
    async (background) => {
      const { folder, bin, mark } = project();
      vi.stubEnv('PATH', `${bin}:./bin:${process.env['PATH'] ?? ''}`);
      const shell = shellIn(folder);
      const context = contextOf({ workingDirectory: folder });
      await shell.run('true', { context, background });
      await shell.tasks.dispose();
      expect(existsSync(mark)).toBe(false);
    },
  );

  it.each(['/', '/usr', 'its own'])(
    'are those of the system for a command that only reads: %s',
    async (folders) => {
      const { folder, bin, mark } = project();
      for (const name of ['cat', 'ls']) {
        writeFileSync(path.join(folder, name), `#!/bin/sh\n: > '${mark}'\n`);
        chmodSync(path.join(folder, name), 0o755);
      }
      writeFileSync(path.join(folder, 'text'), 'read\n');
      for (const PATH of ['/usr/bin:/bin', bin, '.', '', `.:${bin}:`]) {
        const shell = shellIn(folder, { environment: () => ({ PATH }) });
        const workingFolders = (): string[] => (folders === 'its own' ? [folder] : [folder, folders]);
        const context = contextOf({ workingDirectory: folder, workingFolders });
        const { data } = await shell.run('cat text; ls', { context });
        expect(data.output).toMatch(/^read\n(?:.*\n)*text\n?$/);
        await shell.tasks.dispose();
      }
      expect(existsSync(mark)).toBe(false);
    },
  );
});
