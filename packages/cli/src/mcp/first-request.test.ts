/** The first request of a script with MCP servers: it names them, and their entries are examined afterwards. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, type RequestBody, say, type ScriptStep, startFakeApi } from '@heddle/testing';
import { testServer } from '@heddle/testing/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const MODEL = 'claude-sonnet-4-5';
const CONNECTING = 'These MCP servers are connecting: ';

const servers = {
  first: testServer('first'),
  'second server': testServer('second'),
  third: testServer('third'),
};
const flags = (entries: object): string[] => ['--mcp-config', JSON.stringify({ mcpServers: entries })];

/** Runs prompts one after another in one home. Returns the requests as texts, and the standard errors. */
async function run(
  script: readonly ScriptStep[],
  runs: readonly (readonly string[])[],
  prepare?: (folder: string) => void,
): Promise<{ readonly requests: readonly string[]; readonly stderr: string }> {
  const api = await startFakeApi(script, { models: [MODEL] });
  const home = homeFor(installed.program);
  prepare?.(home.folder);
  let errors = '';
  for (const argv of runs) {
    const { stderr } = await home.run(['-p', 'go', '--model', `anthropic/${MODEL}`, ...argv], {
      env: { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'key' },
    });
    errors += stderr;
  }
  await api.close();
  const bodies = api.requests.filter(({ path: place }) => place === '/v1/messages');
  return {
    requests: bodies.map(({ body }) => JSON.stringify((body as RequestBody)['messages'])),
    stderr: errors,
  };
}

const timesIn = (text: string | undefined): number => (text ?? '').split(CONNECTING).length - 1;

describe('the first request', () => {
  it('names the servers once, and a resumed session names them again', async () => {
    const search = call('ToolSearch', { query: 'select:mcp__first__echo' }, 'c1');
    const { requests, stderr } = await run(
      [search, say('Done.'), say('Again.')],
      [flags(servers), [...flags(servers), '--continue']],
    );
    expect(stderr).toBe('');
    expect(requests).toHaveLength(3);
    expect(requests[0]).toContain(
      `${CONNECTING}first, second server, third. ToolSearch waits for their tools.`,
    );
    expect(requests[0]).not.toContain('has these tools');
    expect(requests[1]).toContain('The MCP server first has these tools: mcp__first__echo');
    expect(requests.map(timesIn)).toEqual([1, 1, 2]);
  });

  it('does not name servers that a rule, the user or an untrusted folder excludes', async () => {
    const { requests, stderr } = await run([say('Hi.')], [flags(servers)], (folder) => {
      mkdirSync(path.join(folder, 'config'));
      const write = (file: string, content: object): void =>
        writeFileSync(path.join(folder, file), JSON.stringify(content));
      write('config/settings.json', { deniedMcpServers: [{ serverName: 'third' }] });
      write('.mcp.json', { mcpServers: { project: testServer('p') } });
    });
    expect(requests[0]).toContain(`${CONNECTING}first, second server. `);
    expect(stderr).toContain('.mcp.json: project');
  });
});

describe('an entry with a mistake', () => {
  it('is reported to the user and to the model if it is found after the first request', async () => {
    const wrong = { command: 'true', args: 'not a list' };
    const { requests, stderr } = await run(
      [call('ToolSearch', { query: 'select:mcp__first__echo' }, 'c1'), say('Done.')],
      [flags({ first: testServer('first'), wrong })],
    );
    expect(requests[0]).toContain(`${CONNECTING}first, wrong.`);
    expect(stderr).toBe('heddle: command line: wrong: args is not a list of texts.\n');
    expect(requests[1]).toContain('The MCP server wrong is not available: its entry is not valid.');
  });

  it('is reported although the run ends before any request', async () => {
    const hooks = {
      SessionStart: [{ hooks: [{ type: 'command', command: 'echo \'{"continue":false}\'' }] }],
    };
    const { requests, stderr } = await run(
      [],
      [[...flags({ s: { command: '${NOT_SET_ANYWHERE}' } }), '--settings', JSON.stringify({ hooks })]],
    );
    expect(requests).toEqual([]);
    expect(stderr).toContain('s: the variable NOT_SET_ANYWHERE is not set, and has no default.');
  });

  it('is not named if it has no command', async () => {
    const { requests, stderr } = await run([say('Hi.')], [flags({ first: testServer('first'), wrong: {} })]);
    expect(requests[0]).toContain(`${CONNECTING}first. `);
    expect(stderr).toBe('heddle: command line: wrong: The entry has no command.\n');
  });
});
