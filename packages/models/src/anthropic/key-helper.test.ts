import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClock } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { KeyHelper } from './credentials.ts';

/** A helper that counts its runs in a file and prints the count. */
function counting(extra = '') {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-helper-'));
  const file = path.join(folder, 'runs');
  writeFileSync(file, '');
  const command = `echo x >> '${file}'; ${extra} echo "key-number-$(wc -l < '${file}' | tr -d ' ')"`;
  return { command, runs: () => readFileSync(file, 'utf8').length / 2, folder };
}

function helper(command: string, environment: Record<string, string> = {}) {
  const clock = createClock();
  const { PATH = '' } = process.env;
  return {
    clock,
    keys: new KeyHelper({ command, ttlMs: 1_000, environment: { PATH, ...environment }, clock }),
  };
}

describe('a key helper', () => {
  it('runs once for all waiting callers, and again when its key is too old', async () => {
    const { command, runs } = counting();
    const { keys, clock } = helper(command);
    const first = { ok: true, key: 'key-number-1' };
    expect(await Promise.all([keys.get(), keys.get()])).toEqual([first, first]);
    expect(await keys.get()).toEqual(first);
    expect(runs()).toBe(1);
    await clock.advance(1_000);
    expect(await keys.get()).toEqual({ ok: true, key: 'key-number-2' });
  });

  it('runs again when its key was rejected, but not because of an older key', async () => {
    const { command, runs } = counting();
    const { keys } = helper(command);
    await keys.get();
    keys.forget('key-number-0');
    await keys.get();
    expect(runs()).toBe(1);
    keys.forget('key-number-1');
    expect(await keys.get()).toEqual({ ok: true, key: 'key-number-2' });
  });

  it.each([
    ['exit 3', /ended with 3/],
    ['echo no vault >&2; exit 1', /no vault/],
    ['true', /printed nothing/],
  ])('that runs `%s` gives no key and reports why', async (command, why) => {
    const { keys } = helper(command);
    expect(await keys.get()).toEqual({ ok: false, why: expect.stringMatching(why) });
  });

  it.each([
    ['a command', 'echo hunter2secret\0', {}],
    ['a variable', 'echo key', { VAULT: 'hunter2secret\0' }],
    ['an argument list', `echo ${'x'.repeat(4_000_000)}`, {}],
  ])(
    'that cannot be started because of %s gives no key and does not repeat the command',
    async (_what, command, environment) => {
      const { keys } = helper(command, environment);
      const asked = await keys.get();
      expect(asked).toEqual({ ok: false, why: expect.stringMatching(/^it could not be started.{0,60}$/) });
      expect(JSON.stringify(asked)).not.toContain('hunter2secret');
    },
  );

  it('that never ends is stopped after a minute, with all its child processes', async () => {
    const { keys, clock } = helper('sleep 1000');
    const asked = keys.get();
    expect(await clock.run(asked)).toEqual({ ok: false, why: expect.stringContaining('60 s') });
  });

  it('does not receive the configured keys', async () => {
    const { keys } = helper('echo "key:${ANTHROPIC_API_KEY:-none}:$OTHER"', {
      ANTHROPIC_API_KEY: 'sk-ant-secret-1234',
      OTHER: 'seen',
    });
    expect(await keys.get()).toEqual({ ok: true, key: 'key:none:seen' });
  });
});
