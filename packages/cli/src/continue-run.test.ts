/** A prompt that `kill -9` cut off continues where it stopped: headless, as a prompt of a host, and at the terminal. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, hang, say, type ScriptStep } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from './test/home.ts';
import { install, type Installed, linesOf } from './test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const STREAM = ['--output-format', 'stream-json', '--allowed-tools', 'Bash'];
const APPEND = call('Bash', { command: 'echo once >> effects.txt' }, 'b1');

/** Runs a prompt until the output contains a text, and kills the program. */
async function killedAt(shown: string, script: readonly ScriptStep[]): Promise<Home> {
  const home = homeFor(installed.program);
  writeFileSync(path.join(home.folder, 'effects.txt'), '');
  const ended = await home.run(['-p', 'Do the work.', ...STREAM, '--model', home.script(script)], {
    onOutput: (text, child) => void (text.includes(shown) && child.kill('SIGKILL')),
  });
  expect(ended.signal).toBe('SIGKILL');
  return home;
}

const effectsOf = ({ folder }: Home): string => readFileSync(path.join(folder, 'effects.txt'), 'utf8');

describe('after a kill during the second answer', () => {
  const script = [[APPEND], [say('Let me see.'), hang()]];

  it('continues headless, without a prompt and without a second effect', async () => {
    const home = await killedAt('Let me see.', script);
    const model = home.script([[say('All is done.')]]);
    const ended = await home.run(['-p', '--continue-run', ...STREAM, '--model', model]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf(ended.stdout).at(-1)).toMatchObject({
      subtype: 'success',
      result: 'All is done.',
      num_turns: 2,
    });
    expect(effectsOf(home)).toBe('once\n');
    const again = await home.run(['-p', '--continue-run', '--model', model]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('There is nothing to continue');
  });

  it('is offered at the terminal, and /continue does it', async () => {
    const home = await killedAt('Let me see.', script);
    const model = home.script([[say('All is done.')]]);
    const ended = await home.run(['--plain', '-c', '--model', model], { input: '/continue\n' });
    expect(ended.stdout).toContain('the last prompt was cut off; /continue continues where it stopped');
    expect(ended.stdout).toContain('All is done.');
    expect(effectsOf(home)).toBe('once\n');
  });
});

it('reports a command that was running as uncertain, and does not repeat it', async () => {
  const command = 'echo once >> effects.txt; echo began; sleep 60';
  const home = await killedAt('tool_progress', [[call('Bash', { command }, 'b1')]]);
  const model = home.script([[say('I checked.')]]);
  const ended = await home.run(['-p', '--continue-run', ...STREAM, '--model', model]);
  expect(ended.stdout).toContain('It may or may not have taken effect');
  expect(linesOf(ended.stdout).at(-1)).toMatchObject({ subtype: 'success', result: 'I checked.' });
  expect(effectsOf(home)).toBe('once\n');
});

it('does not run the program of a hook that changes after it continued', async () => {
  const home = await killedAt('Let me see.', [[APPEND], [say('Let me see.'), hang()]]);
  const hooks = { PostToolUse: [{ hooks: [{ type: 'command', command: 'sh check.sh' }] }] };
  writeFileSync(path.join(home.folder, 'config/settings.json'), JSON.stringify({ hooks }));
  writeFileSync(path.join(home.folder, 'check.sh'), 'echo as before >> hook.txt\n');
  writeFileSync(path.join(home.folder, 'change.sh'), 'echo "echo changed >> hook.txt" > check.sh\n');
  const calls = ['true', 'sh change.sh', 'true'].map((command, at) => [call('Bash', { command }, `c${at}`)]);
  const model = home.script([...calls, [say('All is done.')]]);
  const ended = await home.run(['-p', '--continue-run', ...STREAM, '--model', model]);
  expect(ended.stderr).toContain('check.sh changed');
  expect(readFileSync(path.join(home.folder, 'hook.txt'), 'utf8')).toBe('as before\n');
});

/** The user has a skill with a rule and a hook. */
function homeWithSkill(): Home {
  const home = homeFor(installed.program);
  const hooks = 'hooks:\n  PreToolUse:\n    - hooks: [{ type: command, command: "touch hooked" }]';
  const skill = path.join(home.folder, 'config/skills/writer/SKILL.md');
  mkdirSync(path.dirname(skill), { recursive: true });
  const header = `name: writer\ndescription: Writes\nallowed-tools: Bash(touch *)\n${hooks}`;
  writeFileSync(skill, `---\n${header}\n---\nWrite it.\n`);
  return home;
}

/** Continues a prompt in which nothing was used. Returns the files that the rule and the hook of the skill would make. */
async function madeAfter(home: Home, ...flags: readonly string[]): Promise<readonly string[]> {
  const model = home.script([[call('Bash', { command: 'touch made' }, 'b1')], [say('Done.')]]);
  const run = ['-p', '--continue-run', '--output-format', 'stream-json', '--model', model, ...flags];
  const { stdout } = await home.run(run);
  expect(linesOf(stdout).at(-1)).toMatchObject({ result: 'Done.' });
  return ['made', 'hooked'].filter((name) => existsSync(path.join(home.folder, name)));
}

describe('a prompt that only looks like a command', () => {
  it('is not one after a kill, if it is the text of an agent file', async () => {
    const home = homeWithSkill();
    const file = path.join(home.folder, '.claude/agents/evil.md');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '---\nname: evil\ndescription: d\ninitialPrompt: "/writer now"\n---\nhi\n');
    const script = home.script([[say('Wait.'), hang()]]);
    await home.run(['-p', 'go', '--agent', 'evil', '--output-format', 'stream-json', '--model', script], {
      onOutput: (text, child) => void (text.includes('Wait.') && child.kill('SIGKILL')),
    });
    expect(await madeAfter(home)).toEqual([]);
  });

  it('is not one after a kill, if a host composed it', async () => {
    const home = homeWithSkill();
    const script = home.script([[say('Wait.'), hang()]]);
    const message = { role: 'user', content: '/writer now' };
    const formats = ['--input-format', 'stream-json', '--output-format', 'stream-json'];
    await home.run(['-p', ...formats, '--model', script], {
      input: `${JSON.stringify({ type: 'user', client_composed: true, message })}\n`,
      onOutput: (text, child) => void (text.includes('Wait.') && child.kill('SIGKILL')),
    });
    expect(await madeAfter(home)).toEqual([]);
  });

  const texts = (role: 'user' | 'assistant', ...given: readonly string[]) => ({
    info: { id: `m-${role}-${given.join()}`, role, modelID: 'm', time: { created: 1 } },
    parts: given.map((text) => ({ type: 'text', text })),
  });
  const skillCall = {
    info: { id: 'm-call', role: 'assistant', modelID: 'm', time: { created: 2 } },
    parts: [
      {
        type: 'tool',
        tool: 'Skill',
        callID: 'c1',
        state: { status: 'completed', input: { skill: 'writer' }, output: 'ok' },
      },
    ],
  };
  it.each([
    ['a command', [texts('user', 'hello'), texts('assistant', 'hi'), texts('user', '/writer now')]],
    ['the text of a command', [texts('user', '/writer now', 'The command /writer asks for this:\n\nx')]],
    ['a loaded skill', [texts('user', 'do it'), skillCall]],
  ])('is not one in an imported session with %s', async (_, messages) => {
    const home = homeWithSkill();
    const info = { id: 'ses_1', directory: home.folder, title: 'x' };
    writeFileSync(path.join(home.folder, 's.json'), JSON.stringify({ info, messages }));
    const { stdout } = await home.run(['import', 's.json']);
    const [, id = ''] = /--resume (\S+)/.exec(stdout) ?? [];
    expect(id).not.toBe('');
    expect(await madeAfter(home, '--resume', id)).toEqual([]);
  });
});

it.each([
  ['a skill that the model loaded', 'Do the work.', [call('Skill', { skill: 'writer' }, 's1')]],
  ['the command of the prompt', '/writer', [say('Wait.'), hang()]],
])('applies the rules and hooks of %s again', async (_, prompt, first) => {
  const home = homeWithSkill();
  const script = home.script([first, [say('Let me see.'), hang()]]);
  const stream = ['--output-format', 'stream-json', '--model'];
  await home.run(['-p', prompt, ...stream, script], {
    onOutput: (text, child) => void (/Wait\.|Let me see\./.test(text) && child.kill('SIGKILL')),
  });
  const model = home.script([[call('Bash', { command: 'touch made' }, 'b1')], [say('Done.')]]);
  const ended = await home.run(['-p', '--continue-run', ...stream, model]);
  expect(linesOf(ended.stdout).at(-1)).toMatchObject({ result: 'Done.', permission_denials: [] });
  expect(['made', 'hooked'].map((name) => existsSync(path.join(home.folder, name)))).toEqual([true, true]);
  const later = home.script([[call('Bash', { command: 'touch later' }, 'b2')], [say('Done.')]]);
  await home.run(['-p', '-c', 'and now?', ...stream, later]);
  expect(existsSync(path.join(home.folder, 'later'))).toBe(false);
});

it('rejects a prompt beside --continue-run', async () => {
  const ended = await homeFor(installed.program).run(['-p', '--continue-run', 'and more']);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain('--continue-run takes no prompt: it continues the last one');
});
