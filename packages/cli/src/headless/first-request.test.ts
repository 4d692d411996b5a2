/** Tests the text before the conversation, in the first request and in later ones, with a fake Messages API. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { estimateText } from '@heddle/context';
import { say, startFakeApi, type FakeApi } from '@heddle/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

const MODEL = 'claude-sonnet-4-5';

let installed: Installed;
const apis: FakeApi[] = [];

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());
afterEach(async () => {
  for (const api of apis.splice(0)) await api.close();
});

interface Body {
  readonly system: readonly { readonly text: string }[];
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly content: unknown }[];
  readonly output_config?: unknown;
}

/** Runs the program once for each list of flags, in one home; answers with the first request of each run. */
async function requestsOf(
  runs: readonly (readonly string[])[],
  prepare: (home: Home, run: number) => void = () => undefined,
): Promise<{ readonly bodies: readonly Body[]; readonly api: FakeApi }> {
  const api = await startFakeApi(
    runs.map((_, index) => say(`Answer ${index}.`)),
    { models: [MODEL] },
  );
  apis.push(api);
  const home = homeFor(installed.program);
  const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
  for (const [run, flags] of runs.entries()) {
    prepare(home, run);
    const argv = ['-p', `prompt ${run}`, '--model', `anthropic/${MODEL}`, ...flags];
    expect(await home.run(argv, { env })).toMatchObject({ code: 0, stderr: '' });
  }
  api.assertNoViolations();
  return { bodies: api.requests.map(({ body }) => body as Body), api };
}

const opening = ({ messages }: Body): string => JSON.stringify(messages[0]?.content);

describe('the head of the first request', () => {
  it('is small: system prompt and tools stay under 16 kB together', async () => {
    const { bodies } = await requestsOf([[]]);
    const [{ system, tools }] = bodies as [Body];
    const head = JSON.stringify(system) + JSON.stringify(tools);
    const tokens = estimateText(head);
    console.log(`The head of the first request: ${Buffer.byteLength(head)} bytes, about ${tokens} tokens.`);
    expect(Buffer.byteLength(head)).toBeLessThan(16_000);
    // A server caches nothing below its minimum, 1,024 tokens for most models.
    expect(tokens).toBeGreaterThan(2_048);
  });

  it('is the prompt, then the place; tools come in the order of their names', async () => {
    const { bodies } = await requestsOf([['--append-system-prompt', 'Be kind.']]);
    const [{ system, tools }] = bodies as [Body];
    expect(system.map(({ text }) => text.split('\n')[0])).toEqual([
      expect.stringMatching(/^You are Heddle/),
      'Be kind.',
      expect.stringMatching(/^Working directory: /),
    ]);
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
  });

  it('carries the budget for the task', async () => {
    const { bodies, api } = await requestsOf([['--task-budget', '30000']]);
    expect(bodies[0]).toMatchObject({
      output_config: { task_budget: { type: 'tokens', total: 30_000, remaining: 30_000 } },
    });
    expect(api.requests[0]?.headers['anthropic-beta']).toMatch(/task-budgets/);
  });
});

describe('what the place says', () => {
  it('stands before the first message: the date, the branch, the instructions', async () => {
    const { bodies } = await requestsOf([[]], ({ folder }) => {
      execFileSync('git', ['init', '-q', '-b', 'topic'], { cwd: folder });
      writeFileSync(path.join(folder, 'AGENTS.md'), 'Indent with tabs.');
    });
    const [body] = bodies as [Body];
    expect(opening(body)).toMatch(/<system-reminder>.*Today's date.*on branch topic.*Indent with tabs\./);
    expect(JSON.stringify(body.system)).not.toMatch(/topic|tabs/);
  });

  it('is as it was when a session is resumed, whatever has changed, and new in a new one', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    const { bodies } = await requestsOf([['--session-id', id], ['--resume', id], []], ({ folder }, run) => {
      writeFileSync(path.join(folder, 'AGENTS.md'), `Rule ${run}.`);
    });
    const [first, resumed, other] = bodies as [Body, Body, Body];
    expect(resumed.system).toEqual(first.system);
    expect(resumed.tools).toEqual(first.tools);
    expect(opening(resumed)).toContain('Rule 0.');
    expect(opening(resumed)).not.toContain('Rule 1.');
    expect(opening(other)).toContain('Rule 2.');
  });

  it('is not looked for with --bare, nor read from sources that are left out', async () => {
    const write = ({ folder }: Home): void => writeFileSync(path.join(folder, 'AGENTS.md'), 'Never seen.');
    const { bodies } = await requestsOf([['--bare'], ['--setting-sources', 'user']], write);
    for (const body of bodies) expect(opening(body)).not.toContain('Never seen.');
  });
});
