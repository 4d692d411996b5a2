/**
 * The page in a real Chromium. Without one, these tests are left out, and the following goes untested: drawing, keyboard,
 * scrolling, the policy against scripts, and the growth of a live session. The model, the reader and the server have tests of
 * their own.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildPage, type PageFiles } from './build/build-page.ts';
import { exportSession } from './export-session.ts';
import { startViewer, type Viewer } from './server/server.ts';
import { findBrowser, openBrowser } from './test/browser.ts';
import { otherLog, SampleLog, writeLog, writeSample } from './test/sample-session.ts';

const executable = findBrowser();
const SAMPLE = 'sample-0001';
const OTHER = 'sample-0002';
const HOSTILE = 'sample-0003';
const LIVE = 'sample-0004';
const LONG = 'sample-0005';
const LONG_TURNS = 600;
/** Logs that lack something: everything, all but a prompt, and the token counts, as in a log of another program. */
const POOR: Readonly<Record<string, readonly object[]>> = {
  'poor-empty': [],
  'poor-prompt': [{ type: 'user', uuid: 'u1', message: { role: 'user', content: 'Only a prompt' } }],
  'poor-other': [
    { type: 'summary', summary: 'A title', leafUuid: 'u2' },
    { type: 'user', uuid: 'u2', message: { role: 'user', content: 'Fix it' } },
    {
      type: 'assistant',
      uuid: 'a2',
      parentUuid: 'u2',
      message: { id: 'm', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'Fixed.' }] },
    },
  ],
};
const EVIL = '<img src=x onerror="window.owned=1"><script>window.owned=1</script>\u001b[31m\u202egnp.exe';

let home = '';
let viewer: Viewer;
let browser: Browser;
/** One page for all tests: a new one would log in and load the script again. */
let page: Page;
let files: PageFiles;
/** Errors of the page, refused scripts, and requests to other hosts. */
let problems: string[] = [];
const paths = new Map<string, string>();

test.runIf(executable === undefined)(
  'no Chromium: drawing, keyboard, policy and live growth are untested',
  () => {
    expect(findBrowser()).toBeUndefined();
  },
);

describe.runIf(executable !== undefined)('the page in Chromium', () => {
  beforeAll(async () => {
    home = mkdtempSync(path.join(os.tmpdir(), 'heddle-page-'));
    const place = { configDir: home, cwd: '/project' };
    paths.set(SAMPLE, writeSample(place, SAMPLE));
    paths.set(OTHER, writeLog(otherLog('/project'), place, OTHER));
    paths.set(HOSTILE, writeLog(hostileLog(), place, HOSTILE));
    appendFileSync(
      paths.get(HOSTILE) ?? '',
      'not json\n{"type":"from the future","text":"x"}\n{"type":"user","mess',
    );
    const live = new SampleLog().begin('/project').prompt('Watch me grow');
    live.now = Date.now();
    paths.set(LIVE, writeLog(live, place, LIVE));
    paths.set(LONG, writeLog(longLog(), place, LONG));
    for (const [id, lines] of Object.entries(POOR)) {
      const file = path.join(home, `${id}.jsonl`);
      const common = { sessionId: id, cwd: '/p', timestamp: '2026-01-02T03:04:05.678Z', parentUuid: null };
      writeFileSync(file, lines.map((line) => `${JSON.stringify({ ...common, ...line })}\n`).join(''));
      paths.set(id, file);
    }
    files = await buildPage();
    const info = { version: '1', session: undefined, canFork: false };
    const poor = new Map([...paths].filter(([id]) => id in POOR));
    viewer = await startViewer({ place, page: files, info, files: poor });
    browser = await openBrowser(executable ?? '');
    page = await browser.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('request', (request) => {
      if (!request.url().startsWith(`http://127.0.0.1:${viewer.port}/`) && !request.url().startsWith('data:'))
        problems.push(`a request to ${request.url()}`);
    });
    await page.goto(viewer.link(), { waitUntil: 'commit' });
    await page.locator('.card').first().waitFor();
  });

  afterEach(() => {
    const found = problems;
    problems = [];
    expect(found).toEqual([]);
  });

  afterAll(async () => {
    await browser.close();
    await viewer.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** The list of sessions comes first, so that no view keeps the state or the focus of an earlier test. */
  async function open(hash: string): Promise<void> {
    await page.setViewportSize({ width: 1_600, height: 900 });
    await page.goto(`http://127.0.0.1:${viewer.port}/#/`);
    await page.locator('.session').waitFor({ state: 'detached' });
    await page.goto(`http://127.0.0.1:${viewer.port}/#${hash}`);
  }

  test('shows every view without overflow, narrow and wide, light and dark', async () => {
    await open(`/session/${SAMPLE}/timeline`);
    for (const [view, wanted] of [
      ['timeline', '.lanes canvas'],
      ['window', '.uplot canvas'],
      ['money', '.uplot canvas'],
      ['machine', '.machine .lit-now'],
      ['transcript', '.row.user'],
    ] as const) {
      await page.locator(`.tabs a:text-is("${view}")`).click();
      for (const width of [400, 1_600])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          await page.locator(wanted).first().waitFor();
          expect(await page.evaluate(OVERFLOW), `${view} ${width} ${colorScheme}`).toBeLessThanOrEqual(0);
          if (view === 'timeline') expect(await page.evaluate(COLORS)).toBeGreaterThan(20);
        }
    }
  });

  test('a long transcript has few elements, and its end and its middle can be reached', async () => {
    await open(`/session/${LONG}/transcript`);
    await page.locator('.row', { hasText: 'Turn 3 is done.' }).waitFor();
    await page.locator('.chip:text-is("completed")').waitFor();
    expect(await page.locator('.row').count()).toBeLessThan(60);
    await page.evaluate(SCROLL_TO_END);
    await page.locator('.row', { hasText: `Turn ${LONG_TURNS - 1} is done.` }).waitFor();
    expect(await page.locator('.row').count()).toBeLessThan(60);
    await open(`/session/${LONG}/transcript?line=${lineOf('Turn 300 is done.')}`);
    await page.locator('.row.selected', { hasText: 'Turn 300 is done.' }).waitFor();
  });

  test('a selected line is reached if its part of the log arrives late', async () => {
    const { promise: firstRows, resolve } = Promise.withResolvers<void>();
    const laterFacts = /\/facts\?from=[1-9]/;
    await page.route(laterFacts, async (route) => {
      await firstRows;
      await route.continue();
    });
    await open(`/session/${LONG}/transcript?line=${lineOf('Turn 400 is done.')}`);
    await page.locator('.row').first().waitFor();
    // The rows at the end of the first page would be shown now.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    resolve();
    await page.locator('.row.selected', { hasText: 'Turn 400 is done.' }).waitFor();
    await page.unroute(laterFacts);
  });

  test.each([
    [
      'poor-empty',
      ['The log has no message.', 'No request has a size', 'No request has a cost', 'no turn yet'],
    ],
    [
      'poor-prompt',
      ['Only a prompt', 'No request has a size', 'No request has a cost', 'autocompact may run'],
    ],
    ['poor-other', ['Fixed.', 'without token counts', 'without token counts', 'autocompact may run']],
  ])('names in every view what the log lacks: %s', async (id, wanted) => {
    await open(`/session/${id}/timeline`);
    await page.locator('.lanes canvas').waitFor();
    for (const [index, view] of ['transcript', 'window', 'money', 'machine'].entries()) {
      await page.locator(`.tabs a:text-is("${view}")`).click();
      await page
        .getByText(wanted[index] ?? '')
        .first()
        .waitFor();
    }
  });

  test('marks retries, the fallback, the compaction, the subagent and lost cache prefixes', async () => {
    await open(`/session/${SAMPLE}/timeline`);
    await page.getByText('retry: overloaded ×2').waitFor();
    await page.getByText('model fallback').waitFor();
    expect(await page.locator('.lane-names span').allTextContents()).toEqual([
      'Model',
      'Tools',
      'Check the calendar page',
      'Tools',
    ]);
    await page.keyboard.press('3');
    await page.getByRole('button', { name: 'autocompact' }).click();
    await page.locator('.beside .selected').getByText('Next: the calendar page.').first().waitFor();
    await page.keyboard.press('4');
    await page.getByText('The model changed from claude-opus-4-5 to claude-sonnet-4-5.').waitFor();
  });

  test('works with the keyboard: select a bar, open it in the transcript, search', async () => {
    await open(`/session/${SAMPLE}/timeline`);
    await page.locator('.lanes canvas').focus();
    // The session may still be loading: each round goes to the start, and then to the third bar.
    const third = async (): Promise<string | null> => {
      for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowRight', 'ArrowRight'])
        await page.keyboard.press(key);
      return page.locator('.detail').textContent();
    };
    await expect.poll(third).toContain('Read: src/date.ts');
    await page.keyboard.press('Enter');
    await page.locator('.beside .row.selected', { hasText: 'src/date.ts' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('leap years are correct');
    await page.locator('.hits button').first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.row.selected mark').waitFor();
    await page.locator('.lanes canvas').focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('switch the view').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' });
  });

  test('steps through the decisions of the machine and back', async () => {
    await open(`/session/${SAMPLE}/machine`);
    await page.locator('.step').waitFor();
    const reached = (state: string) =>
      page.locator(`.machine .card.lit-now + text:text-is("${state}")`).waitFor();
    await reached('begin');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await reached('stream');
    await page.getByText('continue next_turn').first().waitFor();
    await page.keyboard.press('ArrowLeft');
    await reached('prepare');
    await page.getByText('The machine decides the same again.').waitFor();
  });

  test('grows while a live session is watched', async () => {
    await open(`/session/${LIVE}/transcript`);
    await page.getByText('Watch me grow').first().waitFor();
    const line = readFileSync(paths.get(OTHER) ?? '', 'utf8')
      .split('\n')
      .find((text) => text.includes('"Bash"'));
    appendFileSync(paths.get(LIVE) ?? '', `${line}\n`);
    await page.locator('.row', { hasText: 'npm test -- date' }).waitFor();
  });

  test('shows a hostile transcript as text', async () => {
    await open(`/session/${HOSTILE}/transcript`);
    await page.getByText('<script>window.owned=1</script>').first().waitFor();
    await page.getByText('could not be read').waitFor();
    await page.getByText('The log ends with an unfinished line.').waitFor();
    const text = (await page.locator('.scroller').textContent()) ?? '';
    for (const control of ['\u001b', '\u202e']) expect(text).not.toContain(control);
    expect(await page.evaluate('window.owned')).toBeUndefined();
  });

  test('an exported file opens from disk, asks for nothing and runs no script of the transcript', async () => {
    const target = path.join(home, 'run.html');
    writeFileSync(
      target,
      exportSession({ file: paths.get(HOSTILE) ?? '', version: '1', page: files, redact: (value) => value }),
    );
    const other = await browser.newPage();
    const requests: string[] = [];
    other.on('request', (request) => requests.push(request.url()));
    await other.goto(pathToFileURL(target).href);
    await other.locator('.tabs a:text-is("transcript")').click();
    await other.getByText('<script>window.owned=1</script>').first().waitFor();
    expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([pathToFileURL(target).href]);
    expect(await other.evaluate('window.owned')).toBeUndefined();
    await other.close();
  });

  test('lists, filters, compares and sums up sessions', async () => {
    await open('/');
    await page.locator('.card').nth(4).waitFor();
    await page.getByLabel('Filter sessions').fill('leap years');
    expect(await page.locator('.card').count()).toBe(2);
    await page.goto(`http://127.0.0.1:${viewer.port}/#/compare/${SAMPLE}/${OTHER}`);
    await page.locator('.pair.different', { hasText: 'Edit src/date.ts' }).waitFor();
    await page.goto(`http://127.0.0.1:${viewer.port}/#/statistics`);
    await page.locator('.bar-row', { hasText: 'api error' }).waitFor();
  });

  test('a link that was used opens nothing in another browser', async () => {
    const link = viewer.link();
    const one = await browser.newContext();
    const two = await browser.newContext();
    const first = await one.newPage();
    await first.goto(link);
    await first.locator('.card').first().waitFor();
    expect(first.url()).not.toContain('token');
    const second = await two.newPage();
    await second.goto(link);
    await second.getByText('This link was used or has expired.').waitFor();
    await one.close();
    await two.close();
  });
});

function hostileLog(): SampleLog {
  const log = new SampleLog().begin('/project').prompt(EVIL);
  log.text(100, `${EVIL}\n\`\`\`${EVIL}\n`);
  log
    .call(100, EVIL, EVIL, { command: EVIL, [EVIL]: EVIL })
    .answer(100, 10)
    .intent(EVIL, EVIL);
  return log.result(EVIL, `${EVIL}${'x'.repeat(300_000)}`, true);
}

/** Returns the number of the line of the long log that has the text. */
function lineOf(text: string): number {
  return readFileSync(paths.get(LONG) ?? '', 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(text));
}

function longLog(): SampleLog {
  const log = new SampleLog().begin('/project').prompt('Work for a long time.');
  for (let turn = 0; turn < LONG_TURNS; turn++) {
    log.call(100, `call-${turn}`, 'Read', { file_path: `src/${turn}.ts` }).answer(50, 20, 0.01);
    log
      .intent(`call-${turn}`, 'Read')
      .result(`call-${turn}`, 'const value = 1;\n')
      .nextTurn(turn + 2);
    log.text(100, `Turn ${turn} is done.`);
  }
  return log.answer(50, 20, 0.01).end();
}

/** These run in the page. */
const SCROLL_TO_END = "document.querySelector('.scroller').scrollTop = 1e9";
const OVERFLOW = 'document.documentElement.scrollWidth - innerWidth';
const COLORS = `(() => {
  const canvas = document.querySelector('.lanes canvas');
  return new Set(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).size;
})()`;
