/** What the loop is told about a command before it runs. */
import { contextOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import type { createBashTool } from './bash.ts';
import { limitsFrom } from './limits.ts';
import { scratch, shellIn } from './test/shell.ts';

const about = (command: string, bash: ReturnType<typeof createBashTool>, given: object = {}) => ({
  readOnly: bash.isReadOnly({ command, ...given }, contextOf()),
  safe: bash.isConcurrencySafe({ command, ...given }, contextOf()),
});

describe('a command', () => {
  it('that is proven to only read may start early, beside others', async () => {
    const { bash } = shellIn(scratch());
    await bash.inputSchema();
    for (const command of ['ls -la', 'sleep 1', 'cat a | grep b', 'git rev-parse --show-toplevel']) {
      expect({ command, ...about(command, bash) }).toEqual({ command, readOnly: true, safe: true });
    }
  });

  it('that is not proven runs alone', async () => {
    const { bash } = shellIn(scratch());
    await bash.inputSchema();
    for (const command of ['rm a', 'ls > a', 'git log', 'echo $(rm a)', 'npm test']) {
      expect({ command, ...about(command, bash) }).toEqual({ command, readOnly: false, safe: false });
    }
  });

  it('that moves the shell changes nothing, but keeps its place in the order', async () => {
    const { bash } = shellIn(scratch());
    await bash.inputSchema();
    expect(about('cd src && ls', bash)).toEqual({ readOnly: true, safe: false });
  });

  it('is proven nothing about before the grammar is there, nor in the background', async () => {
    const { bash } = shellIn(scratch());
    expect(about('ls', bash)).toEqual({ readOnly: false, safe: false });
    await bash.inputSchema();
    expect(about('ls', bash, { run_in_background: true })).toEqual({ readOnly: false, safe: false });
  });

  it('of git is proven where the repository was looked at', async () => {
    const clean = { helpers: [], submodules: false };
    const { bash } = shellIn(scratch(), {
      gitFacts: (directory) => (directory === '/clean' ? clean : undefined),
    });
    await bash.inputSchema();
    // The loop may give the context that a call will run in.
    const { isReadOnly } = bash as { isReadOnly: (input: object, context?: object) => boolean };
    expect(isReadOnly({ command: 'git log' }, contextOf({ workingDirectory: '/clean' }))).toBe(true);
    expect(isReadOnly({ command: 'git log' }, contextOf({ workingDirectory: '/other' }))).toBe(false);
    expect(isReadOnly({ command: 'git log' })).toBe(false);
  });
});

describe('the input of Bash', () => {
  it.each([
    {},
    { command: '' },
    { command: 1 },
    { command: 'ls', timeout: 0 },
    { command: 'ls', timeout: 'soon' },
    { command: 'ls', run_in_background: 'yes' },
    { command: 'ls', cwd: '/' },
  ])('is refused as %j', async (input) => {
    const schema = await shellIn(scratch()).bash.inputSchema();
    expect(schema.safeParse(input).success).toBe(false);
  });

  it('that the system cannot take is explained', async () => {
    const { content, isError } = await shellIn(scratch()).run(`echo ${'x'.repeat(200_000)}`);
    expect({ content, isError }).toEqual({
      content: 'The shell could not be started: the command is too long; write it to a file and run that',
      isError: true,
    });
    expect((await shellIn(scratch()).run('echo a\0b')).isError).toBe(true);
  });
});

describe('the limits', () => {
  it('are those that users know, and follow the environment', () => {
    expect(limitsFrom({})).toMatchObject({
      defaultTimeoutMs: 120_000,
      maxTimeoutMs: 600_000,
      inlineOutput: 30_000,
    });
    const given = {
      BASH_DEFAULT_TIMEOUT_MS: '5000',
      BASH_MAX_TIMEOUT_MS: '9000',
      BASH_MAX_OUTPUT_LENGTH: '999999',
    };
    expect(limitsFrom(given)).toMatchObject({
      defaultTimeoutMs: 5_000,
      maxTimeoutMs: 9_000,
      inlineOutput: 150_000,
    });
    expect(limitsFrom({ BASH_DEFAULT_TIMEOUT_MS: 'x', BASH_MAX_TIMEOUT_MS: '-1' })).toMatchObject({
      maxTimeoutMs: 600_000,
    });
  });
});
