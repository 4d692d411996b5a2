/** Finds the browser of the system for tests and pictures. Nothing is downloaded. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const PLACES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/** Returns undefined if the system has no Chromium. */
export function findBrowser(): string | undefined {
  const given = process.env['HEDDLE_TEST_BROWSER'];
  if (given) return given;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const candidates = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  return [...candidates, ...PLACES].find((file) => existsSync(file));
}

/** The sandbox of Chromium does not work for root. The page is our own, and reads only test data. */
export function openBrowser(executablePath: string): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({ executablePath, args: isRoot ? ['--no-sandbox'] : [] });
}
