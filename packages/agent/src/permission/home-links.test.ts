/** Links in protected folders of the home folder whose targets are in a working directory, on a real disk. */
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { lookAtLinks } from './paths/home-links.ts';
import { decided } from './test/ask.ts';
import { HOME, ROOT } from './test/world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-home-links-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const LINKS = [
  '.bashrc',
  '.aws/config',
  '.bashrc.d/path.sh',
  '.cargo/config.toml',
  '.codex/config.toml',
  '.config/autostart/x.desktop',
  '.config/fish/conf.d/a.fish',
  '.config/i3/config',
  '.config/mise/config.toml',
  '.config/starship.toml',
  '.config/systemd/user/a.service',
  '.config/tmux/tmux.conf',
  '.config/zsh/.zshrc',
  '.docker/config.json',
  '.kube/config',
  '.local/share/applications/x.desktop',
  '.ssh/config.d/work',
  'Library/LaunchAgents/x.plist',
];

describe('the target of a link in the home folder', () => {
  const home = path.join(base, 'home');
  const dots = path.join(home, 'dots');
  const edit = (name: string): string => {
    const world = observeWorld({
      root: dots,
      cwd: dots,
      directories: [],
      home,
      configDirs: [path.join(home, '.claude')],
      environment: { HOME: home },
    });
    const request = { tool: 'Edit', input: { file_path: name }, readOnly: false, hookDecision: undefined };
    return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world).decision;
  };
  const nameOf = (link: string): string => `f${LINKS.indexOf(link)}`;
  for (const link of LINKS) {
    mkdirSync(path.dirname(path.join(home, link)), { recursive: true });
    mkdirSync(dots, { recursive: true });
    writeFileSync(path.join(dots, nameOf(link)), 'x\n');
    symlinkSync(path.join(dots, nameOf(link)), path.join(home, link));
  }
  writeFileSync(path.join(dots, 'plain'), 'x\n');
  mkdirSync(path.join(home, '.config/other'), { recursive: true });
  symlinkSync(path.join(dots, 'plain'), path.join(home, '.config/other/plain'));

  it.each(LINKS)('is protected for ~/%s', (link) => {
    expect(edit(nameOf(link))).toBe('ask');
  });

  it('is not protected for a place that is not protected', () => {
    expect(edit('plain')).toBe('allow');
  });

  it('is protected among many folders of packages', () => {
    for (let at = 0; at < 400; at++) mkdirSync(path.join(home, `.nvm/versions/v${at}`), { recursive: true });
    for (let at = 0; at < 400; at++) mkdirSync(path.join(home, `.vscode/e${at}`), { recursive: true });
    expect(edit(nameOf('.ssh/config.d/work'))).toBe('ask');
  });

  it('is protected among many folders with other names', () => {
    for (let at = 0; at < 400; at++) mkdirSync(path.join(home, `.a${at}`), { recursive: true });
    for (let at = 0; at < 400; at++) mkdirSync(path.join(home, `.config/a${at}`), { recursive: true });
    expect(edit(nameOf('.config/systemd/user/a.service'))).toBe('ask');
    expect(edit('plain')).toBe('allow');
  });

  it('is known in a world of a table as well', () => {
    const links = { [`${HOME}/.config/i3/config`]: `${ROOT}/i3` };
    const world = { links, files: [`${ROOT}/i3`, `${ROOT}/other`] };
    expect(decided('Edit', { file_path: 'i3' }, { mode: 'acceptEdits', world }).decision).toBe('ask');
    expect(decided('Edit', { file_path: 'other' }, { mode: 'acceptEdits', world }).decision).toBe('allow');
  });
});

describe('a remembered folder', () => {
  it('is looked at again after each change', () => {
    const folder = path.join(base, 'seen');
    mkdirSync(folder);
    for (let round = 0; round < 20; round++) {
      const link = path.join(folder, `l${round}`);
      symlinkSync('x', link);
      expect(lookAtLinks(folder)?.links).toEqual([`l${round}`]);
      // The time of a change is more recent than this one.
      utimesSync(folder, 1, 1);
      unlinkSync(link);
      expect(lookAtLinks(folder)?.links).toEqual([]);
    }
  });

  it('is not there if it is a file or missing', () => {
    writeFileSync(path.join(base, 'file'), '');
    expect([lookAtLinks(path.join(base, 'file')), lookAtLinks(path.join(base, 'none'))]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
