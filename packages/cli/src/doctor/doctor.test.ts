import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';
import { checkNode } from './machine.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

describe('heddle doctor', () => {
  it('finds no problems if a model is configured, and shows no key', async () => {
    const { run } = homeFor(installed.program);
    const { code, stdout } = await run(['doctor'], { env: { ANTHROPIC_API_KEY: 'sk-ant-secret' } });
    expect(stdout).toContain('No problems found.');
    expect(stdout).toContain('Anthropic (ANTHROPIC_API_KEY)');
    expect(stdout).not.toContain('sk-ant-secret');
    expect(code).toBe(0);
  });

  it('explains what to do without a model, and names a broken settings file', async () => {
    const { run, folder } = homeFor(installed.program);
    mkdirSync(path.join(folder, 'config'));
    writeFileSync(path.join(folder, 'config/settings.json'), '{ half');
    const { code, stdout } = await run(['doctor']);
    expect(stdout).toContain('no model is configured');
    expect(stdout).toContain('--model rehearsal');
    expect(stdout).toMatch(/settings\.json was skipped: it is not JSON/);
    expect(stdout).toContain('2 problems.');
    expect(code).toBe(1);
  });

  it.each([
    [{ HEDDLE_MODEL: 'mistral/some' }, /!! model .*Mistral is not configured\. Set MISTRAL_API_KEY/],
    [{ HEDDLE_MODEL: 'nonsense' }, /!! model .*There is no model named nonsense/],
    [{ HEDDLE_MODEL: 'opus' }, /!! model .*There is no key for the API\. Set ANTHROPIC_API_KEY/],
  ])('reports that the named model cannot be used: %j', async (env, message) => {
    expect((await homeFor(installed.program).run(['doctor'], { env })).stdout).toMatch(message);
  });

  it('finds the model like a run does, settings included', async () => {
    const { run } = homeFor(installed.program);
    await run(['config', 'set', 'model', 'rehearsal']);
    expect((await run(['doctor'])).stdout).toContain('rehearsal when none is named');
  });

  it('prints JSON', async () => {
    const { run } = homeFor(installed.program);
    const { stdout } = await run(['doctor', '--json'], { env: { HEDDLE_MODEL: 'rehearsal' } });
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ about: 'model', state: 'ok' }));
  });

  it('reports an old Node as a problem', () => {
    expect(checkNode('22.17.1')).toMatchObject({ state: 'problem', text: 'Node 22.17.1 is too old' });
    expect([checkNode('22.18.0').state, checkNode('26.0.0').state]).toEqual(['ok', 'ok']);
  });

  it('reports a folder that is not writable, also to the root user', async () => {
    const { run, folder } = homeFor(installed.program);
    writeFileSync(path.join(folder, 'config'), 'a file', { mode: 0o400 });
    expect((await run(['doctor'])).stdout).toContain('cannot be written');
  });
});
