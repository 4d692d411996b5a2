/** Settings that change while a session runs, through the program. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed, runProgram } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const command = (text: string) => [{ hooks: [{ type: 'command', command: text }] }];
const SWAP = command('cd "$HEDDLE_CONFIG_DIR" && [ -e ../new.json ] && mv ../new.json settings.json; true');

/** After the first call, the settings are replaced by these. The program runs in the folder `work`. */
function home(changed: object, more: object = {}) {
  const scene = homeFor(installed.program);
  const cwd = path.join(scene.folder, 'work');
  mkdirSync(cwd);
  mkdirSync(path.join(scene.folder, 'config'));
  const write = (name: string, value: object): void =>
    writeFileSync(path.join(scene.folder, name), JSON.stringify(value));
  write('config/settings.json', { permissions: { allow: ['Bash'] }, hooks: { PostToolUse: SWAP, ...more } });
  write('new.json', changed);
  const bash = (text: string, id: string) => call('Bash', { command: text }, id);
  const steps = [bash('touch one', 'b1'), bash('touch two', 'b2'), bash('touch three', 'b3'), say('Done.')];
  const env = { HEDDLE_CONFIG_DIR: path.join(scene.folder, 'config') };
  const argv = ['-p', 'go', '--model', scene.script(steps)];
  const go = () => runProgram(installed.program, argv, { cwd, env });
  const has = (name: string): boolean => {
    try {
      return readFileSync(path.join(cwd, name), 'utf8') === '';
    } catch {
      return false;
    }
  };
  return { go, has };
}

describe('settings that change during a run', () => {
  it('apply their rules to the next call', async () => {
    const { go, has } = home({ permissions: { allow: ['Bash'], deny: ['Bash(touch two)'] } });
    const { stdout, stderr } = await go();
    expect([has('one'), has('two')]).toEqual([true, false]);
    expect(stdout).toContain('Done.');
    expect(stderr).toContain('The settings changed.');
  });

  it('apply their hooks to the next call', async () => {
    const hooks = { PreToolUse: command('echo not any more >&2; exit 2') };
    const { go, has } = home({ permissions: { allow: ['Bash'] }, hooks });
    await go();
    expect([has('one'), has('two')]).toEqual([true, false]);
  });

  it('are reported if they are invalid, and the rest applies', async () => {
    const { go, has } = home({ model: 3, permissions: { allow: ['Bash'], deny: ['Bash(touch two)'] } });
    const { stderr } = await go();
    expect(has('two')).toBe(false);
    expect(stderr).toContain('settings.json:1: model takes a text, not 3. It is ignored.');
  });

  it('do not apply if a ConfigChange hook prevents it', async () => {
    const guard = { ConfigChange: command('cat > config-event; echo settings are frozen >&2; exit 2') };
    const { go, has } = home({ permissions: { allow: ['Bash'], deny: ['Bash(touch two)'] } }, guard);
    const { stderr } = await go();
    expect(has('two')).toBe(true);
    expect(stderr).toContain('settings are frozen');
  });

  it('apply without the file whose change a hook prevents', async () => {
    const guard = {
      ConfigChange: command(
        'grep -q user_settings && echo the user settings are frozen >&2 && exit 2; exit 0',
      ),
      PostToolUse: [
        ...SWAP,
        ...command(
          'cd "$HEDDLE_CONFIG_DIR/../work"; mkdir -p .claude; echo \'{"permissions":{"deny":["Bash(touch three)"]}}\' > .claude/settings.json',
        ),
      ],
    };
    const { go, has } = home({ permissions: { allow: ['Bash'], deny: ['Bash(touch two)'] } }, guard);
    await go();
    expect([has('one'), has('two'), has('three')]).toEqual([true, true, false]);
  });

  it('apply if they are above those of the folder, and can only forbid', async () => {
    const { folder, script } = homeFor(installed.program);
    const cwd = path.join(folder, 'pkg');
    const write = (name: string, value: object | string): void => {
      const file = path.join(folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
    };
    write('.git/HEAD', 'ref: refs/heads/main\n');
    for (const name of ['objects', 'refs']) write(`.git/${name}/x`, '');
    write('.env', 'KEY-OF-THE-TOP');
    write('.claude/settings.json', { permissions: { deny: ['Read(./.env)'] } });
    write('new.json', { permissions: { deny: ['Read(./.env)', 'Bash(touch two)'] }, model: 'top' });
    write('pkg/.claude/settings.json', {});
    const hook = command('[ -e ../new.json ] && mv ../new.json ../.claude/settings.json; true');
    write('config/settings.json', { permissions: { allow: ['Bash'] }, hooks: { PostToolUse: hook } });
    const steps = ['cat ../.env; touch zero', 'touch one', 'touch two', 'touch three'];
    const calls = steps.map((text, at) => call('Bash', { command: text }, `b${at}`));
    const model = script([...calls, say('Done.')]);
    const argv = ['-p', 'go', '--output-format=stream-json', '--verbose', '--model', model];
    const env = { HEDDLE_CONFIG_DIR: path.join(folder, 'config') };
    const { stdout } = await runProgram(installed.program, argv, { cwd, env });
    expect(stdout).toContain('Done.');
    expect(stdout).not.toContain('KEY-OF-THE-TOP');
    expect(readdirSync(cwd)).toEqual(['.claude', 'one', 'three']);
  });
});
