import { describe, expect, it } from 'vitest';
import { libraryManifest, type Manifest, programManifest } from './manifest.ts';

const tools: Manifest = {
  name: '@heddle/tools',
  version: '0.1.0',
  exports: { '.': './src/index.ts', './shell': './src/shell/index.ts' },
  dependencies: { '@heddle/core': '0.1.0', diff: '9.0.0' },
  optionalDependencies: { sharp: '0.35.5' },
  devDependencies: { '@heddle/testing': '0.1.0' },
};
const program: Manifest = {
  name: 'heddle',
  version: '0.1.0',
  exports: { '.': './src/index.ts' },
  dependencies: { '@heddle/tools': '0.1.0' },
};

describe('a published package', () => {
  it('exports the compiled files, with their types', () => {
    expect(libraryManifest(tools).exports).toEqual({
      '.': { types: './lib/index.d.ts', default: './lib/index.js' },
      './shell': { types: './lib/shell/index.d.ts', default: './lib/shell/index.js' },
    });
  });

  it('has no dependency that only the repository needs', () => {
    expect(libraryManifest(tools)).not.toHaveProperty('devDependencies');
  });
});

describe('the published program', () => {
  it('lists all packages that its bundle loads at run time, because a strict installer provides no others', () => {
    const published = programManifest(program, [tools]);
    expect(published.dependencies).toEqual({
      '@heddle/core': '0.1.0',
      '@heddle/tools': '0.1.0',
      diff: '9.0.0',
    });
    expect(published.optionalDependencies).toEqual({ sharp: '0.35.5' });
    expect(published.bin).toEqual({ heddle: './bin/heddle.js' });
  });
});
