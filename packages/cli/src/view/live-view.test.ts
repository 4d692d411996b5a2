/** The page of `heddle view` beside the real program: it shows a session with subagents while they work, and afterwards. */
import { execFileSync } from 'node:child_process';
import { globSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, EVENT_DEADLINE_MS, say, startFakeApi, TEST_DEADLINE_MS } from '@heddle/testing';
import { loadPage, startViewer } from '@heddle/viewer';
import { findBrowser, openBrowser } from '@heddle/viewer/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

type Reply = ReturnType<typeof say>;

const MODEL = 'claude-sonnet-4-5';
const executable = findBrowser();
let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const WAIT = 'until [ -e go ]; do sleep 0.05; done; echo released';

/** The main conversation starts four subagents at once. The first waits for the file `go`. */
function script(body: Readonly<Record<string, unknown>>): Reply | Reply[] {
  const text = JSON.stringify(body['messages']);
  const isDone = text.includes('released');
  if (text.includes('You are a copy')) return say('The copy is done.');
  if (!text.includes('MAIN TASK')) {
    if (text.includes('Wait for the file') && !isDone)
      return [call('Bash', { command: WAIT, description: 'wait for the file' }, 'bash-1')];
    return say('Done.');
  }
  if (text.includes('tool_result')) return say('All subagents are done.');
  const task = (id: string, description: string, more: object) =>
    call('Agent', { description, prompt: `${description}.`, ...more }, id);
  return [
    task('a1', 'Wait for the file', { subagent_type: 'general-purpose' }),
    task('a2', 'Copy the talk', { subagent_type: 'fork' }),
    task('a3', 'Work aside', { subagent_type: 'general-purpose', run_in_background: true }),
    task('a4', 'Work elsewhere', { subagent_type: 'general-purpose', isolation: 'worktree' }),
  ];
}

describe.runIf(executable !== undefined)('the page beside a running session', () => {
  test(
    'shows each subagent in lanes of its own while it works, and the end',
    async () => {
      const home = homeFor(installed.program);
      for (const argv of [
        ['init', '-q'],
        ['commit', '-q', '--allow-empty', '-m', 'first'],
      ])
        execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...argv], { cwd: home.folder });
      // A worktree is checked out only in a trusted folder.
      await home.run(['permissions', 'trust']);
      const api = await startFakeApi(script, { models: [MODEL] });
      const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
      const running = home.run(['-p', 'MAIN TASK', '--model', MODEL, '--allowed-tools', 'Bash'], { env });
      const configDir = path.join(home.folder, 'config');
      const files = (): string[] => globSync(path.join(configDir, 'projects/*/*.jsonl'));
      await expect.poll(files, { timeout: EVENT_DEADLINE_MS }).toHaveLength(1);
      const id = path.basename(files()[0] ?? '', '.jsonl');
      const info = { version: '', session: undefined, canFork: false };
      const viewer = await startViewer({ place: { configDir }, page: await loadPage(), info });
      const browser = await openBrowser(executable ?? '');
      try {
        const page = await browser.newPage({ viewport: { width: 1_600, height: 900 } });
        await page.goto(`${viewer.link()}&/session/${id}/timeline`);
        const lanes = (): Promise<string[]> => page.locator('.lane-names .depth-1').allTextContents();
        const names = ['Copy the talk (fork)', 'Wait for the file', 'Work aside (background)'];
        await expect
          .poll(async () => (await lanes()).filter((name) => name !== 'Tools').toSorted(), {
            timeout: EVENT_DEADLINE_MS,
          })
          .toEqual([...names, 'Work elsewhere (worktree)']);
        // The call of the first subagent runs, and its bar is open.
        await page.locator('.chip.live').waitFor();
        await expect.poll(lanes, { timeout: EVENT_DEADLINE_MS }).toContain('Tools');
        writeFileSync(path.join(home.folder, 'go'), '');
        await page.locator('.chip.good').waitFor({ timeout: EVENT_DEADLINE_MS });
        await page.locator('.beside .row', { hasText: 'All subagents are done.' }).last().waitFor();
        expect(await running).toMatchObject({ code: 0, stdout: 'All subagents are done.\n' });
      } finally {
        await browser.close();
        await viewer.close();
        await api.close();
      }
    },
    TEST_DEADLINE_MS,
  );
});
