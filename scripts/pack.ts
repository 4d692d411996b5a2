/**
 * `npm run pack`: the packages in their published form, unpacked and as archives. Node does not run
 * TypeScript below `node_modules`, so each becomes JavaScript with its types. The program itself is
 * published as the bundle: it starts faster, and its users need no compiler.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import agent from '../packages/agent/package.json' with { type: 'json' };
import cli from '../packages/cli/package.json' with { type: 'json' };
import context from '../packages/context/package.json' with { type: 'json' };
import core from '../packages/core/package.json' with { type: 'json' };
import mcp from '../packages/mcp/package.json' with { type: 'json' };
import models from '../packages/models/package.json' with { type: 'json' };
import testing from '../packages/testing/package.json' with { type: 'json' };
import tools from '../packages/tools/package.json' with { type: 'json' };
import { ENTRY } from './pack/entry.ts';
import { libraryManifest, type Manifest, programManifest } from './pack/manifest.ts';

const root = path.dirname(import.meta.dirname);
const release = path.resolve(process.argv[2] ?? path.join(root, 'release'));
const compiled = path.join(release, '.compiled');
const sources = new Map<string, Manifest>(
  Object.entries({ core, context, testing, models, tools, mcp, agent, cli }),
);

rmSync(release, { recursive: true, force: true });
mkdirSync(compiled, { recursive: true });
compile();
for (const [name, manifest] of sources) assemble(name, manifest);
rmSync(compiled, { recursive: true });
console.log(`The packages are in ${path.relative(process.cwd(), release) || '.'}.`);

/** Everything that an export reaches, and nothing else: no tests and no test helpers. */
function compile(): void {
  const config = path.join(compiled, 'tsconfig.json');
  const files = [...sources].flatMap(([name, manifest]) =>
    Object.values(manifest.exports).map((file) => path.join(root, 'packages', name, file)),
  );
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    rootDir: path.join(root, 'packages'),
    outDir: compiled,
    typeRoots: [path.join(root, 'node_modules/@types')],
  };
  writeFileSync(
    config,
    JSON.stringify({ extends: path.join(root, 'tsconfig.json'), compilerOptions, files, include: [] }),
  );
  run('tsc', ['-p', config]);
}

function assemble(name: string, manifest: Manifest): void {
  const folder = path.join(release, name);
  cpSync(path.join(compiled, name, 'src'), path.join(folder, 'lib'), { recursive: true });
  copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  if (name === 'cli') addProgram(folder);
  const lowerPackages = [...sources.values()].filter((other) => other !== manifest);
  const published = name === 'cli' ? programManifest(manifest, lowerPackages) : libraryManifest(manifest);
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
  run('npm', ['pack', '--silent', '--pack-destination', release], folder);
}

function addProgram(folder: string): void {
  copyFileSync(path.join(root, 'README.md'), path.join(folder, 'README.md'));
  run(process.execPath, [path.join(root, 'scripts/bundle.ts'), path.join(folder, 'dist')]);
  mkdirSync(path.join(folder, 'bin'));
  writeFileSync(path.join(folder, 'bin/heddle.js'), ENTRY, { mode: 0o755 });
}

function run(command: string, args: readonly string[], cwd = root): void {
  const bin = path.join(root, 'node_modules/.bin');
  const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env['PATH']}` };
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw error ?? new Error(`${command} ended with ${status}`);
}
