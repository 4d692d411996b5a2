/** Decisions use the environment of commands, in its current state. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject, ToolUseContext } from '@heddle/core';
import { fakeTool } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LivePermissions } from '../permission/live-permissions.ts';
import { NO_RULES } from '../permission/rules/rule.ts';
import { collectPolicyInput } from '../sandbox/policy/ground.ts';
import { sandboxSettings } from '../settings/sandbox-settings.ts';
import { createReadFileState } from '../attachments/automatic-attachments.ts';
import type { AgentOptions } from './options.ts';
import { permissionOf } from './permission.ts';

let cwd: string;
beforeAll(() => {
  cwd = realpathSync.native(mkdtempSync(path.join(os.tmpdir(), 'heddle-command-environment-')));
  mkdirSync(path.join(cwd, 'tools'));
  writeFileSync(path.join(cwd, 'tools/lint'), '#!/bin/sh\n');
  chmodSync(path.join(cwd, 'tools/lint'), 0o755);
  writeFileSync(path.join(cwd, 'a.txt'), 'hi\n');
  execFileSync('git', ['init', '-q', cwd]);
});
afterAll(() => rmSync(cwd, { recursive: true }));

type Variables = Readonly<Record<string, string>>;

function decider(variables: () => Variables) {
  const options: Pick<AgentOptions, 'cwd' | 'rules' | 'commandEnvironment'> = {
    cwd,
    rules: { deny: [{ text: 'Read(//etc/**)', source: 'user' }], ask: [], allow: [] },
    commandEnvironment: () => ({ ...process.env, ...variables() }),
  };
  const decide = permissionOf(options, { store: () => undefined, denials: { note: () => undefined } });
  const signal = new AbortController().signal;
  return async (name: string, input: JsonObject): Promise<string> => {
    const tool = fakeTool({ name, readOnly: false });
    const context: ToolUseContext = {
      tools: [tool],
      model: 'm',
      permissionMode: 'acceptEdits',
      signal,
      workingDirectory: cwd,
      additionalDirectories: [],
      agentId: undefined,
      fileState: createReadFileState(),
    };
    const { behavior } = await decide(tool, input, context, {
      toolUseId: 't',
      hookDecision: undefined,
      signal,
    });
    return behavior;
  };
}

const inProject = (name: string): string => path.join(cwd, name);

describe('a variable of commands', () => {
  it.each<readonly [string, () => Variables, string]>([
    ['PATH', () => ({ PATH: `${inProject('tools')}:/usr/bin:/bin` }), 'cp tools/lint tools/npm'],
    ['a relative PATH', () => ({ PATH: '/usr/bin:/bin:./tools' }), 'cp tools/lint tools/npm'],
    [
      'git settings',
      () => ({ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: 'tools' }),
      'cp tools/lint tools/pre-commit',
    ],
    ['a start-up file', () => ({ BASH_ENV: inProject('tools/start.sh') }), 'echo x > tools/start.sh'],
    ['a program for git', () => ({ GIT_EXTERNAL_DIFF: './evil.sh' }), 'git diff'],
    ['settings of git', () => ({ GIT_CONFIG_GLOBAL: inProject('a.txt') }), 'git diff'],
    ['settings of ripgrep', () => ({ RIPGREP_CONFIG_PATH: inProject('a.txt') }), 'rg hi a.txt'],
    ['a HOME for ~', () => ({ HOME: '/etc' }), 'cat ~/hosts'],
    ['a HOME for $HOME', () => ({ HOME: '/etc' }), 'cat "$HOME/hosts"'],
    ['a HOME for cd', () => ({ HOME: '/etc' }), 'cd && cat hosts'],
  ])('counts for %s', async (_, variables, command) => {
    const isEdit = /^(cp|echo)/.test(command);
    if (isEdit) expect(await decider(() => ({ PATH: '/usr/bin:/bin' }))('Bash', { command })).toBe('allow');
    expect(await decider(variables)('Bash', { command })).toBe('deny');
  });

  it('counts for file tools, and from the next call on', async () => {
    let variables: Variables = { PATH: '/usr/bin:/bin' };
    const decide = decider(() => variables);
    const write = { file_path: inProject('tools/new'), content: 'x' };
    expect(await decide('Write', write)).toBe('allow');
    variables = { PATH: `${inProject('tools')}:/usr/bin:/bin` };
    expect(await decide('Write', write)).toBe('deny');
    variables = { PATH: '/usr/bin:/bin' };
    expect(await decide('Write', write)).toBe('allow');
  });

  it('keeps sandboxed commands from changing the programs and hooks that it names', () => {
    const home = os.homedir();
    const [root, live] = [cwd, new LivePermissions(NO_RULES)];
    const settings = sandboxSettings({ files: [], problems: [] }, home);
    const places = { root, directories: [], home, configDirs: [], temp: '/tmp/x', live, settings };
    const tools = inProject('tools');
    const searched = { PATH: `${tools}:/bin` };
    expect(collectPolicyInput({ ...places, environment: searched }, cwd).programs).toContain(tools);
    writeFileSync(inProject('gitconfig'), `[core]\n\thooksPath = ${tools}\n`);
    const hooks = { GIT_CONFIG_GLOBAL: inProject('gitconfig') };
    expect(collectPolicyInput({ ...places, environment: hooks }, cwd).namedByGit).toContain(tools);
    expect(collectPolicyInput({ ...places, environment: {} }, cwd)).toMatchObject({
      programs: [],
      namedByGit: [],
    });
  });
});
