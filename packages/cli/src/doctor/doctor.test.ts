import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
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
  it('finds nothing in the way where a model is configured, and shows no key', async () => {
    const { run } = homeFor(installed.program);
    const { code, stdout } = await run(['doctor'], { env: { ANTHROPIC_API_KEY: 'sk-ant-secret' } });
    expect(stdout).toContain('Nothing stands in the way.');
    expect(stdout).toContain('Anthropic (ANTHROPIC_API_KEY)');
    expect(stdout).not.toContain('sk-ant-secret');
    expect(code).toBe(0);
  });

  it('says what to do without a model, and where a settings file is broken', async () => {
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

  it('speaks JSON', async () => {
    const { run } = homeFor(installed.program);
    const { stdout } = await run(['doctor', '--json'], { env: { HEDDLE_MODEL: 'rehearsal' } });
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ about: 'model', state: 'ok' }));
  });

  it('refuses an old Node', () => {
    expect(checkNode('22.17.1')).toMatchObject({ state: 'problem', text: 'Node 22.17.1 is too old' });
    expect([checkNode('22.18.0').state, checkNode('26.0.0').state]).toEqual(['ok', 'ok']);
  });

  it.skipIf(process.getuid?.() === 0)('notices a folder that cannot be written', async () => {
    const { run, folder } = homeFor(installed.program);
    mkdirSync(path.join(folder, 'config'));
    chmodSync(path.join(folder, 'config'), 0o500);
    expect((await run(['doctor'])).stdout).toContain('cannot be written');
  });
});
