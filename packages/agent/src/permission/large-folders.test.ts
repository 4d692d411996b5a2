/**
 * Folders with many files, on a real disk. A folder for an unknown program counts with all its files, also if it contains more than can
 * be looked at.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

let root = '';
beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-large-')));
  mkdirSync(path.join(root, 'src'));
  writeFileSync(path.join(root, '.env'), 'S=1');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function surroundings() {
  const places = { root, cwd: root, directories: [], home: root, configDirs: [], environment: {} };
  return { ...places, readOnlyView: false, isTrusted: () => false };
}

function decide(command: string, rule: string): string {
  const world = observeWorld(surroundings());
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rules = { deny: [{ text: rule, source: 'user' as const }], ask: [], allow: [] };
  return authorize(request, rules, 'bypassPermissions', world).decision;
}

it.each(['Read(.env)', 'Read(./.env)'])('asks about the root folder beside %s', (rule) => {
  const asked = [
    'docker run -v /:/x img cat /x/.env',
    'docker run --mount type=bind,src=/,dst=/x img ls',
    'docker cp / c:/x',
    'docker build /',
    'mount --bind / /mnt',
  ];
  expect(asked.filter((command) => decide(command, rule) === 'allow')).toEqual([]);
  expect(decide('docker build src', rule)).toBe('allow');
});

it('asks nothing more in a project with many folders, beside a rule about names anywhere and in the view', () => {
  for (let at = 0; at < 1_500; at++) mkdirSync(path.join(root, `many/${at % 40}/${at}`), { recursive: true });
  const world = observeWorld({ ...surroundings(), readOnlyView: true });
  const rules = { deny: [{ text: 'Read(**/.env)', source: 'user' as const }], ask: [], allow: [] };
  for (const command of ['pwd', 'ls', 'echo x > src/a.ts', 'mkdir src/new']) {
    const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
    expect([command, authorize(request, rules, 'acceptEdits', world).decision]).toEqual([command, 'allow']);
  }
});

function decisionInView(command: string, at: string) {
  const world = observeWorld({
    ...surroundings(),
    root: at,
    cwd: at,
    home: `${at}-home`,
    readOnlyView: true,
  });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', world);
}

function decideInView(command: string, at: string): string {
  return decisionInView(command, at).decision;
}

it.each(['e', 'env'])('asks nothing more in the view beside many links in the environment %s', (name) => {
  const project = path.join(root, `conda-${name}`);
  for (const folder of ['src', `${name}/conda-meta`, `${name}/bin`, `${name}/lib`])
    mkdirSync(path.join(project, folder), { recursive: true });
  for (let at = 0; at < 133; at++) {
    writeFileSync(path.join(project, `${name}/bin/x86-p${at}`), '');
    symlinkSync(`x86-p${at}`, path.join(project, `${name}/bin/p${at}`));
  }
  for (let at = 0; at < 800; at++) symlinkSync(`so${at}.1`, path.join(project, `${name}/lib/so${at}`));
  for (const command of ['touch src/q', 'echo x > src/a.ts', 'mkdir src/new'])
    expect([command, decideInView(command, project)]).toEqual([command, 'allow']);
  for (const command of [`touch ${name}/bin/git`, `rm ${name}/bin/p1`, `echo x > ${name}/bin/x86-p1`])
    expect([command, decideInView(command, project)]).toEqual([command, 'ask']);
  expect(decisionInView('touch q', project).fileLimits?.unwritable).toContain(`${project}/${name}/bin`);
});

it('asks in the view only because of protected places in the folders that a command writes', () => {
  const project = path.join(root, 'places');
  for (let at = 0; at < 120; at++) {
    mkdirSync(path.join(project, `tools/t${at}`), { recursive: true });
    writeFileSync(path.join(project, `tools/t${at}/.envrc`), '');
  }
  mkdirSync(path.join(project, 'src'));
  mkdirSync(path.join(project, 'out'));
  // A known place counts also outside of the written folder.
  for (let at = 0; at < 120; at++) {
    writeFileSync(path.join(project, `out/o${at}`), '');
    symlinkSync(`../../out/o${at}`, path.join(project, `tools/t${at}/.bashrc`));
  }
  expect(decideInView('touch src/q', project)).toBe('allow');
  expect(decideInView('touch tools/q out/q', project)).toBe('ask');
});
