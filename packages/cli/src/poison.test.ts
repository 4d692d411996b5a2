/**
 * One bad item in a stored history, in the real program. The session is resumed with a fake API that validates every
 * request. It continues within two requests, and the next prompt needs only one.
 */
import path from 'node:path';
import { newSession } from '@heddle/agent';
import { SUMMARY_MARK } from '@heddle/context';
import type { ContentBlock, EntryBody } from '@heddle/core';
import {
  type ApiScript,
  call,
  type FakeApi,
  type FakeApiOptions,
  raw,
  say,
  startFakeApi,
  usage,
} from '@heddle/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from './test/home.ts';
import { install, type Installed, linesOf } from './test/program.ts';

const MODEL = 'claude-sonnet-4-5';
const ID = '11111111-2222-4333-8444-555555555555';

const ARGV = ['--model', `anthropic/${MODEL}`, '--output-format', 'stream-json', '--verbose', '--resume', ID];

let installed: Installed;
const open: FakeApi[] = [];
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());
afterEach(async () => {
  for (const api of open.splice(0)) await api.close();
});

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const image = (data: string): ContentBlock => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
});

let count = 0;

function user(content: string | readonly ContentBlock[]): EntryBody {
  return { type: 'user', message: { type: 'user', uuid: `u${++count}`, at: count, content } };
}

function says(...content: readonly ContentBlock[]): EntryBody {
  const uuid = `a${++count}`;
  const message = { type: 'assistant', uuid, at: count, responseId: uuid, model: MODEL, content } as const;
  return { type: 'assistant', message };
}

function step(id: string, output: string): EntryBody[] {
  const result: ContentBlock = { type: 'tool_result', tool_use_id: id, content: output };
  return [says({ type: 'tool_use', id, name: 'Read', input: { file_path: `/${id}` } }), user([result])];
}

/** Creates a session with the bad item in the middle. */
function homeWith(...poison: readonly EntryBody[]): Home {
  const home = homeFor(installed.program);
  const opened = newSession(
    {
      place: { configDir: path.join(home.folder, 'config'), cwd: home.folder },
      version: '0',
      durability: 'process',
      now: () => 1_000,
    },
    ID,
  );
  if (!opened.ok) throw new Error(opened.message);
  const { journal } = opened.session;
  for (const entry of [user('Look at this.'), ...step('t1', 'fine'), ...poison, ...step('t2', 'fine')])
    journal.append(entry);
  journal.append(says(text('I see.')));
  journal.append({ type: 'end', terminal: { reason: 'completed' } });
  journal.close();
  return home;
}

/** Sends two prompts to the session. Returns the number of requests of each. */
async function requestsFor(
  home: Home,
  script: ApiScript,
  options: FakeApiOptions = {},
  refusals = 0,
): Promise<number[]> {
  const api = await startFakeApi(script, { models: [MODEL], ...options });
  open.push(api);
  const env = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: api.url };
  const counts: number[] = [];
  const asked = () => api.requests.filter(({ path: to }) => to === '/v1/messages').length;
  for (const prompt of ['Continue.', 'And now?']) {
    const before = asked();
    const ended = await home.run(['-p', prompt, ...ARGV], { env });
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect(linesOf(ended.stdout).at(-1)).toMatchObject({ subtype: 'success', result: 'Done.' });
    counts.push(asked() - before);
  }
  expect(api.problems).toHaveLength(refusals);
  return counts;
}

const DONE: ApiScript = () => say('Done.');

/** Rejects a block with the error of the API. */
const rejects =
  (isBad: (block: unknown) => boolean, where: string): ApiScript =>
  (body) => {
    const messages = body['messages'];
    const places = Array.isArray(messages)
      ? messages.flatMap((message: { content: unknown[] }, at) =>
          message.content.flatMap((block, place) =>
            isBad(block) ? [`messages.${at}.content.${place}`] : [],
          ),
        )
      : [];
    if (places.length === 0) return say('Done.');
    const message = `${places[0]}${where}`;
    return raw(400, JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }));
  };

const isOf =
  (type: string) =>
  (block: unknown): boolean =>
    typeof block === 'object' && block !== null && 'type' in block && block.type === type;

describe('resuming a session', () => {
  it('survives an oversized image', async () => {
    const home = homeWith(user([text('this'), image('A'.repeat(6 * 1024 * 1024))]), says(text('Well.')));
    expect(await requestsFor(home, DONE)).toEqual([1, 1]);
  });

  it('survives an image that the API cannot read', async () => {
    const home = homeWith(user([text('this'), image('aGVk')]), says(text('Well.')));
    const script = rejects(isOf('image'), '.image.source.base64.data: Could not process image');
    expect(await requestsFor(home, script)).toEqual([2, 1]);
  });

  it('survives a bad signature', async () => {
    const home = homeWith(says({ type: 'thinking', thinking: 'hm', signature: 'forged' }, text('So.')));
    expect(await requestsFor(home, DONE, { badSignatures: 'refuse' })).toEqual([2, 1]);
  });

  it('survives an orphaned call and an orphaned result', async () => {
    const lost = says({ type: 'tool_use', id: 'lost', name: 'Read', input: {} });
    expect(await requestsFor(homeWith(lost), DONE)).toEqual([1, 1]);
    const found = user([{ type: 'tool_result', tool_use_id: 'unknown', content: 'x' }]);
    expect(await requestsFor(homeWith(found), DONE)).toEqual([1, 1]);
  });

  it('survives a result of 5 MB', async () => {
    const home = homeWith(...step('big', 'All work and no play. '.repeat(250_000)));
    expect(await requestsFor(home, DONE)).toEqual([1, 1]);
  });

  it('survives lone surrogates', async () => {
    const home = homeWith(user('\uD83E'), ...step('half', 'a\uDC00b'));
    expect(await requestsFor(home, DONE)).toEqual([1, 1]);
  });

  it('survives a block of an unknown type', async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what another program, or a later version, may store
    const hologram = { type: 'hologram', data: 'x' } as unknown as ContentBlock;
    const home = homeWith(says(hologram, text('There.')));
    // The fake API rejects the block and names its position.
    expect(await requestsFor(home, DONE, { validate: true }, 1)).toEqual([2, 1]);
  });
});

describe('/compact through the program', () => {
  it('works as a prompt, with instructions, on a resumed session and over stream-json', async () => {
    const home = homeWith(
      ...Array.from({ length: 12 }, (_, at) => step(`s${at}`, `line ${at} `.repeat(200))).flat(),
    );
    const summary: ApiScript = (body) =>
      JSON.stringify(body['messages']).includes(SUMMARY_MARK)
        ? [usage({ output_tokens: 40 }), say('## Intent\nContinue with the SQL.')]
        : say('Done.');
    const api = await startFakeApi(summary, { models: [MODEL] });
    open.push(api);
    const env = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: api.url };
    const once = await home.run(['-p', '/compact focus on the SQL', ...ARGV], { env });
    const lines = linesOf(once.stdout);
    expect(lines.map(({ subtype }) => subtype)).toEqual([
      'init',
      'status',
      'status',
      'compact_boundary',
      'success',
    ]);
    expect(lines.at(-1)).toMatchObject({ is_error: false, result: '', local_command: 'compact' });
    expect([once.code, api.requests.length]).toEqual([0, 1]);
    expect(JSON.stringify(api.requests[0]?.body)).toContain('the user asks: focus on the SQL');

    const input = [
      { type: 'user', message: { role: 'user', content: [text('/compact')] } },
      { type: 'user', message: { role: 'user', content: 'Continue.' } },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');
    const streamed = await home.run(['-p', '--input-format', 'stream-json', ...ARGV], { env, input });
    const results = linesOf(streamed.stdout).filter(({ type }) => type === 'result');
    expect(results.map(({ result, local_command: command }) => [result, command])).toEqual([
      ['', 'compact'],
      ['Done.', undefined],
    ]);
    const sent = JSON.stringify(api.requests.at(-1)?.body);
    expect(sent).toContain('Continue with the SQL.');
    expect(sent).toContain('Look at this.');
    api.assertNoViolations();
  });

  it('reads the large output of an earlier call again without a question, unless a rule forbids it', async () => {
    for (const isDenied of [false, true]) {
      const home = homeWith(...step('big', `needle ${'hay '.repeat(250_000)}`));
      const config = path.join(home.folder, 'config');
      const script: ApiScript = (body) => {
        const words = JSON.stringify(body['messages']);
        if (words.includes('"tool_use_id":"again"')) return say('Done.');
        const file = /All of it is in ([^;]+); read it/.exec(words)?.[1];
        return file?.startsWith(config)
          ? call('Read', { file_path: file, limit: 1 }, 'again')
          : say(`There is no file: ${file}`);
      };
      const api = await startFakeApi(script, { models: [MODEL] });
      open.push(api);
      const env = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: api.url };
      const rule = isDenied ? ['--disallowedTools', `Read(/${config}/**)`] : [];
      const ended = await home.run(['-p', 'Look again.', ...ARGV, ...rule], { env });
      const lines = linesOf(ended.stdout);
      expect(lines.at(-1)).toMatchObject({
        result: 'Done.',
        permission_denials: isDenied ? [{ tool_name: 'Read' }] : [],
      });
      expect(JSON.stringify(lines).includes('needle')).toBe(!isDenied);
    }
  });
});
