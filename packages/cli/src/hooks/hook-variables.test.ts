/** Variables that hooks set for commands count in the decisions about later calls. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say, type ScriptStep } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const bash = (command: string, id = 'b1') => call('Bash', { command }, id);

/** A project with the program `tools/lint`, and a user with one hook. */
function project(event: string, lines: string, settings: object = {}) {
  const scene = homeFor(installed.program);
  const file = (name: string): string => path.join(scene.folder, name);
  for (const folder of ['config', 'tools', 'sub']) mkdirSync(file(folder));
  writeFileSync(file('tools/lint'), '#!/bin/sh\n');
  chmodSync(file('tools/lint'), 0o755);
  writeFileSync(file('a.txt'), 'hi\n');
  writeFileSync(file('lines.sh'), lines);
  const command = `cat ${file('lines.sh')} > "$CLAUDE_ENV_FILE"`;
  const hooks = { [event]: [{ hooks: [{ type: 'command', command }] }] };
  writeFileSync(file('config/settings.json'), JSON.stringify({ hooks, ...settings }));
  return {
    file,
    go: (steps: readonly ScriptStep[], ...flags: readonly string[]) => {
      const model = scene.script([...steps, say('Done.')]);
      return scene.run(['-p', 'go', '--permission-mode', 'acceptEdits', ...flags, '--model', model]);
    },
  };
}

const TOOLS_FIRST = 'export PATH="$PWD/tools:$PATH"\n';
const NO_VIEW = { sandbox: { readOnlyView: 'off' } };

describe('a variable that a hook sets', () => {
  it('protects the folders of PATH from edits', async () => {
    const { go, file } = project('SessionStart', TOOLS_FIRST);
    await go([
      bash('cp tools/lint tools/npm'),
      call('Write', { file_path: file('tools/new'), content: 'x' }, 'w1'),
      bash('cp a.txt b.txt', 'b2'),
    ]);
    expect(existsSync(file('b.txt'))).toBe(true);
    expect(existsSync(file('tools/npm'))).toBe(false);
    expect(existsSync(file('tools/new'))).toBe(false);
  });

  it('counts for subagents', async () => {
    const { go, file } = project('SessionStart', TOOLS_FIRST);
    const task = { description: 'copy', prompt: 'copy', subagent_type: 'general-purpose' };
    await go([
      call('Agent', task, 'a1'),
      bash('cp tools/lint tools/npm'),
      bash('cp a.txt b.txt', 'b3'),
      say('Report.'),
    ]);
    expect(existsSync(file('b.txt'))).toBe(true);
    expect(existsSync(file('tools/npm'))).toBe(false);
  });

  it('counts from the next call on if a changed folder sets it', async () => {
    const { go, file } = project('CwdChanged', 'export PATH="$PATH:./tools"\ntouch told\n');
    await go(
      [
        bash('cp tools/lint tools/before'),
        bash('cd sub', 'b2'),
        bash(`until [ -e ${file('told')} ]; do sleep 0.02; done; sleep 0.3`, 'b3'),
        bash('cd ..', 'b4'),
        bash('cp tools/lint tools/after', 'b5'),
      ],
      '--allowed-tools',
      'Bash(until *),Bash(sleep *),Bash([ *)',
    );
    expect(existsSync(file('told'))).toBe(true);
    expect(existsSync(file('tools/before'))).toBe(true);
    expect(existsSync(file('tools/after'))).toBe(false);
  });

  it('can take the proof from a command', async () => {
    const lines = 'export GIT_EXTERNAL_DIFF="$PWD/evil.sh" RIPGREP_CONFIG_PATH="$PWD/rgrc"\n';
    const { go, file } = project('SessionStart', lines, NO_VIEW);
    writeFileSync(file('evil.sh'), '#!/bin/sh\ntouch ran\n');
    chmodSync(file('evil.sh'), 0o755);
    writeFileSync(file('rgrc'), '--pre=./evil.sh\n');
    await go(
      [
        bash('git init -q . && git add a.txt && echo more >> a.txt'),
        bash('git diff', 'b2'),
        bash('rg hi a.txt', 'b3'),
      ],
      '--allowed-tools',
      'Bash(git init *),Bash(git add *)',
    );
    expect(existsSync(file('ran'))).toBe(false);
  });
});
