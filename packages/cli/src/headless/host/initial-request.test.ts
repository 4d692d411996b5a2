/** Agents, plugins and managed settings that a host sends in its first line, and plugins that it adds later. */
import { call, say } from '@heddle/testing';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  answers,
  closeAtResult,
  control,
  isResult,
  prompt,
  replyTo,
  resultsOf,
} from './test/conversation.ts';
import { stage } from './test/stage.ts';

const play = stage();

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A plugin with a command, an agent and a hook. Its command has the text HELLO FROM THE PLUGIN. */
function writePlugin(folder: string): string {
  const plugin = path.join(folder, 'acme');
  write(path.join(plugin, '.claude-plugin/plugin.json'), '{"name":"acme"}');
  write(path.join(plugin, 'commands/hello.md'), 'HELLO FROM THE PLUGIN');
  write(path.join(plugin, 'agents/checker.md'), '---\nname: checker\ndescription: Checks\n---\nYou check.');
  const hook = { type: 'command', command: 'touch "$CLAUDE_PROJECT_DIR/hooked"' };
  const hooks = { UserPromptSubmit: [{ hooks: [hook] }] };
  write(path.join(plugin, 'hooks/hooks.json'), JSON.stringify({ hooks }));
  return plugin;
}

const INITIALIZE = { subtype: 'initialize', systemPrompt: [''] };
const REVIEWER = { description: 'Reviews', prompt: 'YOU REVIEW CODE.', tools: ['Read'] };

describe('an agent for the main conversation', () => {
  it('may be defined in the first line of the host', async () => {
    const { api, lines } = await play([say('Reviewed.')], {
      flags: ['--agent=reviewer'],
      first: [control('i', { ...INITIALIZE, agents: { reviewer: REVIEWER } }), prompt('go')],
      reply: closeAtResult,
    });
    expect(lines.at(-1)).toMatchObject({ result: 'Reviewed.' });
    const body = JSON.stringify(api.requests[0]?.body);
    expect(body).toContain('YOU REVIEW CODE.');
    expect(body).not.toContain('"name":"Bash"');
  });

  it('that is not defined ends the program with the names of those that are', async () => {
    const held = await play([], {
      flags: ['--agent=reviewer'],
      first: [prompt('go')],
      reply: closeAtResult,
    });
    expect(held.code).toBe(2);
    expect(held.stderr).toContain('there is no agent named reviewer');
  });
});

describe('plugins', () => {
  it('in the first line are loaded if the program waits for it', async () => {
    let plugin = '';
    const first = [
      { ...control('i', INITIALIZE), request: { ...INITIALIZE, plugins: [] as object[] } },
      prompt('/acme:hello'),
    ] as const;
    const held = await play([say('Hello.')], {
      flags: ['--await-initialize'],
      prepare: (folder) => {
        plugin = writePlugin(folder);
        first[0].request.plugins.push({ type: 'local', path: plugin });
      },
      first,
      reply: closeAtResult,
    });
    expect(replyTo('i', held)).toMatchObject({ response: { plugins_applied: true } });
    expect(JSON.stringify(held.api.requests[0]?.body)).toContain('HELLO FROM THE PLUGIN');
    expect(held.lines.find(({ subtype }) => subtype === 'init')).toMatchObject({
      plugins: [{ name: 'acme', path: plugin }],
      agents: expect.arrayContaining(['acme:checker']),
    });
    expect(existsSync(path.join(held.folder, 'hooked'))).toBe(true);
  });

  it('can be added to a running session, with commands, agents and hooks', async () => {
    let plugin = '';
    const held = await play([say('One.'), say('Two.')], {
      prepare: (folder) => {
        plugin = writePlugin(folder);
      },
      first: [control('i', INITIALIZE), prompt('go')],
      reply: (line, folder) => {
        if (isResult(line)) {
          if (line['result'] === 'Two.') return 'close';
          expect(existsSync(path.join(folder, 'hooked'))).toBe(false);
          const added = [{ type: 'local', path: plugin }];
          return control('r', { subtype: 'reload_plugins', add_plugins: added });
        }
        return answers(line, 'r') ? prompt('/acme:hello') : undefined;
      },
    });
    expect(replyTo('r', held)).toMatchObject({
      response: {
        plugins: [{ name: 'acme', path: plugin }],
        commands: expect.arrayContaining([expect.objectContaining({ name: 'acme:hello' })]),
        agents: expect.arrayContaining([expect.objectContaining({ name: 'acme:checker' })]),
        error_count: 0,
      },
    });
    expect(JSON.stringify(held.api.requests[1]?.body)).toContain('HELLO FROM THE PLUGIN');
    expect(existsSync(path.join(held.folder, 'hooked'))).toBe(true);
  });

  it.each([
    ['a list', {}],
    ['absolute', [{ type: 'local', path: 'acme' }]],
    ['local', [{ path: '/acme' }]],
  ])('are refused unless they are %s', async (_, given) => {
    const held = await play([], {
      first: [control('r', { subtype: 'reload_plugins', add_plugins: given })],
      closes: true,
    });
    expect(replyTo('r', held)).toMatchObject({
      subtype: 'error',
      error: expect.stringContaining('absolute'),
    });
  });
});

describe('managed settings in the first line', () => {
  const flags = ['--managed-settings-in-initialize', '--allowed-tools', 'Bash'];

  it('apply', async () => {
    const managedSettings = { permissions: { deny: ['Bash(touch *)'] } };
    const held = await play([call('Bash', { command: 'touch made' }, 'b'), say('Denied.')], {
      flags,
      first: [control('i', { ...INITIALIZE, managedSettings }), prompt('go')],
      reply: closeAtResult,
    });
    expect(replyTo('i', held)).toMatchObject({ response: { managed_settings_applied: true } });
    expect(resultsOf(held)).toMatchObject([{ permission_denials: [{ tool_name: 'Bash' }] }]);
    expect(existsSync(path.join(held.folder, 'made'))).toBe(false);
  });

  it.each([
    ['another line', prompt('go')],
    ['a request without them', control('i', INITIALIZE)],
  ])('that are missing prevent the start: %s', async (_, line) => {
    const held = await play([], { flags, first: [line], closes: true });
    expect(held.code).toBe(2);
    expect(held.stderr).toContain('managedSettings');
  });
});

it('limits an answer and its thinking to CLAUDE_CODE_MAX_OUTPUT_TOKENS', async () => {
  const first = [prompt('go')];
  const small = await play([say('x')], {
    env: { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '1000' },
    first,
    closes: true,
  });
  expect(small.api.requests[0]?.body).toMatchObject({ max_tokens: 1_000, thinking: { type: 'disabled' } });
  const large = await play([say('x')], {
    env: { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '5000' },
    first,
    closes: true,
  });
  expect(large.api.requests[0]?.body).toMatchObject({
    max_tokens: 5_000,
    thinking: { type: 'enabled', budget_tokens: 2_500 },
  });
});
