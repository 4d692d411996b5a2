/** Flags with lists: every word up to the next flag belongs to them, on the command line of a run and of `permissions`. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArguments } from './arguments.ts';
import { homeFor } from '../test/home.ts';
import { install, type Installed, runProgram } from '../test/program.ts';

describe('a flag with a list', () => {
  it.each<[string[], object]>([
    [['-p', 'go', '--disallowedTools', 'Write', 'Edit'], { disallowedTools: ['Write', 'Edit'] }],
    [['-p', 'go', '--disallowed-tools', 'Write', 'Edit'], { disallowedTools: ['Write', 'Edit'] }],
    [['--disallowedTools', 'Write', 'Edit', '-p', 'go'], { disallowedTools: ['Write', 'Edit'] }],
    [['--disallowedTools', 'Write,Edit', 'Bash', '-p', 'go'], { disallowedTools: ['Write', 'Edit', 'Bash'] }],
    [['--disallowedTools', 'Write Edit', '-p', 'go'], { disallowedTools: ['Write', 'Edit'] }],
    [['--disallowedTools', 'Write, Edit', '-p', 'go'], { disallowedTools: ['Write', 'Edit'] }],
    [['-p', '--disallowedTools=Write', 'go'], { disallowedTools: ['Write'] }],
    [
      ['-p', '--disallowedTools', 'Write', '--disallowedTools', 'Edit', '--', 'go'],
      { disallowedTools: ['Write', 'Edit'] },
    ],
    [['-p', '--allowedTools', 'Bash(git:*)', 'Edit', '--', 'go'], { allowedTools: ['Bash(git:*)', 'Edit'] }],
    [
      ['-p', '--allowedTools', 'Bash(git log *)', 'mcp__db__read', 'mcp__fs__*', '--', 'go'],
      { allowedTools: ['Bash(git log *)', 'mcp__db__read', 'mcp__fs__*'] },
    ],
    [
      ['-p', '--allowed-tools', 'Read', '--disallowedTools', '*', 'Bash(rm *)', '-p', 'go'],
      { allowedTools: ['Read'], disallowedTools: ['*', 'Bash(rm *)'] },
    ],
    [['-p', 'go', '--add-dir', 'a', 'b c', '../d'], { addDirs: ['a', 'b c', '../d'] }],
    [['-p', 'go', '--add-dir', 'a', '--add-dir=b'], { addDirs: ['a', 'b'] }],
    [['-p', 'go', '--tools', 'Read', 'Edit,Bash'], { tools: ['Read', 'Edit', 'Bash'] }],
    [['-p', 'go', '--tools', ''], { tools: [] }],
    [['-p', 'go', '--tools='], { tools: [] }],
    [['-p', '--tools', 'default', '--', 'go'], { tools: undefined }],
    [
      ['-p', 'go', '--betas', 'context-1m-2025-08-07', 'files-api-2025-04-14'],
      { betas: ['context-1m-2025-08-07', 'files-api-2025-04-14'] },
    ],
    [['-p', 'go', '--mcp-config', 'a.json', '{"mcpServers": {}}', 'my servers.json'], {}],
    [['go', '-p', '--mcp-config', 'a.json', '--allowedTools', 'Read'], { allowedTools: ['Read'] }],
  ])('reads %j', (argv, expected) => {
    expect(readArguments(argv)).toMatchObject({ ok: true, command: { prompt: 'go', ...expected } });
  });

  it.each([
    [
      ['-p', '--allowedTools', 'Read', 'fix the bug'],
      '--allowedTools: "fix the bug" is not a tool or a rule',
    ],
    [['-p', '--allowedTools', 'Read', 'go'], '--allowedTools: "go" is not a tool or a rule'],
    [['--disallowedTools', 'Write', 'bash'], '"bash" is not a tool or a rule'],
    [['--disallowedTools', 'Write', 'Review what I did, please'], 'is not a tool or a rule'],
    [['--allowed-tools', '-', 'x'], '"-" is not a tool or a rule'],
    [['-p', '--tools', 'Read', 'fix it'], '--tools: "fix it" is not a tool'],
    [['-p', '--betas', 'context-1m-2025-08-07', 'say hello'], 'is not the name of a beta feature'],
    [['-p', '--mcp-config', 'a.json', 'say hello'], '--mcp-config: "say hello" is not a file or JSON'],
    [['-p', 'go', '--allowedTools'], '--allowedTools needs a value'],
    [['-p', 'go', '--allowedTools', '--model', 'm'], '--allowedTools needs a value'],
    [['-p', 'go', '--add-dir', '--', 'x'], '--add-dir needs a value'],
    [['-p', '--allowedTools=fix the bug', 'go'], 'is not a tool or a rule'],
  ])('refuses %j with a way out', (argv, message) => {
    const read = readArguments(argv);
    expect(read.ok ? 'accepted' : read.message).toContain(message);
    if (!message.includes('needs a value'))
      expect(read.ok ? '' : read.message).toMatch(/takes every word up to the next flag: put the prompt/);
  });
});

describe('the program', () => {
  let installed: Installed;
  beforeAll(async () => {
    installed = await install();
  });
  afterAll(() => installed.remove());

  it('forbids every tool of the list, and sends the prompt alone', async () => {
    const { run, script } = homeFor(installed.program);
    const model = script([
      [call('Write', { file_path: 'a', content: 'x' }, 'w1')],
      [call('Edit', { file_path: 'b', old_string: '', new_string: 'y' }, 'e1')],
      [say('Neither.')],
    ]);
    const flags = ['--permission-mode', 'bypassPermissions', '--output-format', 'stream-json'];
    const { stdout } = await run([
      '-p',
      'go',
      ...flags,
      '--model',
      model,
      '--disallowedTools',
      'Write',
      'Edit',
    ]);
    const [init = ''] = stdout.split('\n');
    const tools = (JSON.parse(init) as { readonly tools: readonly string[] }).tools;
    expect(tools).not.toContain('Write');
    expect(tools).not.toContain('Edit');
    expect(tools).toContain('Read');
    expect(stdout).toContain('Neither.');
  });

  it('refuses what cannot belong to the list, before anything is asked or sent', async () => {
    const { run, folder } = homeFor(installed.program);
    mkdirSync(path.join(folder, 'a'));
    const start = ['-p', '--model', 'rehearsal'];
    const prompt = await run([...start, '--allowedTools', 'Read', 'Edit', 'fix the bug']);
    expect(prompt).toMatchObject({ code: 2, stdout: '' });
    expect(prompt.stderr).toContain('put the prompt before it, or after --');
    const folders = await run([...start, 'go', '--add-dir', 'a', 'fix the bug']);
    expect(folders).toMatchObject({ code: 2, stdout: '' });
    expect(folders.stderr).toContain('there is no folder fix the bug. --add-dir takes every word');
    const tools = await run([...start, '--tools', 'Read', 'Explain']);
    expect(tools).toMatchObject({ code: 2, stdout: '' });
  });

  it('explains permissions with the same lists, in every spelling', async () => {
    // The parent folder belongs to this test alone: repositories of other tests next to it would count.
    const { folder } = homeFor(installed.program);
    const project = path.join(folder, 'project');
    mkdirSync(path.join(project, 'b c'), { recursive: true });
    const outside = path.join(folder, 'x.txt');
    const cases: readonly (readonly [readonly string[], readonly string[], object])[] = [
      [['Edit', 'a.txt'], ['--disallowedTools', 'Write', 'Edit'], { decision: 'deny', rule: 'Edit' }],
      [['Edit', 'a.txt'], ['--disallowed-tools', 'Write', 'Edit'], { decision: 'deny' }],
      [['Edit', 'a.txt'], ['--disallowedTools', 'Write,Edit'], { decision: 'deny' }],
      [['Edit', 'a.txt'], ['--disallowedTools', 'Write Edit'], { decision: 'deny' }],
      [['Edit', 'a.txt'], ['--disallowedTools', 'Write', '--disallowedTools=Edit'], { decision: 'deny' }],
      [['Edit', 'a.txt'], ['--disallowedTools', 'Bash(rm *)', 'Edit(./a.txt)'], { decision: 'deny' }],
      [['Edit', 'a.txt'], ['--disallowedTools', 'Write'], { decision: 'ask' }],
      [['Edit', 'a.txt'], ['--allowedTools', 'Read', 'Edit'], { decision: 'allow', rule: 'Edit' }],
      [['Edit', 'a.txt'], ['--allowed-tools', 'Read, Edit'], { decision: 'allow' }],
      [['npm test'], ['--allowedTools', 'Edit', 'Bash(npm test)'], { decision: 'allow' }],
      [['npm test'], ['--allowedTools=Edit', '--allowedTools', 'Bash(npm *)'], { decision: 'allow' }],
      [['npm test'], ['--allowedTools', 'Edit', '--add-dir', 'b c', '..'], { decision: 'ask' }],
      [
        ['Edit', outside],
        ['--permission-mode', 'acceptEdits', '--add-dir', 'b c', '..'],
        { decision: 'allow' },
      ],
      [['Edit', outside], ['--permission-mode', 'acceptEdits', '--add-dir', 'b c'], { decision: 'ask' }],
    ];
    const explained = await Promise.all(
      cases.map(async ([call, flags]) => {
        const { stdout, stderr } = await runProgram(
          installed.program,
          ['permissions', 'explain', '--json', ...call, ...flags],
          { cwd: project },
        );
        return stdout === '' ? stderr : (JSON.parse(stdout) as unknown);
      }),
    );
    expect(explained).toMatchObject(cases.map(([, , expected]) => expected));
  });
});
