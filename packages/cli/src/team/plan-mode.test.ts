/** A lead that changes to plan mode after its team has started in acceptEdits, through the shipped program. */
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { call, say, startFakeApi } from '@heddle/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const MODEL = 'claude-sonnet-4-5';
const FLAGS = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

it.each([
  ['TaskCreate', { subject: 'Write the file' }],
  ['TaskUpdate', { taskId: '1', owner: 'ada' }],
  ['SendMessage', { to: 'ada', message: 'Write the file' }],
  ['SendMessage', { to: '*', message: 'Write the file' }],
] as const)('in plan mode, a lead gives its members no work with %s %j', async (tool, input) => {
  const results = new Map<string, string>();
  const home = homeFor(installed.program);
  const api = await startFakeApi(
    (body) => {
      const text = JSON.stringify(body);
      if (!text.includes('Build it.'))
        return text.includes('"tool_result"')
          ? say('Done.')
          : call('Write', { file_path: path.join(home.folder, 'made.txt'), content: 'x' }, 'm1');
      for (const [, id = '', rest = ''] of text.matchAll(/"tool_use_id":"(c\d)"(.{0,300})/g))
        results.set(id, rest);
      if (!results.has('c0'))
        return call('ToolSearch', { query: `select:TeamCreate,TeamDelete,${tool}` }, 'c0');
      if (!results.has('c1')) return call('TeamCreate', { team_name: 'crew', members: ['ada'] }, 'c1');
      if (!text.includes('Plan it.')) return say('Ready.');
      if (!results.has('c2')) return call(tool, input, 'c2');
      return say('Planned.');
    },
    { models: [MODEL] },
  );
  const send = (child: ChildProcess, value: object): void =>
    void child.stdin?.write(`${JSON.stringify(value)}\n`);
  const prompt = (content: string): object => ({ type: 'user', message: { role: 'user', content } });
  let isPlanning = false;
  try {
    await home.run(
      [
        ...FLAGS,
        '--model',
        `anthropic/${MODEL}`,
        '--permission-mode',
        'acceptEdits',
        '--allowed-tools=TeamCreate',
      ],
      {
        env: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url },
        input: null,
        onStart: (child) => send(child, prompt('Build it.')),
        onOutput(stdout, child) {
          if (!isPlanning && stdout.includes('"result":"Ready."')) {
            isPlanning = true;
            const request = { subtype: 'set_permission_mode', mode: 'plan' };
            send(child, { type: 'control_request', request_id: 'r1', request });
            send(child, prompt('Plan it.'));
          }
          if (stdout.includes('"result":"Planned."')) child.stdin?.end();
        },
      },
    );
    expect(results.get('c2')).toContain('Plan mode: nothing with effects runs.');
    expect(existsSync(path.join(home.folder, 'made.txt'))).toBe(false);
  } finally {
    await home.run(['team', 'remove', 'crew']);
    await api.close();
  }
});
