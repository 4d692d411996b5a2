/**
 * `npm run bench:viewer`: opens a session of 10,000 messages (100 MB) with `heddle view` in the browser of the system. Prints the
 * time to the first picture, the long tasks while it is scrolled, and the memory of the server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findBrowser, openBrowser, SampleLog, writeLog } from '@heddle/viewer/test';

const ID = 'bench-0001';
const ROUNDS = 3_333;
const RESULT_CHARS = 29_000;
const ROOT = path.dirname(import.meta.dirname);

/** Each round has a call, its result and a text: three messages. */
function longLog(cwd: string): SampleLog {
  const log = new SampleLog().begin(cwd).prompt('Read every file of this project.');
  for (let round = 0; round < ROUNDS; round++) {
    const id = `call-${round}`;
    log.call(800, id, 'Read', { file_path: `src/file-${round}.ts` }).answer(100, 80, 0.01).intent(id, 'Read');
    const line = `${round}: export const value = compute(input, options);\n`;
    log.wait(40).result(id, line.repeat(Math.ceil(RESULT_CHARS / line.length))).nextTurn(round + 2);
    log.text(300, `File ${round} exports one value.`);
    if (round % 500 === 499) log.compact(`The first ${round} files were read.`, 4_000);
  }
  return log.answer(100, 20, 0.01).end();
}

const executable = findBrowser();
if (executable === undefined) throw new Error('No Chromium was found. Set HEDDLE_TEST_BROWSER.');
const home = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-viewer-'));
const file = writeLog(longLog(home), { configDir: path.join(home, 'config'), cwd: home }, ID);
console.log(`session: ${(statSync(file).size / 1e6).toFixed(0)} MB`);

const server = spawn(path.join(ROOT, 'bin/heddle'), ['view', ID], {
  cwd: home,
  env: { PATH: process.env['PATH'] ?? '', HOME: home, HEDDLE_CONFIG_DIR: path.join(home, 'config') },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await openBrowser(executable);
try {
  const [chunk] = await once(server.stdout.setEncoding('utf8'), 'data');
  const link = String(chunk).trim();
  const page = await browser.newPage({ viewport: { width: 1_600, height: 900 } });
  await page.addInitScript(`window.tasks = [];
    new PerformanceObserver((list) => { for (const { startTime, duration } of list.getEntries()) window.tasks.push([startTime, duration]); })
      .observe({ type: 'longtask', buffered: true });`);
  const started = performance.now();
  await page.goto(`${link}&/session/${ID}/timeline`, { waitUntil: 'commit' });
  await page.locator('.row').first().waitFor();
  await page.locator('.lanes canvas').waitFor();
  console.log(`first picture, with timeline and transcript: ${(performance.now() - started).toFixed(0)} ms`);
  await page.locator('.chip:text-is("completed")').waitFor();
  console.log(`whole session loaded: ${(performance.now() - started).toFixed(0)} ms`);
  const whileLoading = await page.evaluate<[number, number][]>('window.tasks.splice(0)');
  report('while loading', whileLoading);

  await page.goto(`http://127.0.0.1:${new URL(link).port}/#/session/${ID}/transcript`);
  await page.locator('.transcript .row').first().waitFor();
  await page.evaluate('window.tasks.splice(0)');
  await page.locator('.scroller').hover();
  for (let turn = 0; turn < 60; turn++) {
    await page.mouse.wheel(0, 900);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }
  report('while scrolling 60 screens', await page.evaluate<[number, number][]>('window.tasks.splice(0)'));
  console.log(`memory of the server: ${memoryOf(server.pid ?? 0)}`);
} finally {
  await browser.close();
  server.kill('SIGINT');
  rmSync(home, { recursive: true, force: true });
}

function report(when: string, tasks: readonly (readonly [number, number])[]): void {
  const longest = tasks.reduce((most, [, duration]) => Math.max(most, duration), 0);
  console.log(`${when}: ${tasks.length} tasks over 50 ms, the longest ${longest.toFixed(0)} ms`);
}

/** The present and the largest resident size. */
function memoryOf(pid: number): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): string =>
    `${(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024).toFixed(0)} MB`;
  return `${of('VmRSS')}, at most ${of('VmHWM')}`;
}
