/**
 * `npm run bench:viewer`: opens a session of 10,000 messages (100 MB) with `heddle view` in the browser of the system. Prints the
 * time to the first picture, the long tasks while it is moved and scrolled, and the memory of the server. Then it opens the list of
 * 1,000 sessions.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findBrowser, openBrowser, otherLog, SampleLog, writeLog } from '@heddle/viewer/test';

const ID = 'bench-0001';
const ROUNDS = 3_333;
const RESULT_CHARS = 29_000;
const SESSIONS = 1_000;
const ROOT = path.dirname(import.meta.dirname);

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof openBrowser>>['newPage']>>;

/** The pixels below the visible part. */
const LEFT_TO_SCROLL = `(() => {
  const list = document.querySelector('.scroller');
  return list.scrollHeight - list.scrollTop - list.clientHeight;
})()`;

/** An event of the browser's trace. Durations are microseconds: by the clock, and of the thread. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

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
console.log(`load average: ${os.loadavg()[0]?.toFixed(1)}`);
console.log(`session: ${(statSync(file).size / 1e6).toFixed(0)} MB`);

const browser = await openBrowser(executable);
const asked = performance.now();
const server = spawn(path.join(ROOT, 'bin/heddle'), ['view', ID], {
  cwd: home,
  env: { PATH: process.env['PATH'] ?? '', HOME: home, HEDDLE_CONFIG_DIR: path.join(home, 'config') },
  stdio: ['ignore', 'pipe', 'ignore'],
});
try {
  const [chunk] = await once(server.stdout.setEncoding('utf8'), 'data');
  const link = String(chunk).trim();
  console.log(`from the command to the link: ${(performance.now() - asked).toFixed(0)} ms`);
  const page = await browser.newPage({ viewport: { width: 1_600, height: 900 } });

  await measured(page, 'load', async () => {
    const opened = performance.now();
    const passed = (): string => `${(performance.now() - opened).toFixed(0)} ms`;
    await page.goto(`${link}&/session/${ID}/timeline`, { waitUntil: 'commit' });
    await page.locator('.row').first().waitFor();
    await page.locator('.lanes canvas').waitFor();
    console.log(`from the link to the first picture, with timeline and transcript: ${passed()}`);
    await page.locator('.chip:text-is("completed")').waitFor();
    console.log(`from the link to the whole session: ${passed()}`);
  });

  await measured(page, 'move the timeline from its start to its end', async () => {
    for (let press = 0; press < 8; press++) await page.getByLabel('Zoom in').click();
    await page.locator('.lanes canvas').hover();
    for (let turn = 0; turn < 30; turn++) await wheel(page, -1_000, 0);
    for (let turn = 0; turn < 120; turn++) await wheel(page, 1_000, 0);
  });

  await page.goto(`http://127.0.0.1:${new URL(link).port}/#/session/${ID}/transcript`);
  await page.locator('.transcript .row').first().waitFor();
  await page.locator('.scroller').hover();
  await measured(page, 'scroll the transcript by 60 screens', async () => {
    for (let turn = 0; turn < 60; turn++) await wheel(page, 0, 900);
  });
  await measured(page, 'scroll the transcript to its end', async () => {
    while ((await page.evaluate<number>(LEFT_TO_SCROLL)) > 1) await wheel(page, 0, 4_000);
  });
  console.log(`memory of the server: ${memoryOf(server.pid ?? 0)}`);

  await measured(page, 'search, machine, window, money and all sessions', async () => {
    await page.getByLabel('Search the transcript').fill('file-3000.ts');
    await page.locator('.hits button').first().waitFor();
    for (const [view, wanted] of [
      ['machine', '.machine .lit-now'],
      ['window', '.uplot canvas'],
      ['money', '.uplot canvas'],
    ] as const) {
      await page.locator(`.tabs a:text-is("${view}")`).click();
      await page.locator(wanted).first().waitFor();
    }
    await page.getByLabel('All sessions').click();
    await page.locator('.card').first().waitFor();
  });
  console.log(`memory of the server after all views: ${memoryOf(server.pid ?? 0)}`);
  await listSessions(page, link);
} finally {
  await browser.close();
  server.kill('SIGINT');
  rmSync(home, { recursive: true, force: true });
}

/** The new sessions are not in the index of the list yet, so that each file is read once. */
async function listSessions(page: Page, link: string): Promise<void> {
  const log = otherLog(home);
  for (let count = 0; count < SESSIONS; count++)
    writeLog(log, { configDir: path.join(home, 'config'), cwd: path.join(home, `project-${count % 20}`) }, `list-${count}`);
  const origin = new URL(link).origin;
  for (const what of ['for the first time', 'again']) {
    await page.goto(`${origin}/#/session/${ID}/money`);
    await page.locator('.session').waitFor();
    const asked = performance.now();
    await page.goto(`${origin}/#/`);
    await page.locator('.more', { hasText: 'Show more' }).waitFor();
    console.log(`the list of ${SESSIONS} sessions ${what}: ${(performance.now() - asked).toFixed(0)} ms`);
  }
  const typed = performance.now();
  await page.getByLabel('Filter sessions').fill(`list-${SESSIONS - 1}`);
  await page.locator('.card').nth(1).waitFor({ state: 'detached' });
  console.log(`one of them found by typing: ${(performance.now() - typed).toFixed(0)} ms`);
  const added = performance.now();
  await page.goto(`${origin}/#/statistics`);
  await page.getByText(/^the newest \d+ sessions/).waitFor();
  console.log(`statistics: ${(performance.now() - added).toFixed(0)} ms`);
  console.log(`memory of the server after them: ${memoryOf(server.pid ?? 0)}`);
}

async function wheel(page: Page, x: number, y: number): Promise<void> {
  await page.mouse.wheel(x, y);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/**
 * Prints the tasks of the page's main thread over 50 ms: by the clock, which other work on the machine delays, and by the processor
 * time of the thread.
 */
async function measured(page: Page, name: string, work: () => Promise<void>): Promise<void> {
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await work();
  const { traceEvents }: { traceEvents: readonly TraceEvent[] } = JSON.parse(
    String(await browser.stopTracing()),
  );
  const main = traceEvents.filter((event) => event.args?.name === 'CrRendererMain').map(threadOf);
  const tasks = traceEvents.filter((event) => event.name === 'RunTask' && main.includes(threadOf(event)));
  const clock = overLimit(tasks.map(({ dur = 0 }) => dur / 1_000));
  const processor = overLimit(tasks.map(({ tdur = 0 }) => tdur / 1_000));
  console.log(`${name}: ${tasks.length} tasks; by the clock ${clock}; by processor time ${processor}`);
}

function overLimit(durations: readonly number[]): string {
  const longest = durations.reduce((most, duration) => Math.max(most, duration), 0);
  return `${durations.filter((ms) => ms > 50).length} over 50 ms, the longest ${longest.toFixed(0)} ms`;
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid}/${tid}`;
}

/** The present and the largest resident size. */
function memoryOf(pid: number): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): string =>
    `${(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024).toFixed(0)} MB`;
  return `${of('VmRSS')}, at most ${of('VmHWM')}`;
}
