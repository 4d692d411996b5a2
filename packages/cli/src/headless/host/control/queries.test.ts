/** Control requests that read or change a session, without a turn. The real program against a fake Messages API. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { answers, control, prompt, replyTo } from '../test/conversation.ts';
import { stage } from '../test/stage.ts';

const perform = stage();

/** Sends the requests one behind the other, and returns their replies. */
async function ask(
  requests: readonly object[],
  prepare: (folder: string) => void = () => undefined,
  flags: readonly string[] = [],
): Promise<{ readonly replies: readonly unknown[]; readonly folder: string }> {
  const first = requests.map((request, index) => control(`q${index}`, request));
  const held = await perform([], { first, prepare, flags, closes: true });
  return { replies: requests.map((_, index) => replyTo(`q${index}`, held)), folder: held.folder };
}

const success = (response: object): unknown => expect.objectContaining({ subtype: 'success', response });
const failure = (error: RegExp): unknown =>
  expect.objectContaining({ subtype: 'error', error: expect.stringMatching(error) });

describe('read_file', () => {
  const prepare = (folder: string): void => {
    writeFileSync(path.join(folder, 'a.txt'), 'hello');
    writeFileSync(path.join(folder, 'b.bin'), Buffer.from([0xff, 0x00]));
    mkdirSync(path.join(folder, 'sub'));
  };

  it('returns text, bytes, and the start of a file', async () => {
    const { replies } = await ask(
      [
        { subtype: 'read_file', path: 'a.txt' },
        { subtype: 'read_file', path: 'a.txt', max_bytes: 2 },
        { subtype: 'read_file', path: 'b.bin', encoding: 'base64' },
        { subtype: 'read_file', path: 'b.bin' },
      ],
      prepare,
    );
    expect(replies).toEqual([
      success({ contents: 'hello', absPath: expect.stringMatching(/a\.txt$/), lossy: false }),
      success({ contents: 'he', absPath: expect.any(String), lossy: false, truncated: true }),
      success({ contents: '/wA=', absPath: expect.any(String), encoding: 'base64' }),
      success({ contents: expect.any(String), absPath: expect.any(String), lossy: true }),
    ]);
  });

  it('refuses files that the Read tool may not read, and what is not a file', async () => {
    const { replies } = await ask(
      [
        { subtype: 'read_file', path: 'a.txt' },
        { subtype: 'read_file', path: 'sub' },
        { subtype: 'read_file', path: 'missing' },
        { subtype: 'read_file' },
      ],
      prepare,
      ['--disallowedTools', 'Read(a.txt)'],
    );
    expect(replies).toEqual([
      failure(/Read\(a\.txt\)/),
      failure(/not a regular file/),
      failure(/ENOENT/),
      failure(/needs a path/),
    ]);
  });
});

describe('a host that reads the state of a session', () => {
  it('gets the cost, the usage, the models, the rules, the version and the settings', async () => {
    const settings = JSON.stringify({ permissions: { deny: ['Bash(curl *)'] }, effortLevel: 'low' });
    const { replies } = await ask(
      [
        'get_session_cost',
        'get_usage',
        'list_models',
        'list_permission_rules',
        'get_binary_version',
        'get_settings',
      ].map((subtype) => ({ subtype })),
      undefined,
      ['--settings', settings],
    );
    expect(replies).toMatchObject([
      { subtype: 'success', response: { total_cost_usd: 0, model_usage: {} } },
      { response: { session: { total_cost_usd: 0 }, rate_limits_available: false, rate_limits: null } },
      { response: { models: [{ value: 'default' }, { value: 'opus' }, {}, {}] } },
      { response: { state: { rules: [{ rule: 'Bash(curl *)', behavior: 'deny' }], managedOnly: false } } },
      { response: { version: expect.stringMatching(/^\d+\.\d+\.\d+$/) } },
      { response: { effective: { effortLevel: 'low' }, sources: [{ settings: { effortLevel: 'low' } }] } },
    ]);
  });
});

it('a host can have skills, plugins and output styles read again', async () => {
  const skill = '---\nname: pdf\ndescription: Reads PDF files\n---\nUse pdftotext.';
  const held = await perform([say('Done.')], {
    first: [prompt('go')],
    reply: (line, folder) => {
      if (answers(line, 'r3')) return 'close';
      if (line['type'] !== 'result') return undefined;
      mkdirSync(path.join(folder, '.claude/skills/pdf'), { recursive: true });
      writeFileSync(path.join(folder, '.claude/skills/pdf/SKILL.md'), skill);
      return ['reload_skills', 'reload_plugins', 'reload_output_styles'].map((subtype, index) =>
        control(`r${index + 1}`, { subtype }),
      );
    },
  });
  expect(JSON.stringify(replyTo('r1', held))).toContain('Reads PDF files');
  expect(replyTo('r2', held)).toMatchObject({ response: { plugins: [], mcpServers: [], error_count: 0 } });
  expect(replyTo('r3', held)).toMatchObject({ response: { available_output_styles: ['default'] } });
});

describe('a host that changes settings', () => {
  it('replaces the rules of its flags, for the next call', async () => {
    const deny = { permissions: { deny: ['Bash(touch *)'] } };
    const held = await perform([call('Bash', { command: 'touch made' }, 't1'), say('Done.')], {
      first: [control('a1', { subtype: 'apply_flag_settings', settings: deny }), prompt('go')],
      flags: ['--permission-mode', 'bypassPermissions'],
      closes: true,
    });
    expect(replyTo('a1', held)).toMatchObject({ subtype: 'success' });
    expect(held.lines.find(({ type }) => type === 'result')).toMatchObject({
      permission_denials: [{ tool_name: 'Bash' }],
    });
  });

  it.each([
    ['an unknown key', { language: 'French' }, /cannot change while a session runs: language/],
    ['an effort that does not exist', { effortLevel: 'huge' }, /effortLevel is one of/],
    ['rules that are not a list', { permissions: { deny: 'Bash' } }, /permissions\.deny is a list/],
    ['a mode that does not exist', { permissions: { defaultMode: 'wild' } }, /defaultMode is one of/],
    ['no object', 'x', /needs an object/],
  ])('gets an error for %s, and nothing changes', async (_, settings, message) => {
    const { replies } = await ask([{ subtype: 'apply_flag_settings', settings }]);
    expect(replies).toEqual([failure(message)]);
  });

  it('writes to the local or the user settings', async () => {
    const { replies, folder } = await ask([
      { subtype: 'update_settings', source: 'localSettings', settings: { effortLevel: 'high' } },
      { subtype: 'update_settings', source: 'policySettings', settings: {} },
    ]);
    expect(replies).toEqual([
      expect.objectContaining({ subtype: 'success' }),
      failure(/userSettings or localSettings/),
    ]);
    const file = path.join(folder, '.claude/settings.local.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ effortLevel: 'high' });
  });
});

describe('a prompt that waits', () => {
  it('can be cancelled by its uuid, once', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    const held = await perform([say('First.')], {
      first: [prompt('one'), prompt('two', { uuid: id, priority: 'later' })],
      reply: (line) => {
        if (line['subtype'] === 'init')
          return [
            control('c1', { subtype: 'cancel_async_message', message_uuid: id }),
            control('c2', { subtype: 'cancel_async_message', message_uuid: id }),
          ];
        return answers(line, 'c2') ? 'close' : undefined;
      },
    });
    expect([replyTo('c1', held), replyTo('c2', held)]).toMatchObject([
      { response: { cancelled: true } },
      { response: { cancelled: false } },
    ]);
    expect(held.api.requests).toHaveLength(1);
  });
});

it('an unknown request gets an error with a code', async () => {
  const { replies } = await ask([{ subtype: 'toString' }, {}]);
  expect(replies).toMatchObject([
    {
      subtype: 'error',
      error: 'Unsupported control request subtype: toString',
      error_code: 'unsupported_request',
    },
    { subtype: 'error', error_code: 'unsupported_request' },
  ]);
});

it('a session can be renamed, but not another one', async () => {
  const { replies } = await ask([
    { subtype: 'rename_session', title: 'New name' },
    { subtype: 'rename_session', title: '' },
    { subtype: 'rename_session', title: 'x', session_id: 'other' },
  ]);
  expect(replies).toEqual([
    expect.objectContaining({ subtype: 'success' }),
    failure(/needs a title/),
    failure(/not other/),
  ]);
});
