import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const home = (): Home => homeFor(installed.program);
const settings = ({ folder }: Home): unknown =>
  JSON.parse(readFileSync(path.join(folder, 'config/settings.json'), 'utf8'));

describe('heddle config', () => {
  it('sets a key, shows its source, and removes it', async () => {
    const scene = home();
    expect((await scene.run(['config', 'set', 'sandbox.enabled', 'true'])).code).toBe(0);
    expect(settings(scene)).toEqual({ sandbox: { enabled: true } });
    expect((await scene.run(['config', 'list'])).stdout).toBe('sandbox.enabled = true  (user)\n');
    expect((await scene.run(['config', 'get', 'sandbox.enabled'])).stdout).toBe('true\n');
    await scene.run(['config', 'unset', 'sandbox.enabled']);
    expect(settings(scene)).toEqual({});
    expect((await scene.run(['config', 'get', 'sandbox.enabled'])).code).toBe(1);
  });

  it('accepts a text without quotes, and keeps keys that Heddle does not use', async () => {
    const scene = home();
    mkdirSync(path.join(scene.folder, 'config'));
    writeFileSync(path.join(scene.folder, 'config/settings.json'), '{"outputStyle":"Concise"}');
    await scene.run(['config', 'set', 'model', 'opus']);
    expect(settings(scene)).toEqual({ outputStyle: 'Concise', model: 'opus' });
  });

  it('sets an unknown key only with --force, and suggests a similar key', async () => {
    const scene = home();
    const mistyped = await scene.run(['config', 'set', 'sandbox.enabeld', 'true']);
    expect([mistyped.code, mistyped.stderr]).toEqual([
      2,
      'heddle: sandbox.enabeld is not a known key (did you mean sandbox.enabled?). To set it anyway, use --force.\n',
    ]);
    expect((await scene.run(['config', 'set', 'sandbox', 'true'])).stderr).toContain(
      'did you mean sandbox.enabled?',
    );
    expect((await scene.run(['config', 'get', 'nosuch'])).stderr).toContain('see heddle config keys');
    expect((await scene.run(['config', 'set', 'outputStyle', 'Concise', '--force'])).code).toBe(0);
    expect(settings(scene)).toEqual({ outputStyle: 'Concise' });
  });

  it('rejects a value of the wrong type, and leaves a file that is not JSON unchanged', async () => {
    const scene = home();
    const wrong = await scene.run(['config', 'set', 'sandbox.enabled', 'maybe']);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      'heddle: sandbox.enabled takes true or false, not "maybe"\n',
    ]);
    mkdirSync(path.join(scene.folder, 'config'), { recursive: true });
    const file = path.join(scene.folder, 'config/settings.json');
    writeFileSync(file, '{ half');
    expect((await scene.run(['config', 'set', 'model', 'opus'])).stderr).toContain('it is not JSON');
    expect(readFileSync(file, 'utf8')).toBe('{ half');
  });

  it('prints the JSON schema of the settings', async () => {
    const { stdout } = await home().run(['config', 'schema']);
    expect(JSON.parse(stdout)).toMatchObject({
      properties: {
        limits: { properties: { toolConcurrency: { type: 'integer', minimum: 1, default: 10 } } },
        permissions: { properties: { deny: { type: 'array', items: { type: 'string' } } } },
        hooks: { properties: { PreToolUse: { items: { $ref: '#/$defs/hookGroup' } } } },
      },
    });
  });

  it('reports an error of the disk in one sentence, and accepts constructor as a key', async () => {
    const scene = home();
    writeFileSync(path.join(scene.folder, 'config'), 'a file');
    const refused = await scene.run(['config', 'set', 'constructor', 'x', '--force']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^heddle: .*settings\.json cannot be changed: [^\n]*\n$/);
  });

  it('shows that variables are set, but not their values', async () => {
    const scene = home();
    await scene.run(['config', 'set', 'env.OPENAI_API_KEY', 'sk-very-secret']);
    const { stdout } = await scene.run(['config', 'list']);
    expect(stdout).toBe('env.OPENAI_API_KEY = "(set)"  (user)\n');
  });
});
