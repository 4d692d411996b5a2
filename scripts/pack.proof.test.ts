// The packages as another project has them: installed below node_modules, without our sources beside them.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = path.dirname(import.meta.dirname);
let project = '';

beforeAll(() => {
  project = realpathSync(mkdtempSync(path.join(tmpdir(), 'heddle-pack-')));
  const release = path.join(project, 'release');
  run(process.execPath, path.join(root, 'scripts/pack.ts'), release);
  install(release);
  writeFileSync(path.join(project, 'package.json'), '{"type":"module"}');
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the packages, installed elsewhere', () => {
  it('run an agent', () => {
    writeFileSync(path.join(project, 'use.ts'), CLIENT);
    expect(run(process.execPath, 'use.ts').trim()).toBe('It is empty.');
  });

  it.each(['es2022', 'es2024'])('bring types that a strict client accepts, whole and under %s', (target) => {
    writeFileSync(path.join(project, 'types.ts'), EVERY_PACKAGE + CLIENT);
    const flags = '--noEmit --strict --skipLibCheck false --module nodenext --types node';
    run(
      path.join(root, 'node_modules/.bin/tsc'),
      ...`${flags} --target ${target} --lib ${target} types.ts`.split(' '),
    );
  });

  it('bring the program', () => {
    const program = path.join(project, 'node_modules/heddle/bin/heddle.js');
    expect(run(process.execPath, program, '-p', '--model', 'rehearsal', 'What is here?')).toContain(
      'choose a real model',
    );
  });
});

const EVERY_PACKAGE = ['core', 'context', 'testing', 'models', 'tools', 'agent']
  .map((name) => `export * as ${name} from '@heddle/${name}';\n`)
  .join('');

const CLIENT = `
import { createAgent } from 'heddle';
import { say, scriptedModel } from '@heddle/testing';
import { builtinTools } from '@heddle/tools';

const agent = createAgent({ model: scriptedModel([[say('It is empty.')]]), modelName: 'any', tools: builtinTools(), cwd: process.cwd() });
for await (const line of agent.submit('What is in this folder?')) {
  if (line.type === 'result') console.log(line.result);
}
`;

/**
 * The layout of an installer. Third-party packages are linked from this repository, so that no network is
 * needed.
 */
function install(release: string): void {
  const modules = path.join(project, 'node_modules');
  mkdirSync(path.join(modules, '@heddle'), { recursive: true });
  for (const name of ['core', 'context', 'testing', 'models', 'tools', 'agent'])
    cpSync(path.join(release, name), path.join(modules, '@heddle', name), { recursive: true });
  cpSync(path.join(release, 'cli'), path.join(modules, 'heddle'), { recursive: true });
  for (const name of readdirSync(path.join(root, 'node_modules'))) {
    if (name === '@heddle' || name === 'heddle' || name.startsWith('.')) continue;
    symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
  }
}

function run(command: string, ...args: string[]): string {
  const env = { ...process.env, HOME: project, HEDDLE_CONFIG_DIR: path.join(project, 'home') };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}
