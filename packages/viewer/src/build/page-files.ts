/** Loads the built page, and writes the HTML around it. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { PageFiles } from './build-page.ts';

/** The folder of the built page beside the bundled program. */
const PAGE_FOLDER = 'viewer';

/** Loads the page that was built with the program. The sources build it on each start. */
export async function loadPage(): Promise<PageFiles> {
  const here = import.meta.dirname;
  for (const folder of [path.join(here, PAGE_FOLDER), path.join(here, '..', PAGE_FOLDER)]) {
    const script = path.join(folder, 'page.js');
    if (existsSync(script))
      return {
        script: readFileSync(script, 'utf8'),
        style: readFileSync(path.join(folder, 'page.css'), 'utf8'),
      };
  }
  const { buildPage } = await import('./build-page.ts');
  return buildPage();
}

const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Heddle</title>
<link rel="icon" href="data:,">`;

/** The page of the server, which asks for its data. */
export function pageHtml(): string {
  return `${HEAD}
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
</head>
<body><div id="app"></div></body>
</html>
`;
}

/** One file with everything in it. It opens from disk and asks no host for anything. */
export function standaloneHtml({ script, style }: PageFiles, data: object): string {
  const code = script.replaceAll('</script', String.raw`<\/script`);
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(code)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  // A data block is not executed. The escape keeps the text from ending the block.
  const json = JSON.stringify(data).replaceAll('<', String.raw`\u003c`);
  return `${HEAD}
<meta http-equiv="Content-Security-Policy" content="${policy}">
<style>${style}</style>
</head>
<body><div id="app"></div>
<script type="application/json" id="heddle-data">${json}</script>
<script type="module">${code}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
