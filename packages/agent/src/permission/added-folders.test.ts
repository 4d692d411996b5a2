/** A working directory that was added through a link keeps its place if the link changes. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { authorize } from './authorize.ts';
import { LivePermissions } from './live-permissions.ts';
import { observeWorld } from './observe-world.ts';
import { NO_RULES } from './rules/rule.ts';

let base = '';
const at = (name: string): string => path.join(base, name);

beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-added-')));
  const made = base;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  for (const name of ['project/sub', 'first', 'second']) mkdirSync(at(name), { recursive: true });
  symlinkSync(at('first'), at('project/ext'));
  symlinkSync(at('first'), at('name'));
});

function moveLink(name: string, to: string): void {
  rmSync(at(name), { recursive: true });
  symlinkSync(at(to), at(name));
}

/** Decides about a write in the mode acceptEdits. */
function write(file: string, live: LivePermissions): string {
  const root = at('project');
  const world = observeWorld({
    root,
    cwd: root,
    directories: live.directories,
    directoryNames: live.directoryNames,
    home: at('home'),
    configDirs: [],
    environment: {},
  });
  const request = {
    tool: 'Write',
    input: { file_path: at(file), content: '' },
    readOnly: false,
    hookDecision: undefined,
  };
  return authorize(request, NO_RULES, 'acceptEdits', world).decision;
}

const add = (directories: readonly string[]) =>
  ({ type: 'addDirectories', directories, destination: 'session' }) as const;

describe('a working directory that is a link', () => {
  it.each([
    ['at the start', (name: string) => new LivePermissions(NO_RULES, [name])],
    [
      'by an answer',
      (name: string) => {
        const live = new LivePermissions(NO_RULES);
        live.apply([add([name])]);
        return live;
      },
    ],
    [
      'by settings that changed',
      (name: string) => {
        const live = new LivePermissions(NO_RULES);
        live.replaceSettings(NO_RULES, { added: [name], removed: [] });
        return live;
      },
    ],
  ])('keeps its place, if it was added %s', (_, open) => {
    const live = open(at('project/ext'));
    expect(live.directories).toEqual([at('first')]);
    for (const file of ['first/a', 'project/ext/a']) expect(write(file, live)).toBe('allow');
    moveLink('project/ext', 'second');
    for (const file of ['second/a', 'project/ext/a']) expect(write(file, live)).toBe('ask');
    expect(write('first/a', live)).toBe('allow');
  });

  it('keeps its place when the settings are read again', () => {
    const live = new LivePermissions(NO_RULES, [at('project/ext')]);
    moveLink('project/ext', 'second');
    live.replaceSettings(NO_RULES, { added: [at('project/ext')], removed: live.directories });
    expect(live.directories).toEqual([at('first')]);
    live.replaceSettings(NO_RULES, { added: [at('project/ext')], removed: [at('project/ext')] });
    expect(live.directories).toEqual([at('first')]);
    live.replaceSettings(NO_RULES, { added: [], removed: [at('project/ext')] });
    expect(live.directories).toEqual([]);
  });

  it('can be used by the name that it was added with', () => {
    const live = new LivePermissions(NO_RULES, [at('name')]);
    expect(['name/a', 'first/a'].map((file) => write(file, live))).toEqual(['allow', 'allow']);
    moveLink('name', 'second');
    expect(['name/a', 'first/a'].map((file) => write(file, live))).toEqual(['ask', 'allow']);
  });

  it.each(['name', 'first', 'project/../name', 'name/'])('is removed by %s', (name) => {
    const live = new LivePermissions(NO_RULES, [at('name')]);
    live.apply([{ type: 'removeDirectories', directories: [`${base}/${name}`], destination: 'session' }]);
    expect([live.directories, live.directoryNames]).toEqual([[], []]);
    live.replaceSettings(NO_RULES, { added: [at('name')], removed: [] });
    expect(live.directories).toEqual([]);
    live.apply([add([at('name')])]);
    expect(live.directories).toEqual([at('first')]);
  });
});

describe('a working directory that is replaced by a link', () => {
  it.each(['project/sub', 'project/later'])('does not move with it: %s', (name) => {
    const live = new LivePermissions(NO_RULES, [at(name)]);
    if (name.endsWith('later')) writeFileSync(at(name), '');
    moveLink(name, 'second');
    expect([`${name}/a`, 'second/a'].map((file) => write(file, live))).toEqual(['ask', 'ask']);
  });
});
