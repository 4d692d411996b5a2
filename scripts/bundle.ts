// `npm run prepare`: bundles the program into dist/, which bin/heddle runs while no source is newer. Each
// test uses its own folder, so that tests do not affect each other.
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import type * as rolldown from 'rolldown';
import { keepCode } from './bundle/keep-code.ts';

type Build = typeof rolldown.build;
type Program = ReturnType<rolldown.PluginContext['parse']>;

const root = path.dirname(import.meta.dirname);
const program = path.join(root, 'packages/cli/src/main.ts');
const dist = path.resolve(process.argv[2] ?? path.join(root, 'dist'));

// CommonJS, because an `import` of a Node module touches all its exports and loads their dependencies.
// Names are kept for readable stack traces. The output is ASCII, which V8 stores in half the memory.
const common = {
  platform: 'node',
  // Only the sources build the page when they run. The bundle contains the built page.
  external: ['vite'],
  transform: { target: 'node22.18' },
  logLevel: 'warn',
  output: {
    dir: dist,
    format: 'cjs',
    minify: { compress: true, mangle: false, codegen: { asciiOnly: true } },
  },
} satisfies rolldown.RolldownOptions;

const start: rolldown.BuildOptions = {
  ...common,
  input: { main: path.join(root, 'scripts/bundle/start.ts') },
};

/**
 * Makes the library of prices faster. It sorts names of ASCII letters by the rules of the user's language: the first such
 * comparison takes 12 to 25 ms in every session, and the plain order of characters serves as well. Its list of all models
 * takes 15 ms to load, and a session needs those of one provider. It makes a list of pairs for each comparison of
 * dimensions, and the keys are enough.
 */
const prices: rolldown.Plugin = {
  name: 'prices',
  transform: {
    filter: { id: /genai-prices/ },
    handler(code) {
      const ordered = code
        .replaceAll(/([\w.]+)\.localeCompare\(([\w.]+)\)/g, '($1<$2?-1:$1>$2?1:0)')
        .replaceAll(
          /Object\.entries\((\w+\.\w+)\)\.every\(\(\[(\w+), (\w+)\]\) => (\w+\.\w+)\[\2\] === \3\)/g,
          'Object.keys($1).every(($2) => $4[$2] === $1[$2])',
        );
      // The map of this library is not exact then: nearly all of it is data.
      return { code: withModelsOnUse(ordered, this.parse(ordered)), map: null };
    },
  },
};

/** Replaces the list of providers, the first value of the library. The models of each are parsed when they are read. */
function withModelsOnUse(code: string, { body: [first] }: Program): string {
  const list = first?.type === 'VariableDeclaration' ? first.declarations[0]?.init : undefined;
  if (list?.type !== 'ArrayExpression') throw new Error('The library of prices has another form.');
  const texts = String(
    runInNewContext(`JSON.stringify(${code.slice(list.start, list.end)}.map(
      ({ models, ...about }) => [JSON.stringify(about), JSON.stringify(models)],
    ))`),
  );
  return `${code.slice(0, list.start)}${texts}.map(${PROVIDER_OF_TEXTS})${code.slice(list.end)}`;
}

/** A function in the bundle. */
const PROVIDER_OF_TEXTS = `([about, models]) => Object.defineProperty(JSON.parse(about), 'models', {
  get() {
    const value = JSON.parse(models);
    Object.defineProperty(this, 'models', { value });
    return value;
  },
  enumerable: true,
  configurable: true,
})`;

const parts: rolldown.BuildOptions = {
  ...common,
  plugins: [prices],
  input: { program },
  output: {
    ...common.output,
    chunkFileNames: 'chunks/[name]-[hash].js',
    sourcemap: true,
    // The function that `start.ts` calls.
    postBanner: '(function(exports,require,module,__filename,__dirname){',
    postFooter: '})',
    // One file per way to start: finding, reading and linking fifty small ones takes longer than running
    // them.
    codeSplitting: {
      groups: [
        { name: 'program', test: /cli\/src\/main\.ts$/, priority: 3 },
        { name: 'print', test: /cli\/src\/headless\/print\.ts$|anthropic\/port\.ts$/, priority: 2 },
        { name: 'servers', test: /cli\/src\/mcp\/connect-servers\.ts$/, priority: 1.5 },
        { name: 'chat', test: /cli\/src\/conversation\/chat\.ts$/, priority: 1 },
      ],
    },
  },
};

const build = await loadRolldown();
if (!existsSync(program)) {
  console.log('bundle: there is no packages/cli/src/main.ts, nothing to do');
} else if (build === undefined) {
  console.log('bundle: rolldown is not installed, bin/heddle will run the sources');
} else {
  await bundle(build);
}

async function bundle(build: Build): Promise<void> {
  const startedAt = new Date();
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  writeFileSync(path.join(dist, 'package.json'), '{"type":"commonjs"}\n');
  await Promise.all([build([start, parts]), bundlePage()]);
  await keepCode(dist).catch((thrown: unknown) => console.log('bundle: no code is kept:', thrown));

  // Written last, so that an incomplete bundle never runs. Dated at the start, so that a source saved
  // during the build is newer.
  const stamp = path.join(dist, '.stamp');
  writeFileSync(stamp, '');
  utimesSync(stamp, startedAt, startedAt);
}

/** Builds the page of `heddle view`. */
async function bundlePage(): Promise<void> {
  const { buildPage } = await import('@heddle/viewer/build');
  const { script, style } = await buildPage();
  const folder = path.join(dist, 'viewer');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'page.js'), script);
  writeFileSync(path.join(folder, 'page.css'), style);
}

/** Development dependencies may be missing from the installation. That must not make it fail. */
async function loadRolldown(): Promise<Build | undefined> {
  try {
    return (await import('rolldown')).build;
  } catch {
    return undefined;
  }
}
