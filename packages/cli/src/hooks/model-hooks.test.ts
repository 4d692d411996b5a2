/** Hooks that let a model judge an event, through the program. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say, type ScriptStep } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed, linesOf } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

/** A rule that permits an effect in the session. */
const TOUCH = { permissions: { allow: ['Bash(touch:*)'] } };

function home(event: string, hook: object, more: object = {}) {
  const scene = homeFor(installed.program);
  mkdirSync(path.join(scene.folder, 'config'));
  writeFileSync(
    path.join(scene.folder, 'config/settings.json'),
    JSON.stringify({ hooks: { [event]: [{ hooks: [hook] }], ...more }, ...TOUCH }),
  );
  const go = async (steps: readonly ScriptStep[]) => {
    const flags = ['--output-format', 'stream-json', '--verbose', '--model', scene.script(steps)];
    const { stdout, stderr } = await scene.run(['-p', 'go', ...flags]);
    return { lines: linesOf(stdout), stdout, stderr };
  };
  const log = (): string => {
    const files = readdirSync(scene.folder, { recursive: true, encoding: 'utf8' });
    const logs = files.filter((file) => file.endsWith('.jsonl'));
    return logs.map((name) => readFileSync(path.join(scene.folder, name), 'utf8')).join('');
  };
  return { ...scene, go, log };
}

describe('a prompt hook', () => {
  const hook = { type: 'prompt', prompt: 'Are the tests written? $ARGUMENTS' };

  it('lets the model continue with the reason until the condition holds', async () => {
    const { go, log } = home('Stop', hook);
    const { lines } = await go([
      say('First.'),
      say('```json\n{"ok": false, "reason": "No test was written."}\n```'),
      say('Second.'),
      say('{"ok": true}'),
    ]);
    expect(lines.at(-1)).toMatchObject({ result: 'Second.', is_error: false });
    expect(log()).toContain('No test was written.');
  });

  it('denies a call with the reason', async () => {
    const { go } = home('PreToolUse', hook);
    const { lines } = await go([
      call('Bash', { command: 'ls' }, 'b1'),
      say('{"ok": false, "reason": "Not here."}'),
      say('Done.'),
    ]);
    expect(lines.at(-1)).toMatchObject({ result: 'Done.' });
    expect(JSON.stringify(lines)).toContain('Not here.');
  });

  it('that gets no verdict is reported, and the run continues', async () => {
    const { go } = home('Stop', hook);
    const { lines, stderr } = await go([say('First.'), say('I think it is fine.')]);
    expect(lines.at(-1)).toMatchObject({ result: 'First.' });
    expect(stderr).toContain('The model gave no verdict: I think it is fine.');
  });

  it('can be tested from the command line', async () => {
    const { run, script } = home('Stop', hook);
    const { stdout } = await run([
      'hooks',
      'test',
      'Stop',
      '--model',
      script([say('{"ok":false,"reason":"Missing."}')]),
    ]);
    expect(stdout).toContain('The model continues with: Missing.');
  });
});

describe('an agent hook', () => {
  it('looks at files before it judges, changes nothing, and is billed to the session', async () => {
    const { go, folder, log } = home('Stop', {
      type: 'agent',
      prompt: 'Does notes.txt exist and say hello?',
    });
    writeFileSync(path.join(folder, 'notes.txt'), 'hello from the file\n');
    const { lines } = await go([
      say('Done.'),
      call('Read', { file_path: path.join(folder, 'notes.txt') }, 'r1'),
      call('Write', { file_path: path.join(folder, 'evil.txt'), content: 'x' }, 'w1'),
      say('{"ok": true}'),
    ]);
    expect(lines.at(-1)).toMatchObject({ result: 'Done.', is_error: false });
    expect(() => readFileSync(path.join(folder, 'evil.txt'))).toThrow(/ENOENT/);
    // Its three answers are entries of the session.
    expect(log().match(/"type":"spent"/g)).toHaveLength(3);
  });
});

describe('an agent hook with an allow rule', () => {
  const judge = { type: 'agent', prompt: 'Judge.' };

  it('runs no command with effects, and reports its calls to other hooks', async () => {
    const guard = { type: 'command', command: 'cat >> calls.log' };
    const { go, folder } = home('Stop', judge, { PreToolUse: [{ matcher: 'Bash', hooks: [guard] }] });
    const { lines } = await go([
      call('Bash', { command: 'touch by-lead' }, 'b0'),
      say('Done.'),
      call('Bash', { command: 'touch by-judge' }, 'b1'),
      call('Bash', { command: 'echo x > by-judge' }, 'b2'),
      call('Bash', { command: 'ls' }, 'b3'),
      say('{"ok": true}'),
    ]);
    expect(lines.at(-1)).toMatchObject({ result: 'Done.', is_error: false });
    expect(readdirSync(folder)).toContain('by-lead');
    expect(readdirSync(folder)).not.toContain('by-judge');
    const calls = readFileSync(path.join(folder, 'calls.log'), 'utf8');
    expect(calls.match(/"tool_use_id":"b\d"/g)).toHaveLength(4);
  });

  it('does not judge its own calls', async () => {
    const { go } = home('PreToolUse', judge);
    const { lines } = await go([
      call('Bash', { command: 'ls' }, 'b0'),
      call('Bash', { command: 'ls' }, 'b1'),
      say('{"ok": true}'),
      say('Done.'),
    ]);
    expect(lines.at(-1)).toMatchObject({ result: 'Done.' });
  });
});

it('a hook that calls an MCP tool of a missing server is reported', async () => {
  const { go } = home('Stop', { type: 'mcp_tool', server: 'audit', tool: 'check' });
  const { lines, stderr } = await go([say('Done.')]);
  expect(lines.at(-1)).toMatchObject({ result: 'Done.' });
  expect(stderr).toContain('The MCP server audit is not connected.');
});
