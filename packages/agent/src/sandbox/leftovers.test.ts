/** Tests the cleanup after a program that was killed while a sandboxed command ran. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { check, sandboxFixtures } from './test/sandbox-fixture.ts';

const open = sandboxFixtures();

describe.runIf(check.available && process.platform === 'linux')('after a kill', () => {
  it('the command is gone at once, and the next sandbox clears away the rest', async () => {
    const { base, project, home, run } = open();
    const script = path.join(import.meta.dirname, 'test/run-until-killed.ts');
    const killed = spawn(process.execPath, [script, base, project, home], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(killed.stdout, 'data');
    const notes = path.join(home, '.heddle/sandbox', `${killed.pid}.json`);
    const { bridge } = { bridge: '', ...Object(JSON.parse(readFileSync(notes, 'utf8'))) };
    expect(readdirSync(project)).toContain('.claude');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect((await run('true')).isError).toBe(false);
    expect(readdirSync(project)).toEqual([]);
    expect(existsSync(notes)).toBe(false);
    const table = execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' });
    expect(table).not.toContain(`UNIX-LISTEN:${bridge}`);
    expect(table).not.toContain(`sleep 97531.${killed.pid}`);
  });
});
