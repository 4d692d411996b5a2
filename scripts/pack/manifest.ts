/**
 * Creates the published package.json: exports point to compiled files, and parts that only the repository
 * needs are removed.
 */

type Versions = Readonly<Record<string, string>>;

export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly devDependencies?: Versions;
};

export type Published = Omit<Manifest, 'exports' | 'devDependencies'> & {
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
  readonly bin?: Versions;
};

export function libraryManifest(manifest: Manifest): Published {
  const { exports, devDependencies: _ours, ...kept } = manifest;
  const compiled = Object.entries(exports).map(([name, source]) => {
    const file = source.replace('./src/', './lib/').replace(/\.ts$/, '');
    return [name, { types: `${file}.d.ts`, default: `${file}.js` }] as const;
  });
  return { ...kept, exports: Object.fromEntries(compiled) };
}

/**
 * The bundle loads packages that it cannot include (native modules, ripgrep) from its own location. So the
 * program lists the dependencies of the packages below it: a strict installer gives a package only those
 * that it lists.
 */
export function programManifest(manifest: Manifest, lowerPackages: readonly Manifest[]): Published {
  const library = libraryManifest(manifest);
  return {
    ...library,
    bin: { heddle: './bin/heddle.js' },
    dependencies: merged([manifest, ...lowerPackages].map((each) => each.dependencies)),
    optionalDependencies: merged(lowerPackages.map((each) => each.optionalDependencies)),
  };
}

function merged(lists: readonly (Versions | undefined)[]): Versions {
  return Object.fromEntries(lists.flatMap((list) => Object.entries(list ?? {})));
}
