/** `heddle hooks` and `/hooks` through the program. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const SETTINGS = {
  hooks: {
    PreToolUse: [
      { matcher: 'Bash', hooks: [{ type: 'command', command: 'touch ran; echo not here >&2; exit 2' }] },
      { matcher: 'Write', hooks: [{ type: 'command', command: 'cat > input.json' }] },
    ],
    Stop: [{ hooks: [{ type: 'command', command: 'kill -9 $$', onFailure: 'block' }] }],
    WorktreeRemove: [{ hooks: [{ type: 'command', command: 'true' }] }],
  },
};

function project() {
  const home = homeFor(installed.program);
  mkdirSync(path.join(home.folder, '.claude'));
  writeFileSync(path.join(home.folder, '.claude/settings.json'), JSON.stringify(SETTINGS));
  return { ...home, ran: () => existsSync(path.join(home.folder, 'ran')) };
}

describe('heddle hooks', () => {
  it('lists hooks by event with file and trust, and runs none of an untrusted folder', async () => {
    const { run, ran } = project();
    const before = await run(['hooks', 'list']);
    expect(before.stdout).toMatch(/^PreToolUse\n {2}touch ran; .* \(matcher Bash, up to 600 s\)\n/);
    expect(before.stdout).toContain('.claude/settings.json');
    expect(before.stdout.match(/the folder is not trusted/g)).toHaveLength(4);
    const tested = await run(['hooks', 'test', 'PreToolUse']);
    expect(tested.stdout).toContain('No hook runs.');
    expect(ran()).toBe(false);

    await run(['permissions', 'trust']);
    const after = await run(['hooks', 'list', '--json']);
    expect(JSON.parse(after.stdout)).toMatchObject([
      { event: 'PreToolUse', matcher: 'Bash', scope: 'project', trusted: true, runs: true },
      { event: 'PreToolUse', matcher: 'Write', runs: true },
      { event: 'Stop', onFailure: 'block', runs: true },
      { event: 'WorktreeRemove', trusted: true, runs: true },
    ]);
  });

  it('runs the hooks of an event, and shows their answers and the effect', async () => {
    const { run, ran, folder } = project();
    await run(['permissions', 'trust']);
    const bash = await run(['hooks', 'test', 'PreToolUse']);
    expect(ran()).toBe(true);
    expect(bash.stdout).toContain('exit code 2');
    expect(bash.stdout).toContain('its matcher Write does not match tool_name "Bash"');
    expect(bash.stdout).toContain('The call is denied: not here');
    const write = await run(['hooks', 'test', 'PreToolUse', '--input', '{"tool_name":"Write"}', '--json']);
    expect(JSON.parse(write.stdout)).toMatchObject({
      ran: [{ hook: 'cat > input.json', result: { kind: 'exited', code: 0 } }],
      effect: ['Nothing changes.'],
    });
    expect(existsSync(path.join(folder, 'input.json'))).toBe(true);
    const stop = await run(['hooks', 'test', 'Stop']);
    expect(stop.stdout).toContain('failed: It was ended by SIGKILL.');
    expect(stop.stdout).toContain('The model continues with: A required hook gave no answer');
  });

  it('rejects unknown events and input that is not an object', async () => {
    const { run } = project();
    const event = await run(['hooks', 'test', 'PreToolUs']);
    expect(event).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean PreToolUse?') });
    const input = await run(['hooks', 'test', 'Stop', '--input', '[1]']);
    expect(input).toMatchObject({ code: 2, stderr: expect.stringContaining('takes a JSON object') });
  });
});

describe('/hooks', () => {
  it.each([
    ['a script', ['-p', '/hooks'], ''],
    ['a conversation', ['--plain'], '/hooks\n'],
  ] as const)('lists the hooks of the session: %s', async (_, flags, input) => {
    const { run, script } = project();
    const { stdout } = await run([...flags, '--model', script([say('Done.')])], { input });
    expect(stdout).toContain('touch ran; echo not here >&2; exit 2  (matcher Bash, up to 600 s)');
    expect(stdout).toContain('the folder is not trusted');
  });
});
