/** Settings files in a real run, and answers of a host that are stored in settings. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let program = '';
let installed: Installed;
beforeAll(async () => {
  installed = await install();
  ({ program } = installed);
});
afterAll(() => installed.remove());

function place() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-run-'));
  const project = path.join(folder, 'project');
  mkdirSync(path.join(project, '.claude'), { recursive: true });
  const settings = (name: string, permissions: object) =>
    writeFileSync(path.join(project, '.claude', name), JSON.stringify({ permissions }));
  const start = (
    command: string,
    flags: readonly string[],
    onLine?: (line: string, send: (value: object) => void) => void,
  ) => {
    const script = path.join(folder, 'script.json');
    writeFileSync(script, JSON.stringify([call('Bash', { command }, 'b1'), say('Done.')]));
    const env = {
      ...process.env,
      HEDDLE_CONFIG_DIR: path.join(folder, 'config'),
      HOME: folder,
      NO_COLOR: '1',
    };
    const child = spawn(program, ['--model', `scripted:${script}`, ...flags], { cwd: project, env });
    const send = (value: object) => void child.stdin.write(`${JSON.stringify(value)}\n`);
    if (onLine) {
      send({ type: 'user', message: { role: 'user', content: 'go' } });
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        for (const line of chunk.split('\n').filter(Boolean)) onLine(line, send);
        if (chunk.includes('"type":"result"')) child.stdin.end();
      });
    } else child.stdin.end();
    return Promise.all([text(child.stdout), text(child.stderr)]);
  };
  const trust = () => {
    const projects = { [realpathSync(project)]: { hasTrustDialogAccepted: true } };
    mkdirSync(path.join(folder, 'config'), { recursive: true });
    writeFileSync(path.join(folder, 'config/.claude.json'), JSON.stringify({ projects }));
  };
  return { project, settings, start, trust };
}

const print = ['-p', 'go', '--output-format', 'json'];

describe('a run', () => {
  it('obeys the rules of the settings files', async () => {
    const { settings, start, trust, project } = place();
    settings('settings.local.json', { allow: ['Bash(touch *)'] });
    await start('touch made', print);
    expect(existsSync(path.join(project, 'made'))).toBe(false);
    trust();
    await start('touch made', print);
    expect(existsSync(path.join(project, 'made'))).toBe(true);
    settings('settings.json', { deny: ['Bash(touch *)'] });
    const [stdout] = await start('touch again', [...print, '--dangerously-skip-permissions']);
    expect(stdout).toContain('"permission_denials":[{"tool_name":"Bash"');
    expect(existsSync(path.join(project, 'again'))).toBe(false);
  });

  it('reports in one line what an untrusted folder may not do', async () => {
    const { settings, start, project } = place();
    settings('settings.json', { allow: ['Bash(touch *)'] });
    const [, stderr] = await start('touch made', print);
    expect(stderr).toMatch(
      /^heddle: Left out, because the folder is not trusted: .*settings\.json: 1 allow rule\. If you trust it: heddle permissions trust\n$/,
    );
    expect(existsSync(path.join(project, 'made'))).toBe(false);
  });

  it('stores the rules of an answer in the settings file of their scope', async () => {
    const { start, project } = place();
    let suggestions: unknown;
    const [stdout] = await start(
      'env run a',
      [
        '--input-format',
        'stream-json',
        '--output-format',
        'stream-json',
        '--verbose',
        '--permission-prompt-tool',
        'stdio',
      ],
      (line, send) => {
        const message = JSON.parse(line) as {
          type: string;
          request_id?: string;
          request?: Record<string, unknown>;
        };
        if (message.type !== 'control_request') return;
        suggestions = message.request?.['permission_suggestions'];
        const response = { behavior: 'allow', updatedPermissions: suggestions };
        send({
          type: 'control_response',
          response: { subtype: 'success', request_id: message.request_id, response },
        });
      },
    );
    expect(stdout).toContain('"type":"result"');
    expect(suggestions).toMatchObject([
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'env run a' }],
        destination: 'localSettings',
      },
    ]);
    expect(JSON.parse(readFileSync(path.join(project, '.claude/settings.local.json'), 'utf8'))).toEqual({
      permissions: { allow: ['Bash(env run a)'] },
    });
  });
});

it('fetches from a server on this machine only if a rule names it', async () => {
  const server = createServer((_, response) => response.end('what the server says'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
    const { run, script } = homeFor(program);
    const load = call('ToolSearch', { query: 'select:WebFetch' }, 's1');
    const model = script([load, call('WebFetch', { url, prompt: 'read it' }, 'w1'), say('Done.')]);
    const fetching = async (rule: string): Promise<string> =>
      (await run(['-p', 'go', '--model', model, '--allowed-tools', rule, '--output-format', 'stream-json']))
        .stdout;
    expect(await fetching('WebFetch')).toContain('a rule names the address itself');
    expect(await fetching('WebFetch(domain:127.0.0.1)')).toContain('what the server says');
  } finally {
    server.close();
  }
});
