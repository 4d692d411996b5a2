/** Hooks of plugins guard the calls of runs without a terminal: background jobs, and members of a team. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from './test/home.ts';
import { install, type Installed } from './test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

/** A home in which the settings enable a plugin with a guard. It writes a file for each call that it denies. */
function guardedHome(): Home & { readonly has: (name: string) => boolean } {
  const home = homeFor(installed.program);
  const command = `touch '${path.join(home.folder, 'denied')}'; exit 2`;
  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command }] }] };
  const files = {
    'config/plugins/cache/shop/guard/1.0.0/hooks/hooks.json': { hooks },
    'config/settings.json': { enabledPlugins: { 'guard@shop': true } },
  };
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(home.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(content));
  }
  return { ...home, has: (name) => existsSync(path.join(home.folder, name)) };
}

const STEPS = [call('Bash', { command: 'touch made' }, 'b1'), say('Done.'), say('Done.')];
const RULES = ['--allowed-tools', 'Bash(touch:*)'];

describe('a hook of a plugin denies a call', () => {
  it('of a background job', async () => {
    const { run, script, has } = guardedHome();
    const { code } = await run(['run', '--background', 'Go.', '--model', script(STEPS), ...RULES]);
    expect(code).toBe(0);
    await expect
      .poll(async () => (await run(['jobs', '--json'])).stdout, { timeout: 20_000, interval: 200 })
      .toContain('"done"');
    expect([has('denied'), has('made')]).toEqual([true, false]);
  });

  it('of a member of a team', async () => {
    const { run, script, has } = guardedHome();
    await run(['team', 'create', 'docs']);
    await run(['team', 'task', 'docs', 'Write it.']);
    const model = script(STEPS);
    const ended = await run([
      'team',
      'member',
      'docs',
      'ada',
      '--until-done',
      '--',
      '--model',
      model,
      ...RULES,
    ]);
    expect(ended.stdout).toBe('ada: done\n');
    expect([has('denied'), has('made')]).toEqual([true, false]);
  });
});
