// `npm run prepare`: bundles the program into dist/, which bin/heddle runs while no source is newer.
// Tests name a folder of their own, so as not to pull the ground from under each other.
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type * as esbuild from 'esbuild';

type Build = typeof esbuild.build;

const root = path.dirname(import.meta.dirname);
const program = path.join(root, 'packages/cli/src/main.ts');
const dist = path.resolve(process.argv[2] ?? path.join(root, 'dist'));

// The compile cache can only serve modules loaded after it is enabled, so the program is one import away.
// It lies beside the bundle: the shared temporary folder could be filled by another user, and an environment
// variable would reach every command the agent runs.
const entry = `import { enableCompileCache } from 'node:module';
enableCompileCache(import.meta.dirname + '/.cache');
await import('./program.js');
`;

// Bundled CommonJS dependencies call require() for Node's own modules.
const requireForCommonJs = `import { createRequire as createRequireForBundle } from 'node:module';
const require = createRequireForBundle(import.meta.url);`;

const build = await loadEsbuild();
if (!existsSync(program)) {
  console.log('bundle: there is no packages/cli/src/main.ts, nothing to do');
} else if (build === undefined) {
  console.log('bundle: esbuild is not installed, bin/heddle will run the sources');
} else {
  await bundle(build);
}

async function bundle(build: Build): Promise<void> {
  const startedAt = new Date();
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: { program },
    outdir: dist,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22.18',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'linked',
    legalComments: 'external',
    banner: { js: requireForCommonJs },
    logLevel: 'warning',
  });
  writeFileSync(path.join(dist, 'main.js'), entry);

  // Written last, so that half a bundle is never run; dated at the start, so that a source saved during the
  // build is newer than it.
  const stamp = path.join(dist, '.stamp');
  writeFileSync(stamp, '');
  utimesSync(stamp, startedAt, startedAt);
}

/** Development dependencies may have been left out of the installation; that must not make it fail. */
async function loadEsbuild(): Promise<Build | undefined> {
  try {
    return (await import('esbuild')).build;
  } catch {
    return undefined;
  }
}
