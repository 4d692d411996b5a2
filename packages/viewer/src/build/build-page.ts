/** Builds the page with vite. It needs the development dependencies; the bundled program contains the result. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The picture of the machine, printed from the machine by `npm run docs:diagram`. */
const DIAGRAM = path.join(import.meta.dirname, '../../../../docs/machine.svg');
/** The built page: its script and its style. */
export interface PageFiles {
  readonly script: string;
  readonly style: string;
}

export async function buildPage(): Promise<PageFiles> {
  const { build } = await import('vite');
  const root = path.join(import.meta.dirname, '../page');
  const result = await build({
    root,
    configFile: false,
    // Warnings about the speed of the build are of no use to a person who runs the sources.
    logLevel: 'error',
    publicDir: false,
    define: { MACHINE_SVG: JSON.stringify(readFileSync(DIAGRAM, 'utf8')) },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2023',
      modulePreload: false,
      cssCodeSplit: false,
      rolldownOptions: {
        input: path.join(root, 'main.tsx'),
        output: { entryFileNames: 'page.js', assetFileNames: 'page[extname]', codeSplitting: false },
      },
    },
  });
  const outputs = [result].flat().flatMap((one) => ('output' in one ? one.output : []));
  const script = outputs.find((one) => one.type === 'chunk')?.code;
  const style = outputs.find((one) => one.type === 'asset' && one.fileName === 'page.css');
  if (script === undefined || style?.type !== 'asset') throw new Error('The page could not be built.');
  return { script, style: styleText(style.source) };
}

function styleText(source: string | Uint8Array): string {
  return typeof source === 'string' ? source : Buffer.from(source).toString('utf8');
}
