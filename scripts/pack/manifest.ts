/** A package.json as it is published: exports lead to what was compiled, and nothing is left that only the house needs. */

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
 * The bundle looks for what it could not swallow (native modules, ripgrep) from its own place. So the program names
 * itself what the floors below it need: a strict installer gives a package only what it names.
 */
export function programManifest(manifest: Manifest, floors: readonly Manifest[]): Published {
  const library = libraryManifest(manifest);
  return {
    ...library,
    bin: { heddle: './bin/heddle.js' },
    dependencies: merged([manifest, ...floors].map((each) => each.dependencies)),
    optionalDependencies: merged(floors.map((each) => each.optionalDependencies)),
  };
}

function merged(lists: readonly (Versions | undefined)[]): Versions {
  return Object.fromEntries(lists.flatMap((list) => Object.entries(list ?? {})));
}
