/**
 * `npm run docs:viewer`: takes the pictures of docs/viewer.md from the real page, with a sample session and the browser of the
 * system. With a folder as argument, it takes every view in each width and theme, to be looked at.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadPage, startViewer } from '@heddle/viewer';
import { findBrowser, openBrowser, otherLog, writeLog, writeSample } from '@heddle/viewer/test';

const ROOT = path.resolve(import.meta.dirname, '..');
const ID = '5a3c1e20-7f41-4b8e-9a51-0c2d9be4a7f3';
const OTHER_ID = '8b0f6d11-2c5e-4a7d-8f90-1e2d3c4b5a69';

interface Picture {
  readonly name: string;
  readonly hash: string;
  readonly width: number;
  readonly height: number;
  readonly theme: 'light' | 'dark';
}

/** The page loads pieces of the transcript after it has drawn the first picture. */
const SETTLE_MS = 500;

const VIEWS = ['timeline', 'transcript', 'window', 'money', 'machine'];

const IN_DOCS: readonly Picture[] = [
  { name: 'viewer-timeline', hash: `#/session/${ID}/timeline`, width: 1600, height: 900, theme: 'light' },
  { name: 'viewer-window', hash: `#/session/${ID}/window`, width: 1600, height: 900, theme: 'dark' },
];

function allPictures(): Picture[] {
  const hashes = [
    ['sessions', '#/'],
    ['statistics', '#/statistics'],
    ['compare', `#/compare/${ID}/${OTHER_ID}`],
    ...VIEWS.map((view) => [view, `#/session/${ID}/${view}`] as const),
  ];
  const sizes = [
    { width: 400, height: 800 },
    { width: 1600, height: 900 },
  ];
  return hashes.flatMap(([view = '', hash = '']) =>
    sizes.flatMap((size) =>
      (['light', 'dark'] as const).map((theme) => {
        const { width, height } = size;
        return { name: `${view}-${width}-${theme}`, hash, width, height, theme };
      }),
    ),
  );
}

const executable = findBrowser();
if (executable === undefined) {
  console.error('No Chromium was found. Install one, or set HEDDLE_TEST_BROWSER.');
  process.exitCode = 1;
} else {
  await takePictures(executable);
}

async function takePictures(executable: string): Promise<void> {
  const [folder] = process.argv.slice(2);
  const target = path.resolve(folder ?? path.join(ROOT, 'docs/images'));
  mkdirSync(target, { recursive: true });
  const home = mkdtempSync(path.join(os.tmpdir(), 'heddle-pictures-'));
  const place = { configDir: path.join(home, 'config'), cwd: '/projects/calendar' };
  writeSample(place, ID);
  writeLog(otherLog(place.cwd), place, OTHER_ID);
  const viewer = await startViewer({
    place,
    page: await loadPage(),
    info: { version: '', session: undefined, canFork: false },
  });
  const browser = await openBrowser(executable);
  try {
    for (const { name, hash, width, height, theme } of folder === undefined ? IN_DOCS : allPictures()) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
      page.on('console', (message) => console.log(`${name}: ${message.text()}`));
      page.on('pageerror', (error) => console.log(`${name}: ${error.message}`));
      await page.goto(`${viewer.link()}&${hash.slice(1)}`, { waitUntil: 'commit' });
      await page.locator('.cards, .numbers, .panels, .pairs').first().waitFor();
      if (hash.startsWith('#/session/'))
        await page.locator('.row, .uplot canvas, .lanes canvas, .machine').first().waitFor();
      await page.waitForTimeout(SETTLE_MS);
      await page.screenshot({ path: path.join(target, `${name}.png`) });
      await page.close();
      console.log(`Wrote ${name}.png.`);
    }
  } finally {
    await browser.close();
    await viewer.close();
    rmSync(home, { recursive: true, force: true });
  }
}
