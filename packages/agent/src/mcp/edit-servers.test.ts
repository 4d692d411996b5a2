/** Servers that Heddle adds to files of a project, and removes. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSettingsHome, type SettingsHome } from '../settings/test/settings-home.ts';
import { addServer, removeServer } from './edit-servers.ts';

const SERVER = { type: 'stdio', command: 'x' };
const KEPT = JSON.stringify({ mcpServers: { old: SERVER } });
const places = ({ home, project }: SettingsHome) => ({ cwd: project, home, env: {} });

describe.each([
  ['a file in the home folder', '../home/kept.json', true],
  ['a missing file in the home folder', '../home/absent.json', false],
  ['a file of the same name outside', '../.mcp.json', true],
  ['a folder with a similar name', '../project-other/x.json', true],
  ['a link to another link', 'next.json', true],
  ['a folder behind a link', 'out/x.json', true],
])('a project file for servers that is a link to %s', (_, target, exists) => {
  function linked(): readonly [SettingsHome, string] {
    const own = createSettingsHome();
    const outside = path.resolve(own.project, target.startsWith('.') ? target : '../home/far/x.json');
    mkdirSync(path.dirname(outside), { recursive: true });
    if (exists) own.write(outside, KEPT);
    if (target === 'next.json') symlinkSync('../home/far/x.json', path.join(own.project, target));
    if (target === 'out/x.json') symlinkSync('../home/far', path.join(own.project, 'out'));
    symlinkSync(target, path.join(own.project, '.mcp.json'));
    return [own, outside];
  }

  it('is not changed in a folder without trust', () => {
    const [own, outside] = linked();
    const refused = {
      ok: false,
      message: expect.stringMatching(/is a link to .* and the folder is not trusted$/),
    };
    expect(addServer('project', 'new', SERVER, places(own))).toEqual(refused);
    expect(removeServer('project', 'old', places(own))).toEqual(refused);
    expect(existsSync(outside)).toBe(exists);
    if (exists) expect(readFileSync(outside, 'utf8')).toBe(KEPT);
  });

  it('is changed in a trusted folder', () => {
    const [own, outside] = linked();
    own.trust();
    expect(addServer('project', 'new', SERVER, places(own))).toMatchObject({ ok: true, changed: true });
    expect(own.read(outside)).toMatchObject({ mcpServers: { new: SERVER } });
  });
});

it('a project file for servers that is a link inside of the project is changed', () => {
  const own = createSettingsHome();
  const target = own.write('project/config/servers.json', KEPT);
  symlinkSync('config/servers.json', path.join(own.project, '.mcp.json'));
  expect(removeServer('project', 'old', places(own))).toMatchObject({ ok: true, changed: true });
  expect(own.read(target)).toEqual({ mcpServers: {} });
});

it('servers of the user are changed although the project has a link', () => {
  const own = createSettingsHome();
  symlinkSync('../home/kept.json', path.join(own.project, '.mcp.json'));
  expect(addServer('user', 'new', SERVER, places(own))).toMatchObject({ ok: true });
  expect(addServer('local', 'new', SERVER, places(own))).toMatchObject({ ok: true });
  expect(existsSync(path.join(own.home, 'kept.json'))).toBe(false);
});
