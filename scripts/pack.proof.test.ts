// The packages as another project has them: installed below node_modules, without our sources beside them.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
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

  it.each([
    ['es2022', '--module nodenext'],
    ['es2024', '--module nodenext'],
    ['es2022', '--module esnext --moduleResolution bundler'],
  ])('bring types that a strict client accepts, whole and under %s with %s', (target, modules) => {
    writeFileSync(path.join(project, 'types.ts'), EVERY_PACKAGE + CLIENT);
    const flags = `--noEmit --strict --skipLibCheck false ${modules} --types node`;
    run(
      path.join(root, 'node_modules/.bin/tsc'),
      ...`${flags} --target ${target} --lib ${target} types.ts`.split(' '),
    );
  });

  it('have entries and types that publint and attw accept', () => {
    const tools = installed('checkers', 'publint@0.3.25', '@arethetypeswrong/cli@0.18.5');
    const release = path.join(project, 'release');
    for (const name of [...LIBRARIES, 'cli'])
      run(path.join(tools, '.bin/publint'), path.join(release, name), '--strict');
    const archives = readdirSync(release).filter((file) => file.endsWith('.tgz'));
    expect(archives).toHaveLength(LIBRARIES.length + 1);
    for (const archive of archives)
      run(path.join(tools, '.bin/attw'), path.join(release, archive), '--profile', 'esm-only');
  });

  it.each(['22.18.0', '24.20.0', process.versions.node])('run every example on Node %s', (version) => {
    const node = version === process.versions.node ? process.execPath : nodeOf(version);
    expect(run(node, '--version').trim()).toBe(`v${version}`);
    for (const code of examples()) {
      const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript'];
      expect(run(node, ...flags, '-e', code)).not.toBe('');
    }
  });

  it('bring the program', () => {
    const program = path.join(project, 'node_modules/heddle/bin/heddle.js');
    expect(run(process.execPath, program, '-p', '--model', 'rehearsal', 'What is here?')).toContain(
      'choose a real model',
    );
  });
});

const LIBRARIES = ['core', 'context', 'testing', 'models', 'tools', 'mcp', 'agent'];

/** The examples for embedding, and those of the package READMEs. */
function examples(): string[] {
  const documents = ['docs/embedding.md', 'packages/cli/README.md', 'packages/agent/README.md'];
  const texts = documents.map((name) => readFileSync(path.join(root, name), 'utf8'));
  return texts.flatMap((text) =>
    [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(({ 1: code = '' }) => code),
  );
}

/** Installs packages from the registry, and returns their folder. Needs the network. */
function installed(folder: string, ...packages: string[]): string {
  const place = path.join(project, folder);
  mkdirSync(place);
  writeFileSync(path.join(place, 'package.json'), '{"private":true}');
  run('npm', 'install', '--prefix', place, '--no-audit', '--no-fund', '--ignore-scripts', ...packages);
  return path.join(place, 'node_modules');
}

/** The program of another version of Node. */
function nodeOf(version: string): string {
  const { platform, arch } = process;
  const name = `node-${platform === 'darwin' && arch === 'arm64' ? 'bin-' : ''}${platform}-${arch}`;
  return path.join(installed(`node-${version}`, `${name}@${version}`), name, 'bin/node');
}

const EVERY_PACKAGE = LIBRARIES.map((name) => `export * as ${name} from '@heddle/${name}';\n`).join('');

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
  for (const name of LIBRARIES)
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
