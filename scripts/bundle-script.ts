// `node scripts/bundle-script.ts SCRIPT FOLDER`: bundles a script of the tests with everything that it imports.
import { build } from 'rolldown';

const [script = '', folder = ''] = process.argv.slice(2);

await build({
  input: [script],
  platform: 'node',
  // Packages that load their own files.
  external: ['vite', '@dbos-inc/dbos-sdk'],
  logLevel: 'warn',
  output: { dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
});
